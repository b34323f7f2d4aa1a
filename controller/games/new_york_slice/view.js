// How New York Slice is drawn: slices and Specials on the table, what everybody has, who leads each type, the guest check.
// The art is this project's own.

import {
  badge, colour, colourOf, html, keyed, nameOf, number, poseTransform, seatOf, svg, Tracker,
} from "/static/kit.js";

const TYPES = {
  3: { base: "#7fa843", spots: "#4c7424" },
  4: { base: "#d9553f", spots: "#f3e3c3" },
  5: { base: "#e39a3b", spots: "#b86a1c" },
  6: { base: "#b7634f", spots: "#7d2f2a" },
  7: { base: "#c97f2c", spots: "#8a4513" },
  8: { base: "#b59a74", spots: "#7c6242" },
  9: { base: "#f0cf6b", spots: "#d9952e" },
  10: { base: "#8f3a2b", spots: "#5e1f19" },
  11: { base: "#f4d77c", spots: "#e2b048" },
};
const PORTION_COLOURS = ["#fff3d6", "#8fd3ff", "#ffb454", "#b8f28a", "#ff9ecf", "#c9b6ff"];
const HALF_DEG = 180 / 11;
const SLICE_MM = 100;
// Where toppings stand, as shares of the slice's length: along the slice and across it. The number stands at 0.6.
const TOPPING_PLACES = [[0.8, 0.155], [0.8, -0.155], [0.33, 0], [0.85, 0]];
const MIDDLE_REACH_MM = 150;
const CARD_MM = [60, 90];

const tracker = new Tracker();

/** Draw the pieces as they lie, the portions marked. */
export function drawTable(layers, view) {
  const tracked = tracker.follow(view.pieces, view.hidden);
  // A piece is drawn anew when more is known of what is printed on it: when the game begins, and of a Special when it is
  // the round's or somebody's.
  const key = (item) => {
    if (view.position === null) return `${item.key}?`;
    return item.piece?.kind === "special" ? `${item.key} ${specialTitle(item.piece.face, view)}` : item.key;
  };
  keyed(layers.pieces, tracked, key, (item) => createPiece(item, view), placePiece);
  const inPortions = tracked.filter(({ piece, ghost }) => !ghost && portionOf(piece) !== null);
  keyed(layers.under, inPortions, key, createHalo, (element, item) => {
    element.style.setProperty("--portion", portionColour(portionOf(item.piece)));
    placePiece(element, item);
  });
  const labels = tracked.filter(({ piece }) => piece.kind === "slice" && piece.face_up);
  const marks = portionMarks(inPortions.map((item) => item.piece));
  keyed(
    layers.over,
    [...labels, ...marks],
    key,
    (item) => (item.piece ? createLabel(item, view) : createMark(item)),
    (element, item) => (item.piece ? placeLabel(element, item) : placeMark(element, item)),
  );
}

/** A small picture of one face. */
export function faceArt(face, view) {
  const special = face.startsWith("special/");
  const box = special ? "-33 -48 66 96" : "-34 -108 68 116";
  const art = special ? cardArt(face, view) : sliceArt(face, view);
  const turned = svg("g", { transform: "rotate(-90)" }, art);
  const label = special ? null : svg("g", { transform: "translate(0 -62)" }, labelArt(face, view, 1.15));
  return svg("svg", { class: "face", viewBox: box, role: "img", "aria-label": faceName(face, view) }, turned, label);
}

/** What each player has collected, eaten and holds. */
export function renderPlayers(parent, view) {
  parent.replaceChildren(...view.position.players.map((player) => playerPanel(player, view)));
}

/** Who leads each type, and today's Special. */
export function renderBoard(parent, view) {
  const { types, special_text: special, phase } = view.position;
  const shown = special && phase !== "over" && phase !== "stack";
  parent.replaceChildren(
    html("ol", { class: "nys-types" }, types.map((type) => typeColumn(type, view))),
    ...(shown ? [chalkboard(special)] : []),
  );
}

