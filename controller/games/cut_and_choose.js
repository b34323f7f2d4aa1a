// How New York Slice and Pizzeria are drawn alike: slices and Specials on the table, what everybody has, who leads each
// type, the bill. The art is this project's own. A game's view.js hands in what it has of its own, see `cutAndChoose`.

import {
  badge, colour, colourOf, html, keyed, nameIn, nameOf, nameplate, number, poseTransform, seatOf, svg, Tracker,
} from "/static/kit.js";

const PORTION_COLOURS = ["#fff3d6", "#8fd3ff", "#ffb454", "#b8f28a", "#ff9ecf", "#c9b6ff"];
const HALF_DEG = 180 / 11;
export const SLICE_MM = 100;
const MIDDLE_REACH_MM = 150;
const CARD_MM = [60, 90];

/**
 * The functions of a game's view.js (see /static/app.js).
 *
 * `look`: `types` (value to `base` and `spots`, colours), `singles` (face to `text`, `fill` and `ground(length)` of slices
 * without a value), `halves` (what the face of a slice of two values begins with), `toppings(facts, length)`, `back(length)`,
 * `cardFace(face, title, view)` and `cardBack()` (what stands on a Special, the top of its writing up), `collected(player)`,
 * `note(items)` (what stands behind a group of slices), `eaten(player, view)`, `special(card)` (a chip), `leaders(type, view)`
 * (who scores it, and what is said of that), `tags(player, position)`, `phases` (`first`, and those of `choosing`), `words`,
 * `sample` (faces of a pizza).
 */