/** The guest check. */
export function renderFinal(parent, view) {
  const { score, winners, types } = view.position;
  const columns = [...score].sort((a, b) => a.player - b.player);
  parent.replaceChildren(html(
    "div",
    { class: "nys-final" },
    guestCheck(columns, winners, types, view),
    verdict(score, winners, view),
  ));
}

// Pieces on the table

function portionOf(piece) {
  const match = /^portion\/(\d+)$/.exec(piece.place);
  return match ? Number(match[1]) : null;
}

function portionColour(index) {
  return PORTION_COLOURS[index % PORTION_COLOURS.length];
}

function createPiece({ piece }, view) {
  const art = piece.kind === "special" ? cardArt(piece.face, view) : sliceArt(piece.face, view, lengthOf(piece));
  return svg("g", { class: "piece appear" }, art);
}

function placePiece(element, { piece, angle, ghost }) {
  element.classList.toggle("ghost", ghost);
  element.style.transform = poseTransform(piece.x_mm, piece.y_mm, angle);
}

function createHalo({ piece }) {
  const shape = piece.kind === "special" ? cardShape() : svg("path", { d: wedge(lengthOf(piece)) });
  return svg("g", { class: "nys-halo piece" }, shape);
}

function createLabel({ piece }, view) {
  return svg("g", { class: "piece appear" }, svg("g", { class: "piece-up" }, svg("g", { class: "nys-label-size" }, labelArt(piece.face, view, 1))));
}

function placeLabel(element, item) {
  placePiece(element, item);
  const up = element.firstElementChild;
  // Players fan their slices: the numbers must not hide each other.
  const crowded = Math.hypot(item.piece.x_mm, item.piece.y_mm) > MIDDLE_REACH_MM;
  up.style.transform = `translate(${(lengthOf(item.piece) * 0.6).toFixed(1)}px, 0px) rotate(${item.angle.toFixed(1)}deg)`;
  up.firstElementChild.classList.toggle("crowded", crowded);
}

function lengthOf(piece) {
  if (piece.kind !== "slice" || piece.outline_mm.length === 0) return SLICE_MM;
  return Math.max(...piece.outline_mm.map(([x, y]) => Math.hypot(x - piece.x_mm, y - piece.y_mm)));
}

/** One lettered mark a portion, outside its crust. */
function portionMarks(pieces) {
  const groups = new Map();
  for (const piece of pieces) {
    const index = portionOf(piece);
    groups.set(index, [...(groups.get(index) ?? []), piece]);
  }
  return [...groups].map(([index, group]) => {
    const slices = group.filter((piece) => piece.kind === "slice");
    const [x, y] = slices.length ? outside(slices) : [group[0].x_mm, group[0].y_mm + 62];
    return { key: `portion-${index}`, index, x, y };
  });
}

function outside(slices) {
  const mean = (of) => slices.reduce((sum, piece) => sum + of(piece), 0) / slices.length;
  const cos = mean((piece) => Math.cos((piece.angle_deg * Math.PI) / 180));
  const sin = mean((piece) => Math.sin((piece.angle_deg * Math.PI) / 180));
  const length = Math.hypot(cos, sin) || 1;
  const reach = lengthOf(slices[0]) + 20;
  return [mean((piece) => piece.x_mm) + (cos / length) * reach, mean((piece) => piece.y_mm) + (sin / length) * reach];
}

function createMark({ index }) {
  return svg(
    "g",
    { class: "nys-mark appear", vars: { portion: portionColour(index) } },
    svg("circle", { r: 16 }),
    svg("text", { "text-anchor": "middle", dy: "0.36em", text: String.fromCharCode(65 + index) }),
  );
}

function placeMark(element, { x, y }) {
  element.style.transform = poseTransform(x, y, 0);
}

// Art

function wedge(length, from = 0) {
  const [c, s] = [Math.cos((HALF_DEG * Math.PI) / 180), Math.sin((HALF_DEG * Math.PI) / 180)];
  const p = (r, sign) => `${(r * c).toFixed(2)} ${(sign * r * s).toFixed(2)}`;
  if (from === 0) return `M0 0L${p(length, -1)}A${length} ${length} 0 0 1 ${p(length, 1)}Z`;
  return `M${p(from, -1)}L${p(length, -1)}A${length} ${length} 0 0 1 ${p(length, 1)}L${p(from, 1)}A${from} ${from} 0 0 0 ${p(from, -1)}Z`;
}

function halfWedge(length, sign) {
  const [c, s] = [Math.cos((HALF_DEG * Math.PI) / 180), Math.sin((HALF_DEG * Math.PI) / 180)];
  return `M0 0L${length} 0A${length} ${length} 0 0 ${sign > 0 ? 1 : 0} ${length * c} ${sign * length * s}Z`;
}

function factsOf(face, view) {
  const facts = view.position?.components[face];
  if (facts) return facts;
  // Before a game only the face's name is known, not what is printed on the slice.
  const values = /^(?:combo-(\d+)-(\d+)|(\d+)\/\d+)$/.exec(face)?.slice(1).filter(Boolean).map(Number) ?? [];
  return { values, pepperoni: 0, anchovies: 0, name: face };
}

function faceName(face, view) {
  if (face.startsWith("special/")) return specialTitle(face, view);
  return face === "back" ? "face-down slice" : `${factsOf(face, view).name} slice`;
}

/** A slice with its tip at the origin, its crust to the right. */
function sliceArt(face, view, length = SLICE_MM) {
  if (face === "back") return paper(length);
  const facts = factsOf(face, view);
  return svg(
    "g",
    {},
    shadow(length),
    ...base(face, facts, length),
    svg("path", { class: "nys-crust", d: wedge(length, length * 0.9) }),
    svg("path", { class: "nys-crust-light", d: wedge(length * 0.975, length * 0.945) }),
    ...toppings(facts, length),
    svg("path", { class: "nys-edge", d: wedge(length) }),
  );
}

function base(face, { values }, length) {
  if (values.length === 2) {
    return values.map((value, i) => svg("path", { d: halfWedge(length, i === 0 ? -1 : 1), fill: typeOf(value).base }))
      .concat(svg("path", { class: "nys-split", d: `M6 0H${length}` }));
  }
  if (values.length === 1) {
    const { base: fill, spots } = typeOf(values[0]);
    const places = [[0.24, -0.02], [0.46, 0.09], [0.48, -0.1], [0.68, -0.16], [0.7, 0.17], [0.66, 0.02]];
    return [
      svg("path", { d: wedge(length), fill }),
      ...places.map(([along, across], i) => svg("ellipse", {
        cx: along * length, cy: across * length, rx: 4.6, ry: 2.7, fill: spots, opacity: 0.55, transform: `rotate(${i * 57} ${along * length} ${across * length})`,
      })),
    ];
  }
  if (face === "anchovy") return [svg("path", { d: wedge(length), fill: "#5d7f8c" })];
  const mixed = ["#7fa843", "#d9553f", "#f4d77c", "#8f3a2b", "#e39a3b", "#b59a74", "#7fa843"];
  return [
    svg("path", { d: wedge(length), fill: "#d8a548" }),
    ...mixed.map((fill, i) => svg("circle", { cx: length * (0.25 + (0.52 * i) / 6), cy: length * (i % 2 ? 0.07 : -0.07), r: 4.4, fill })),
  ];
}

function typeOf(value) {
  return TYPES[value] ?? { base: "#c9a36b", spots: "#8f6b3a" };
}