export function cutAndChoose(look) {
  const tracker = new Tracker();
  const FACE = new RegExp(`^(?:${look.halves}-(\\d+)-(\\d+)|(\\d+)/\\d+)$`);

  /** Draw the pieces as they lie, the portions marked. */
  function drawTable(layers, view) {
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
  function faceArt(face, view) {
    const special = isSpecial(face);
    const box = special ? "-33 -48 66 96" : "-34 -108 68 116";
    const art = special ? cardArt(face, view) : sliceArt(face, view);
    const turned = svg("g", { transform: "rotate(-90)" }, art);
    const label = special ? null : svg("g", { transform: "translate(0 -62)" }, labelArt(face, view, 1.15));
    return svg("svg", { class: "face", viewBox: box, role: "img", "aria-label": faceName(face, view) }, turned, label);
  }

  /** What each player has collected, eaten and holds. */
  function renderPlayers(parent, view) {
    parent.replaceChildren(...view.position.players.map((player) => playerPanel(player, view)));
  }

  /** Who leads each type, and the round's Special. */
  function renderBoard(parent, view) {
    const { types, special_text: special, phase } = view.position;
    const shown = special && phase !== "over" && phase !== look.phases.first;
    parent.replaceChildren(
      html("ol", { class: "pie-types", vars: { types: types.length } }, types.map((type) => typeColumn(type, view))),
      ...(shown ? [chalkboard(special)] : []),
    );
  }

  /** The guest check. */
  function renderFinal(parent, view) {
    const { score, winners, types } = view.position;
    const columns = [...score].sort((a, b) => a.player - b.player);
    parent.replaceChildren(html(
      "div",
      { class: "pie-final" },
      guestCheck(columns, winners, types, view),
      verdict(score, winners, view),
    ));
  }

  function createPiece({ piece }, view) {
    const art = piece.kind === "special" ? cardArt(piece.face, view) : sliceArt(piece.face, view, lengthOf(piece));
    return svg("g", { class: "piece appear" }, art);
  }

  function createLabel({ piece }, view) {
    return svg("g", { class: "piece appear" }, svg("g", { class: "piece-up" }, svg("g", { class: "pie-label-size" }, labelArt(piece.face, view, 1))));
  }

  function factsOf(face, view) {
    const facts = view.position?.components[face];
    if (facts) return facts;
    // Before a game only the face's name is known, not what is printed on the slice.
    const values = FACE.exec(face)?.slice(1).filter(Boolean).map(Number) ?? [];
    return { values, name: face };
  }

  function faceName(face, view) {
    if (isSpecial(face)) return specialTitle(face, view);
    return face === "back" ? "face-down slice" : `${factsOf(face, view).name} slice`;
  }

  /** A slice with its tip at the origin, its crust to the right. */
  function sliceArt(face, view, length = SLICE_MM) {
    if (face === "back") return backArt(length);
    const facts = factsOf(face, view);
    return svg(
      "g",
      {},
      shadow(length),
      ...base(face, facts, length),
      svg("path", { class: "pie-crust", d: wedge(length, length * 0.9) }),
      svg("path", { class: "pie-crust-light", d: wedge(length * 0.975, length * 0.945) }),
      ...look.toppings(facts, length),
      svg("path", { class: "pie-edge", d: wedge(length) }),
    );
  }

  function base(face, { values }, length) {
    if (values.length === 2) {
      return values.map((value, i) => svg("path", { d: halfWedge(length, i === 0 ? -1 : 1), fill: typeOf(value).base }))
        .concat(svg("path", { class: "pie-split", d: `M6 0H${length}` }));
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
    const { fill, ground } = look.singles[face] ?? { fill: "#d8a548", ground: () => [] };
    return [svg("path", { d: wedge(length), fill }), ...ground(length)];
  }

  /** The face-down side. */
  function backArt(length) {
    return svg("g", { class: "pie-back" }, shadow(length), ...look.back(length), svg("path", { class: "pie-edge", d: wedge(length) }));
  }

  function typeOf(value) {
    return look.types[value] ?? { base: "#c9a36b", spots: "#8f6b3a" };
  }

  /** A Special, centre at the origin, the top of its writing to the right. */
  function cardArt(face, view) {
    const down = face === "special/back";
    const card = svg("g", { class: `pie-card${down ? " down" : ""}` }, cardShape());
    const upright = svg("g", { transform: "rotate(90)" }, down ? look.cardBack() : look.cardFace(face, specialTitle(face, view), view));
    card.append(upright);
    return card;
  }

  function specialTitle(face, view) {
    const { special, special_text: text, players } = view.position ?? { special: null, players: [] };
    if (face === special && text) return text.title;
    const owned = players.flatMap((player) => player.specials).find((card) => card.face === face);
    if (owned) return owned.title;
    const words = face.replace(/^[a-z]+\//, "").replaceAll("-", " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
  }

  /** The number on a slice, upright, centred on the origin. */
  function labelArt(face, view, scale) {
    const { values } = factsOf(face, view);
    const text = values.length ? values.join("/") : look.singles[face]?.text ?? face;
    // In a whole pizza each has room between its neighbours' numbers.
    const size = (values.length === 2 ? (text.length > 3 ? 17 : 19) : text.length === 1 ? 31 : 27) * scale;
    const kind = values.length === 2 ? "pie-number two" : "pie-number";
    return svg("text", { class: kind, "text-anchor": "middle", dy: "0.36em", "font-size": size.toFixed(1), text });
  }

  function playerPanel(player, view) {
    const { position, turn } = view;
    const acting = turn.players[0] === player.player;
    const collected = grouped(look.collected(player), view);
    return html(
      "article",
      { class: `pie-player${acting ? " acting" : ""}`, vars: { seat: colourOf(view, player.player) } },
      html(
        "header",
        {},
        badge(view, player.player),
        html("h2", { dir: "auto", text: nameOf(view, player.player) }),
        html("span", { class: "pie-tags" }, tags(player.player, position)),
        html("span", { class: "pie-points" }, html("b", { text: number(player.total_so_far) }), html("small", { text: " pts" })),
      ),
      html("div", { class: "pie-holdings" },
        html("ul", { class: "pie-chips", "aria-label": look.words.collected },
          collected.length ? collected.map(chip) : html("li", { class: "pie-none", text: `nothing ${look.words.collected} yet` })),
        look.eaten(player, view)),
      player.specials.length > 0 && html("ul", { class: "pie-specials", "aria-label": look.words.specials }, player.specials.map(look.special)),
    );
  }

  function tags(player, position) {
    if (position.phase === "over") return position.winners.includes(player) ? [html("span", { class: "pie-tag won", text: "winner" })] : [];
    const place = position.order.indexOf(player);
    return [
      ...look.tags(player, position).map((text) => html("span", { class: "pie-tag", text })),
      player === position.slicer && html("span", { class: "pie-tag", text: look.words.slicer }),
      look.phases.choosing.includes(position.phase) && place > 0 && html("span", { class: "pie-tag faint", text: `chooses ${ordinal(place + 1)}` }),
    ];
  }

  /** Collected slices by what stands on them, values upwards, then those of two values, then those of none. */
  function grouped(collected, view) {
    const groups = new Map();
    for (const item of collected) {
      const values = item.values.length ? item.values : (factsOf(item.face, view).values ?? []);
      const key = values.length ? values.join("/") : item.face;
      const group = groups.get(key) ?? { key, values, face: item.face, items: [] };
      group.items.push(item);
      groups.set(key, group);
    }
    const order = (group) => (group.values.length === 1 ? group.values[0] : group.values.length === 2 ? 100 + group.values[0] : 200);
    return [...groups.values()].sort((a, b) => order(a) - order(b));
  }

  function chip({ key, values, face, items }) {
    const single = look.singles[face] ?? { text: face, fill: "#d8a548" };
    const fills = values.length ? values.map((value) => typeOf(value).base) : [single.fill];
    const note = look.note(items);
    const title = note ? note.title : `${items.length} × ${key}`;
    return html(
      "li",
      { class: `pie-chip${values.length === 2 ? " combo" : ""}`, title, "aria-label": title, vars: { one: fills[0], two: fills[1] ?? fills[0] } },
      html("b", { text: values.length ? values.join("/") : single.text }),
      note && html("i", { text: note.text }),
      items.length > 1 && html("span", { text: `×${items.length}` }),
    );
  }

  function typeColumn(type, view) {
    const counts = Object.entries(type.counts).map(([player, count]) => ({ player: Number(player), count }))
      .filter(({ count }) => count > 0).sort((a, b) => b.count - a.count || a.player - b.player);
    const { winners, text } = look.leaders(type, view);
    const seat = winners.length === 1 ? colourOf(view, winners[0]) : winners.length ? "#d9a441" : "#8d8379";
    return html(
      "li",
      { class: `pie-type${winners.length ? " won" : ""}${isPlayed(type.value, view) ? "" : " out"}`, vars: { base: typeOf(type.value).base, seat } },
      html("header", {}, html("b", { text: String(type.value) }), html("span", { text: type.name, vars: { letters: type.name.length } })),
      html("ul", {}, counts.slice(0, 4).map(({ player, count }) => html("li", { class: type.leaders.includes(player) ? "leads" : "" }, nameplate(view, player, "small"), html("span", { text: number(count) })))),
      html("footer", { dir: "auto", text }),
    );
  }

  function chalkboard(special) {
    return html("article", { class: "pie-chalk" },
      html("p", { class: "pie-chalk-kicker", text: look.words.special(special) }),
      html("h2", { text: special.title.charAt(0).toUpperCase() + special.title.slice(1) }),
      html("p", { text: special.text }));
  }

  function guestCheck(columns, winners, types, view) {
    const labels = [];
    const longest = [...columns].sort((a, b) => b.lines.length - a.lines.length);
    for (const { lines } of longest) for (const { label } of lines) if (!labels.includes(label)) labels.push(label);
    const head = html("tr", {}, html("td"), columns.map(({ player }) => html("th", { scope: "col" }, badge(view, player, "ink"), html("span", { class: "pie-pen-name", dir: "auto", text: nameOf(view, player) }))));
    const rows = labels.map((label) => html("tr", {}, html("th", { scope: "row", text: label }), columns.map(({ lines }) => scoreCell(lines.find((line) => line.label === label), isType(label, types)))));
    const total = html("tr", { class: "pie-total" }, html("th", { scope: "row", text: "Total" }), columns.map(({ player, total: sum }) => html("td", { class: winners.includes(player) ? "pie-winner" : "" }, handwritten(sum))));
    return html(
      "article",
      { class: "pie-check" },
      html("header", {}, html("h2", { text: look.words.bill }), html("p", {}, html("span", { text: `Table: ${view.table}` }), html("span", { text: `Guests: ${columns.length}` }), html("span", { text: `Rounds: ${view.position.rounds}` }))),
      html("table", { "aria-label": look.words.bill }, html("thead", {}, head), html("tbody", {}, rows), html("tfoot", {}, total)),
      html("p", { class: "pie-thanks", text: look.words.thanks }),
    );
  }

  function verdict(score, winners, view) {
    const ranked = [...score].sort((a, b) => winners.includes(b.player) - winners.includes(a.player) || b.total - a.total);
    const names = winners.map((player) => nameIn(view, player));
    const title = names.length > 1 ? look.words.shared(`${names.slice(0, -1).join(", ")} and ${names.at(-1)}`) : look.words.won(names[0]);
    return html(
      "div",
      { class: "pie-verdict" },
      html("p", { class: "pie-pizza", "aria-hidden": "true" }, wholePizza(view)),
      html("h1", { text: title }),
      html("ol", {}, ranked.map(({ player, total }) => html(
        "li",
        { class: winners.includes(player) ? "won" : "", vars: { seat: colour(seatOf(view, player)?.colour) } },
        badge(view, player), html("span", { dir: "auto", text: nameOf(view, player) }), html("b", { text: number(total) }),
      ))),
    );
  }

  function wholePizza(view) {
    return svg("svg", { viewBox: "-106 -106 212 212" }, look.sample.map((face, i) => svg("g", { transform: `rotate(${(i * 360) / 11})` }, svg("g", { transform: "translate(4 0)" }, sliceArt(face, view)))));
  }

  /** Which slices lie together, in portions or still in the pizza. */
  function tell(view) {
    const lying = new Map();
    for (const { kind, face, place } of view.pieces) {
      if (kind !== "slice" || !/^(ring|portion\/)/.test(place)) continue;
      const facts = factsOf(face, view);
      lying.set(place, [...(lying.get(place) ?? []), facts.values.join("/") || facts.name]);
    }
    return [...lying].sort(([one], [other]) => one.localeCompare(other)).map(([place, faces]) =>
      `${place === "ring" ? "The pizza" : `Portion ${letter(portionOf({ place }))}`}: ${faces.join(", ")}.`).join(" ");
  }

  return { drawTable, faceArt, renderPlayers, renderBoard, renderFinal, tell };
}

// What both games draw with

/** A small picture of what the number behind it counts. */
export function icon(viewBox, counts, art) {
  return svg("svg", { class: "pie-icon", viewBox, role: "img", "aria-label": counts }, art);
}

export function star(radius) {
  return `M${[...Array(10).keys()].map((i) => {
    const r = i % 2 ? radius * 0.42 : radius;
    const a = (i * Math.PI) / 5 - Math.PI / 2;
    return `${(r * Math.cos(a)).toFixed(2)} ${(r * Math.sin(a)).toFixed(2)}`;
  }).join("L")}Z`;
}

// Where things lie

/** Whether this game has slices of a value: with some numbers of players they stay in the box. */
function isPlayed(value, view) {
  return Object.values(view.position.components).some(({ values }) => values.includes(value));
}

function isSpecial(face) {
  return /^(special|offer)\//.test(face);
}

function portionOf(piece) {
  const match = /^portion\/(\d+)$/.exec(piece.place);
  return match ? Number(match[1]) : null;
}

function letter(index) {
  return String.fromCharCode(65 + index);
}

function portionColour(index) {
  return PORTION_COLOURS[index % PORTION_COLOURS.length];
}

function createHalo({ piece }) {
  const shape = piece.kind === "special" ? cardShape() : svg("path", { d: wedge(lengthOf(piece)) });
  return svg("g", { class: "pie-halo piece" }, shape);
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
    { class: "pie-mark appear", vars: { portion: portionColour(index) } },
    svg("circle", { r: 16 }),
    svg("text", { "text-anchor": "middle", dy: "0.36em", text: letter(index) }),
  );
}

function placeMark(element, { x, y }) {
  element.style.transform = poseTransform(x, y, 0);
}

/** A slice's outline as a path, its tip at the origin, the crust to the right; `from`: only what is farther out. */
export function wedge(length, from = 0) {
  const [c, s] = [Math.cos((HALF_DEG * Math.PI) / 180), Math.sin((HALF_DEG * Math.PI) / 180)];
  const p = (r, sign) => `${(r * c).toFixed(2)} ${(sign * r * s).toFixed(2)}`;
  if (from === 0) return `M0 0L${p(length, -1)}A${length} ${length} 0 0 1 ${p(length, 1)}Z`;
  return `M${p(from, -1)}L${p(length, -1)}A${length} ${length} 0 0 1 ${p(length, 1)}L${p(from, 1)}A${from} ${from} 0 0 0 ${p(from, -1)}Z`;
}

function halfWedge(length, sign) {
  const [c, s] = [Math.cos((HALF_DEG * Math.PI) / 180), Math.sin((HALF_DEG * Math.PI) / 180)];
  return `M0 0L${length} 0A${length} ${length} 0 0 ${sign > 0 ? 1 : 0} ${length * c} ${sign * length * s}Z`;
}

// A wide dark edge below the slice: a blurred one would be drawn anew in every frame of a movement.
function shadow(length) {
  return svg("path", { class: "pie-shadow", d: wedge(length) });
}

function cardShape() {
  const [width, height] = CARD_MM;
  return svg("rect", { x: -height / 2, y: -width / 2, width: height, height: width, rx: 4 });
}

export function wrapped(text, width) {
  const lines = [];
  for (const word of text.split(/[\s-]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function ordinal(n) {
  return `${n}${["st", "nd", "rd"][n - 1] ?? "th"}`;
}

function placePiece(element, { piece, angle, ghost }) {
  element.classList.toggle("ghost", ghost);
  element.style.transform = poseTransform(piece.x_mm, piece.y_mm, angle);
}

function placeLabel(element, item) {
  placePiece(element, item);
  const up = element.firstElementChild;
  // Players fan their slices: the numbers must not hide each other.
  const crowded = Math.hypot(item.piece.x_mm, item.piece.y_mm) > MIDDLE_REACH_MM;
  up.style.transform = `translate(${(lengthOf(item.piece) * 0.6).toFixed(1)}px, 0px) rotate(${item.angle.toFixed(1)}deg)`;
  up.firstElementChild.classList.toggle("crowded", crowded);
}

function isType(label, types) {
  return types.some((type) => label.split(" ")[0] === String(type.value));
}

function scoreCell(line, type) {
  const points = line?.points ?? 0;
  if (points === 0) return html("td", { class: "pie-zero", text: type ? "" : "0", title: line?.detail });
  return html("td", { class: type ? "pie-circled" : "", title: line.detail }, handwritten(points));
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
  return svg("svg", { class: "pie-hand", viewBox: `-1.5 -1.5 ${strokes.length * 10.5 + 2.5} 19`, role: "img", "aria-label": text }, glyphs);
}