function toppings({ pepperoni, anchovies }, length) {
  const places = TOPPING_PLACES.map(([along, across]) => [along * length, across * length]);
  // A single pepperoni slice stands at the tip, where its neighbours hide it least.
  if (pepperoni === 1) places.unshift(...places.splice(2, 1));
  return [
    ...places.slice(0, pepperoni).map(([x, y]) => pepperoniArt(x, y)),
    ...places.slice(pepperoni, pepperoni + anchovies).map(([x, y]) => svg("g", { transform: `translate(${x} ${y}) rotate(90)` }, fishArt())),
  ];
}

function pepperoniArt(x, y) {
  return svg("g", { transform: `translate(${x} ${y})` },
    svg("circle", { class: "nys-pepperoni", r: 6.6 }),
    svg("circle", { class: "nys-pepperoni-fat", r: 1.1, cx: -2, cy: -2 }),
    svg("circle", { class: "nys-pepperoni-fat", r: 1.3, cx: 2.4, cy: 1 }),
    svg("circle", { class: "nys-pepperoni-fat", r: 0.9, cx: -1, cy: 3 }));
}

function fishArt() {
  return svg("g", { class: "nys-fish" },
    svg("path", { d: "M-9 0C-5 -5 4 -5 7 0C4 5 -5 5 -9 0Z" }),
    svg("path", { d: "M6 0 11.5 -4 10 0 11.5 4Z" }),
    svg("circle", { class: "nys-fish-eye", cx: -5.4, cy: -0.9, r: 0.9 }));
}

/** The face-down side: gingham paper. */
function paper(length) {
  const stripes = [];
  for (let at = 8; at < length; at += 20) stripes.push(svg("rect", { x: at, y: -40, width: 10, height: 80 }));
  for (let at = -35; at < 40; at += 20) stripes.push(svg("rect", { x: 0, y: at, width: length, height: 10 }));
  return svg("g", { class: "nys-paper" },
    shadow(length),
    svg("path", { class: "nys-paper-ground", d: wedge(length) }),
    svg("g", { class: "nys-paper-stripes", "clip-path": "url(#nys-wedge)" }, clipShape(length), stripes),
    svg("path", { class: "nys-edge", d: wedge(length) }));
}

// A wide dark edge below the slice: a blurred one would be drawn anew in every frame of a movement.
function shadow(length) {
  return svg("path", { class: "nys-shadow", d: wedge(length) });
}

function clipShape(length) {
  return svg("clipPath", { id: "nys-wedge" }, svg("path", { d: wedge(length) }));
}

function cardShape() {
  const [width, height] = CARD_MM;
  return svg("rect", { x: -height / 2, y: -width / 2, width: height, height: width, rx: 4 });
}

/** A Special, centre at the origin, the top of its writing to the right. */
function cardArt(face, view) {
  const down = face === "special/back";
  const card = svg("g", { class: `nys-card${down ? " down" : ""}` }, cardShape());
  const upright = svg("g", { transform: "rotate(90)" });
  if (down) {
    upright.append(svg("path", { class: "nys-card-star", d: star(17) }));
  } else {
    upright.append(svg("text", { class: "nys-card-kicker", y: -29, "text-anchor": "middle", text: "SPECIAL" }));
    const lines = wrapped(specialTitle(face, view), 10);
    lines.forEach((line, i) => upright.append(svg("text", {
      class: "nys-card-title", "text-anchor": "middle", y: 6 + (i - (lines.length - 1) / 2) * 15, text: line,
      "font-size": Math.min(13.5, 88 / line.length).toFixed(1),
    })));
  }
  card.append(upright);
  return card;
}

function star(radius) {
  return `M${[...Array(10).keys()].map((i) => {
    const r = i % 2 ? radius * 0.42 : radius;
    const a = (i * Math.PI) / 5 - Math.PI / 2;
    return `${(r * Math.cos(a)).toFixed(2)} ${(r * Math.sin(a)).toFixed(2)}`;
  }).join("L")}Z`;
}

function wrapped(text, width) {
  const lines = [];
  for (const word of text.split(/[\s-]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function specialTitle(face, view) {
  const { special, special_text: text, players } = view.position ?? { special: null, players: [] };
  if (face === special && text) return text.title;
  const owned = players.flatMap((player) => player.specials).find((card) => card.face === face);
  if (owned) return owned.title;
  const words = face.replace("special/", "").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The number on a slice, upright, centred on the origin. */
function labelArt(face, view, scale) {
  const { values } = factsOf(face, view);
  const text = values.length ? values.join("/") : face === "anchovy" ? "−3" : face === "supreme" ? "S" : face;
  const size = (values.length === 2 ? 19 : text.length === 1 ? 31 : 27) * scale;
  return svg("text", { class: "nys-number", "text-anchor": "middle", dy: "0.36em", "font-size": size.toFixed(1), text });
}

// Players

function playerPanel(player, view) {
  const { position, turn } = view;
  const acting = turn.players[0] === player.player;
  const collected = grouped(player.collected, view);
  return html(
    "article",
    { class: `nys-player${acting ? " acting" : ""}`, vars: { seat: colourOf(view, player.player) } },
    html(
      "header",
      {},
      badge(view, player.player),
      html("h2", { text: nameOf(view, player.player) }),
      html("span", { class: "nys-tags" }, tags(player.player, position)),
      html("span", { class: "nys-points" }, html("b", { text: number(player.total_so_far) }), html("small", { text: " pts" })),
    ),
    html("div", { class: "nys-holdings" },
      html("ul", { class: "nys-chips", "aria-label": "Collected" },
        collected.length ? collected.map(chip) : html("li", { class: "nys-none", text: "nothing collected yet" })),
      eatenCount(player, view)),
    player.specials.length > 0 && html("ul", { class: "nys-specials", "aria-label": "Specials" }, player.specials.map(specialChip)),
  );
}

function tags(player, position) {
  if (position.phase === "over") return position.winners.includes(player) ? [html("span", { class: "nys-tag won", text: "winner" })] : [];
  const place = position.order.indexOf(player);
  return [
    player === position.slicer && html("span", { class: "nys-tag", text: "slicer" }),
    ["choose", "mystery", "decide"].includes(position.phase) && place > 0 && html("span", { class: "nys-tag faint", text: `chooses ${ordinal(place + 1)}` }),
  ];
}

function ordinal(n) {
  return `${n}${["st", "nd", "rd"][n - 1] ?? "th"}`;
}

/** Collected slices by what stands on them, values upwards, then combos, the Supreme, the Anchovy. */
function grouped(collected, view) {
  const groups = new Map();
  for (const item of collected) {
    const values = item.values.length ? item.values : (factsOf(item.face, view).values ?? []);
    const key = values.length ? values.join("/") : item.face;
    const group = groups.get(key) ?? { key, values, face: item.face, count: 0, attached: null };
    group.count += 1;
    group.attached = item.attached ?? group.attached;
    groups.set(key, group);
  }
  const order = (group) => (group.values.length === 1 ? group.values[0] : group.values.length === 2 ? 100 + group.values[0] : 200);
  return [...groups.values()].sort((a, b) => order(a) - order(b));
}

function chip({ key, values, face, count, attached }) {
  const text = values.length ? values.join("/") : face === "anchovy" ? "−3" : "S";
  const fills = values.length ? values.map((value) => typeOf(value).base) : face === "anchovy" ? ["#5d7f8c"] : ["#d8a548"];
  const title = attached ? `${key} attached to ${attached}` : `${count} × ${key}`;
  return html(
    "li",
    { class: `nys-chip${values.length === 2 ? " combo" : ""}`, title, "aria-label": title, vars: { one: fills[0], two: fills[1] ?? fills[0] } },
    html("b", { text }),
    attached && html("i", { text: `→${typeLabel(attached)}` }),
    count > 1 && html("span", { text: `×${count}` }),
  );
}

function typeLabel(attached) {
  return attached === "anchovy" ? "−3" : attached;
}

function eatenCount(player, view) {
  const pepperoni = player.eaten.reduce((sum, face) => sum + factsOf(face, view).pepperoni, 0);
  const count = player.eaten.length + player.unseen_eaten;
  const anchovies = player.collected.reduce((sum, item) => sum + item.anchovies, 0);
  return html(
    "p",
    { class: "nys-eaten" },
    html("span", { title: "slices eaten" }, icon("-34 -104 68 112", svg("g", { transform: "rotate(-90)" }, paper(SLICE_MM))), html("b", { text: `${count}` }), html("small", { text: " eaten" })),
    html("span", { title: "pepperoni eaten" }, icon("-8 -8 16 16", pepperoniArt(0, 0)), html("b", { text: `${pepperoni}${player.unseen_eaten ? "+?" : ""}` })),
    html("span", { class: anchovies ? "" : "zero", title: "anchovies collected" }, icon("-11 -7 24 14", fishArt()), html("b", { text: `${anchovies}` })),
  );
}

function icon(viewBox, art) {
  return svg("svg", { class: "nys-icon", viewBox, "aria-hidden": "true" }, art);
}

function specialChip(card) {
  const score = typeof card.score === "number" && card.score !== 0 ? ` ${card.score > 0 ? "+" : ""}${number(card.score)}` : "";
  return html("li", { class: `nys-special${card.used ? " used" : ""}`, title: card.text },
    html("span", { text: card.title }), score && html("b", { text: score }), card.used && html("i", { text: " used" }));
}

// Standings

function typeColumn(type, view) {
  const counts = Object.entries(type.counts).map(([player, count]) => ({ player: Number(player), count }))
    .filter(({ count }) => count > 0).sort((a, b) => b.count - a.count || a.player - b.player);
  const tied = type.scorer === null && type.leaders.length > 1;
  return html(
    "li",
    { class: `nys-type${type.scorer !== null ? " won" : ""}`, vars: { base: typeOf(type.value).base, seat: type.scorer === null ? "#8d8379" : colourOf(view, type.scorer) } },
    html("header", {}, html("b", { text: String(type.value) }), html("span", { text: type.name })),
    html("ul", {}, counts.slice(0, 4).map(({ player, count }) => html("li", { class: type.leaders.includes(player) ? "leads" : "" }, badge(view, player, "small"), html("span", { text: number(count) })))),
    html("footer", { text: tied ? "tie" : type.scorer === null ? "–" : nameOf(view, type.scorer) }),
  );
}

function chalkboard(special) {
  return html("article", { class: "nys-chalk" },
    html("p", { class: "nys-chalk-kicker", text: "Today’s Special" }),
    html("h2", { text: special.title }),
    html("p", { text: special.text }));
}

// The guest check

function guestCheck(columns, winners, types, view) {
  const labels = [];
  const longest = [...columns].sort((a, b) => b.lines.length - a.lines.length);
  for (const { lines } of longest) for (const { label } of lines) if (!labels.includes(label)) labels.push(label);
  const head = html("tr", {}, html("th", { scope: "col", text: "" }), columns.map(({ player }) => html("th", { scope: "col" }, badge(view, player, "ink"), html("span", { class: "nys-pen-name", text: nameOf(view, player) }))));
  const rows = labels.map((label) => html("tr", {}, html("th", { scope: "row", text: label }), columns.map(({ lines }) => scoreCell(lines.find((line) => line.label === label), isType(label, types)))));
  const total = html("tr", { class: "nys-total" }, html("th", { scope: "row", text: "Total" }), columns.map(({ player, total: sum }) => html("td", { class: winners.includes(player) ? "nys-winner" : "" }, handwritten(sum))));
  return html(
    "article",
    { class: "nys-check" },
    html("header", {}, html("h2", { text: "Guest Check" }), html("p", {}, html("span", { text: `Table: ${view.table}` }), html("span", { text: `Guests: ${columns.length}` }), html("span", { text: `Rounds: ${view.position.rounds}` }))),
    html("table", {}, html("thead", {}, head), html("tbody", {}, rows), html("tfoot", {}, total)),
    html("p", { class: "nys-thanks", text: "Thank you · please come again" }),
  );
}

function isType(label, types) {
  return types.some((type) => label.split(" ")[0] === String(type.value));
}

function scoreCell(line, type) {
  const points = line?.points ?? 0;
  if (points === 0) return html("td", { class: "nys-zero", text: type ? "" : "0", title: line?.detail });
  return html("td", { class: type ? "nys-circled" : "", title: line.detail }, handwritten(points));
}

function verdict(score, winners, view) {
  const ranked = [...score].sort((a, b) => winners.includes(b.player) - winners.includes(a.player) || b.total - a.total);
  const names = winners.map((player) => nameOf(view, player));
  const title = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)} split the check!` : `${names[0]} picks up the check!`;
  return html(
    "div",
    { class: "nys-verdict" },
    html("p", { class: "nys-pizza", "aria-hidden": "true" }, wholePizza(view)),
    html("h1", { text: title }),
    html("ol", {}, ranked.map(({ player, total }) => html(
      "li",
      { class: winners.includes(player) ? "won" : "", vars: { seat: colour(seatOf(view, player)?.colour) } },
      badge(view, player), html("span", { text: nameOf(view, player) }), html("b", { text: number(total) }),
    ))),
  );
}

function wholePizza(view) {
  const faces = Object.keys(TYPES).flatMap((value) => [`${value}/1`]).concat(["combo-5-7", "supreme"]);
  return svg("svg", { viewBox: "-106 -106 212 212" }, faces.map((face, i) => svg("g", { transform: `rotate(${(i * 360) / 11})` }, svg("g", { transform: "translate(4 0)" }, sliceArt(face, view)))));
}

// Figures as a waiter writes them: strokes in a box of 10 by 16.
const STROKES = {
  0: "M5 1C1 1 1 15 5 15C9 15 9 1 5 1",
  1: "M3 4.5L6 1L5.4 15",
  2: "M1.5 4C2 0 9 0 8 5C7.5 8 3 11 1 15L9 14.4",
  3: "M2 2C6 -.5 9 3 4.5 7C10 7.5 8.5 15 1.5 14",
  4: "M6.5 1L1 10L9 9.4M7 6L6.5 15",
  5: "M8.5 1L3 1.5L2.5 7C6 5 9 8 8 11C7 15 3 15.5 1.5 13",
  6: "M7 1C3 4 1 9 2 12C3 16 8.5 15 8 11C7.5 7.5 3.5 8 2 11",
  7: "M1.5 2L8.5 1.5L4 15",
  8: "M7.5 3C6 -.5 1 1.5 3 5C4.5 7.5 8.5 8.5 8 12C7.5 16 1.5 15.5 2 12C2.5 9 7.5 7 7.5 3",
  9: "M8 5C8 1 3 .5 2.5 4.5C2.5 8.5 8 8 8 4C8 8 7.5 12 6 15",
  "−": "M2 8.4L8 7.6",
};

function handwritten(value) {
  const text = number(value);
  const strokes = [...text].filter((sign) => STROKES[sign]);
  const glyphs = strokes.map((sign, i) => svg("path", { d: STROKES[sign], transform: `translate(${i * 10.5} ${i % 2 ? 0.6 : 0})` }));
  return svg("svg", { class: "nys-hand", viewBox: `-1.5 -1.5 ${strokes.length * 10.5 + 2.5} 19`, role: "img", "aria-label": text }, glyphs);
}
