// How Dice and Slice is drawn: everybody's sheet with its dots, lines and slices, the dice, the topping bonuses. The art
// is this project's own.

import { badge, bounds, colourOf, html, keyed, nameIn, nameOf, nameplate, poseTransform, svg, Tracker } from "/static/kit.js";

const PITCH = 9;
const MARGIN = 8;
const SIGNS = { chili: "chili", mushroom: "mushroom", olive: "olive", salami: "salami" };
const TINTS = ["#ffd76b", "#9fdc8f", "#8ccbff", "#ffab8a", "#d8b4ff", "#7fe3d4", "#ffb3d1"];
const PHASES = { roll: "Throw the dice", pick: "Take a die", mark: "Mark the dots", over: "The end" };
const tracker = new Tracker();

/** Draw sheets and dice as they lie. */
export function drawTable(layers, view) {
  const tracked = tracker.follow(view.pieces, view.hidden);
  const sheets = tracked.filter(({ piece }) => piece.kind === "sheet");
  const key = (item) => `${item.key} ${sheetKey(item, view)}`;
  keyed(layers.under, sheets, key, (item) => createSheet(item, view), placePiece);
  keyed(layers.pieces, tracked.filter(({ piece }) => piece.kind !== "sheet"), (item) => item.key, (item) => createDie(item, view), placePiece);
  keyed(layers.over, [], (item) => item.key, () => svg("g"), () => {});
}

/** A small picture of a die, a sheet, or a place on one, such as sheet/2/c7 or sheet/2/mushroom-b2. */
export function faceArt(face, view) {
  const [kind, player, place] = face.split("/");
  const faces = view.position?.sheet.faces ?? {};
  if (kind in faces) return framed("-11 -11 22 22", `die ${kind}`, dieArt(kind, faces[kind]));
  const one = kind === "sheet" && view.position?.players.find((each) => each.player === Number(player));
  if (!one) return framed("-11 -11 22 22", face, dieArt("", []));
  return framed(boxOf(view), `player ${player}'s sheet${place ? `, ${place}` : ""}`, pizzaArt(one, view), rim(view), place && pointed(place, view));
}

/** Everybody's sheet, larger than on the table. */
export function renderPlayers(parent, view) {
  const { players } = view.position;
  parent.replaceChildren(html("div", { class: `das-sheets of-${players.length}` }, players.map((one) => playerCard(one, view))));
}

/** The dice and who uses which, the bonuses, the points. */
export function renderBoard(parent, view) {
  const { phase, turn, bonuses, sheet } = view.position;
  parent.replaceChildren(html(
    "section",
    { class: "das-board" },
    html("header", { class: "das-phase" }, html("b", { text: `Turn ${turn}` }), html("span", { text: PHASES[phase] })),
    html("div", { class: "das-row" },
      html("div", { class: "das-dice" }, diceCards(view)),
      html("ul", { class: "das-bonuses", "aria-label": "Topping bonuses" }, bonuses.map((one) => bonusCard(one, view)))),
    html("p", { class: "das-points" }, html("span", { text: "Squares of a slice → points:" }), Object.entries(sheet.points).map(([size, points]) => html("span", {}, html("b", { text: size }), ` → ${points}`))),
  ));
}

/** Who has won. */
export function renderFinal(parent, view) {
  const { winners, score } = view.position;
  const names = winners.map((player) => nameIn(view, player));
  const won = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)} share the win` : `${names[0]} wins`;
  const ranked = [...score].sort((a, b) => b.total - a.total);
  parent.replaceChildren(html(
    "div",
    { class: "das-final" },
    html("h1", { text: won }),
    html("div", { class: "das-results" }, ranked.map((one) => resultCard(one, view, winners.includes(one.player)))),
  ));
}

// The table ------------------------------------------------------------------------------------------------------------

function sheetKey({ piece }, view) {
  const one = playerOf(piece, view);
  return JSON.stringify(one && [one.player, one.dots, one.crossed, one.bonuses, one.slices.length, one.extra_dots_for]);
}

function playerOf(piece, view) {
  const [kind, player] = (piece.place || piece.face).split("/");
  return kind === "sheet" && view.position ? view.position.players.find((one) => one.player === Number(player)) : undefined;
}

function createSheet({ piece }, view) {
  const box = bounds(piece.outline_mm);
  const one = playerOf(piece, view);
  // The top of the writing lies to the right of a piece.
  return svg("g", { class: "piece" }, svg("g", { transform: "rotate(90)" },
    svg("rect", { class: "das-paper", x: -105, y: -74, width: 210, height: 148, rx: 2 }),
    one && box.right > box.left && svg("g", { transform: "translate(-94 -22)" }, pizzaArt(one, view)),
    one && svg("g", { transform: "translate(64 0)" },
      svg("circle", { class: "das-owner", r: 25, vars: { seat: colourOf(view, one.player) } }),
      svg("text", { class: "das-total-on-sheet", dy: "0.36em", text: String(one.total_so_far) })),
    one && bonusMarks(one, view)));
}

function createDie({ piece }, view) {
  const faces = view.position?.sheet.faces ?? {};
  return svg("g", { class: "piece appear" }, dieArt(piece.face, faces[piece.face] ?? piece.face.split("/")));
}

function placePiece(element, { piece, angle, ghost }) {
  element.style.transform = poseTransform(piece.x_mm, piece.y_mm, angle);
  element.classList.toggle("ghost", ghost);
}

// A sheet, its upper left dot at the origin ----------------------------------------------------------------------------

function boxOf(view) {
  const { columns, rows } = view.position.sheet;
  return `${-MARGIN} ${-MARGIN} ${columns * PITCH + 2 * MARGIN} ${rows * PITCH + 2 * MARGIN}`;
}

/** Where a dot is, by its name. */
function at(name, view) {
  const column = name.charCodeAt(0) - 97;
  return [column * PITCH, (view.position.sheet.rows - Number(name.slice(1)) + 1) * PITCH];
}

function pizzaArt(one, view) {
  const { columns, rows, toppings } = view.position.sheet;
  const dots = new Set(one.dots);
  const all = Array.from({ length: columns + 1 }, (_, c) => Array.from({ length: rows + 1 }, (__, r) => `${String.fromCharCode(97 + c)}${r + 1}`)).flat();
  return [
    svg("rect", { class: "das-cheese", x: -2.2, y: -2.2, width: columns * PITCH + 4.4, height: rows * PITCH + 4.4, rx: 3 }),
    one.slices.map((slice, i) => sliceArt(slice, i, view)),
    toppings.map((topping) => toppingAt(topping, one, view)),
    all.filter((name) => !dots.has(name)).map((name) => { const [cx, cy] = at(name, view); return svg("circle", { class: "das-free", cx, cy, r: 0.8 }); }),
    one.lines.map((line) => { const [[x1, y1], [x2, y2]] = line.split("-").map((name) => at(name, view)); return svg("line", { class: "das-line", x1, y1, x2, y2 }); }),
    one.dots.map((name) => { const [cx, cy] = at(name, view); return svg("circle", { class: "das-dot", cx, cy, r: 1.7 }); }),
    one.slices.map((slice) => slicePoints(slice, view)),
  ].flat(2);
}

/** Which letter and number the dots of each column and row have, beside them: a move is written with these. */
function rim(view) {
  const { columns, rows } = view.position.sheet;
  const across = Array.from({ length: columns + 1 }, (_, c) => [String.fromCharCode(97 + c), c * PITCH, rows * PITCH + 4.8]);
  const up = Array.from({ length: rows + 1 }, (_, r) => [String(r + 1), -5.4, (rows - r) * PITCH]);
  return [...across, ...up].map(([text, x, y]) => svg("text", { class: "das-name", x, y, dy: "0.36em", text }));
}

function sliceArt({ slice, width, height }, i, view) {
  const [x, y] = at(slice.split("-")[1], view);
  return svg("rect", { class: "das-slice", x: x - width * PITCH, y, width: width * PITCH, height: height * PITCH, fill: TINTS[i % TINTS.length] });
}

function slicePoints({ slice, width, height, points }, view) {
  const [x, y] = at(slice.split("-")[1], view);
  return svg("text", { class: "das-slice-points", x: x - (width * PITCH) / 2, y: y + (height * PITCH) / 2, dy: "0.36em", text: String(points) });
}

function toppingAt({ topping, kind, square }, one, view) {
  const [x, y] = at(square, view);
  const [cx, cy] = [x + PITCH / 2, y - PITCH / 2];
  const crossed = one.crossed.includes(topping);
  const brings = one.extra_dots_for.includes(topping);
  return svg("g", { transform: `translate(${cx} ${cy})`, class: crossed ? "das-used" : "" },
    brings && svg("circle", { class: "das-brings", r: 4.6 }), toppingArt(kind),
    crossed && svg("path", { class: "das-cross", d: "M-3.4 -3.4L3.4 3.4M3.4 -3.4L-3.4 3.4" }));
}

function toppingArt(kind) {
  switch (SIGNS[kind]) {
    case "chili":
      return svg("path", { class: "das-topping chili", d: "M-3 -1.6C-1 -2.6 2.6 -1 3 2.4C1 0.9 -1.8 0.6 -3 -1.6Z" });
    case "mushroom":
      return svg("path", { class: "das-topping mushroom", d: "M-3 0A3 2.7 0 0 1 3 0H1V2.6H-1V0Z" });
    case "olive":
      return svg("g", { class: "das-topping olive" }, svg("circle", { r: 2.7 }), svg("circle", { class: "hole", r: 1 }));
    default:
      return svg("g", { class: "das-topping salami" }, svg("circle", { r: 2.9 }), svg("circle", { class: "spot", cx: -0.9, cy: -0.7, r: 0.6 }), svg("circle", { class: "spot", cx: 1, cy: 0.6, r: 0.6 }));
  }
}

function pointed(place, view) {
  const { toppings } = view.position.sheet;
  const topping = toppings.find((each) => each.topping === place);
  const names = topping ? [topping.square] : place.split("-").filter((name) => /^[a-z]\d+$/.test(name));
  const off = topping ? PITCH / 2 : 0;
  return names.map((name) => { const [cx, cy] = at(name, view); return svg("circle", { class: "das-pointed", cx: cx + off, cy: cy - off, r: 5 }); });
}

/** Circles and crosses over the bonuses at the top of a sheet, as far as they are known. */
function bonusMarks(one, view) {
  return view.position.bonuses.map(({ bonus, closed }, i) => {
    const x = -84 + 22 * i;
    const mine = one.bonuses.includes(bonus);
    return svg("g", { transform: `translate(${x} -46)` }, svg("rect", { class: "das-bonus-box", x: -10, y: -10, width: 20, height: 20, rx: 2 }),
      mine && svg("ellipse", { class: "das-ring", rx: 9.5, ry: 9.5 }), !mine && closed && svg("path", { class: "das-cross", d: "M-7 -7L7 7M7 -7L-7 7" }));
  });
}

// Dice -----------------------------------------------------------------------------------------------------------------

function dieArt(name, picture) {
  const dots = picture.flatMap((row, y) => [...row].flatMap((sign, x) => ("o#".includes(sign) ? [[x - 1, y - 1]] : [])));
  const joined = dots.flatMap(([x, y]) => dots.filter(([a, b]) => (a === x + 1 && b === y) || (a === x && b === y + 1)).map(([a, b]) => svg("line", { x1: x * 5, y1: y * 5, x2: a * 5, y2: b * 5 })));
  return svg("g", { class: `das-die ${name.startsWith("B") ? "b" : "a"}` }, svg("rect", { x: -10, y: -10, width: 20, height: 20, rx: 3 }), joined, dots.map(([x, y]) => svg("circle", { cx: x * 5, cy: y * 5, r: 1.7 })));
}

function diceCards(view) {
  const { dice, active, phase, players } = view.position;
  if (!dice.length) {
    return [html("p", { class: "das-hint", text: phase === "over" ? "All slices are counted" : `${nameIn(view, active)} throws both dice onto the mat${view.buttons ? ", takes one, and presses the button" : " and takes one"}` })];
  }
  return dice.map(({ die, face, picture, picked, used_by: users }) => html(
    "article",
    { class: `das-die-card${picked ? " picked" : ""}` },
    framed("-11 -11 22 22", `die ${die}`, dieArt(face, picture)),
    html("div", {}, html("b", { text: face }), html("p", {}, users.length
      ? users.map((player) => html("span", { class: players[player - 1].marked ? "das-done" : "" }, nameplate(view, player)))
      : html("span", { text: "to be picked" }))),
  ));
}

function bonusCard({ toppings, points, scored_by: scored, closed }, view) {
  return html("li", { class: closed || scored.length ? "taken" : "" },
    framed(`${-4 * toppings.length} -4 ${8 * toppings.length} 8`, toppings.join(", "), toppings.map((kind, i) => svg("g", { transform: `translate(${8 * i - 4 * (toppings.length - 1)} 0)` }, toppingArt(kind)))),
    html("b", { text: String(points) }), scored.map((player) => nameplate(view, player)));
}

// Players --------------------------------------------------------------------------------------------------------------

function playerCard(one, view) {
  const { active, waiting_for: waiting, phase, dice } = view.position;
  const uses = phase === "mark" && waiting.includes(one.player) && !one.extra_dots_for.length;
  const mine = uses && dice.find(({ used_by: users }) => users.includes(one.player));
  const acts = waiting.includes(one.player) || (["roll", "pick"].includes(phase) && active === one.player);
  return html(
    "article",
    { class: `das-player${acts ? " acting" : ""}`, vars: { seat: colourOf(view, one.player) } },
    html("header", {}, badge(view, one.player), html("h2", { dir: "auto", text: nameOf(view, one.player) }),
      html("span", { class: "das-task" }, mine && svg("svg", { class: "das-task-die", viewBox: "-11 -11 22 22", "aria-hidden": "true" }, dieArt(mine.face, mine.picture)), task(one, view, mine, waiting)),
      html("b", { class: "das-total", text: String(one.total_so_far) })),
    framed(boxOf(view), toldPizza(one, view), pizzaArt(one, view), rim(view)),
  );
}

/** What is marked on a sheet in words. */
function toldPizza({ player, dots, lines, slices, crossed }, view) {
  const parts = [["dots", dots], ["lines", lines], ["slices", slices.map(({ slice, points }) => `${slice} for ${points}`)], ["toppings used", crossed]];
  const told = parts.filter(([, marks]) => marks.length).map(([name, marks]) => `${name} ${marks.join(", ")}`);
  return `${nameIn(view, player)}’s pizza: ${told.join("; ") || "nothing marked"}`;
}

function task(one, view, mine, waiting) {
  if (view.position.phase === "mark") {
    if (!waiting.includes(one.player)) return "done";
    if (one.extra_dots_for.length) return "extra dots";
    return mine ? mine.face : "";
  }
  if (one.finished) return "finished";
  return one.player === view.position.active ? PHASES[view.position.phase] : `rim ${one.perimeter.sliced} of ${one.perimeter.of}`;
}

function resultCard({ player, total, lines }, view, won) {
  const one = view.position.players.find((each) => each.player === player);
  const told = lines.filter(({ points }) => points);
  return html("article", { class: `das-player${won ? " won" : ""}`, vars: { seat: colourOf(view, player) } },
    html("header", {}, badge(view, player), html("h2", { dir: "auto", text: nameOf(view, player) }), html("b", { class: "das-total", text: String(total) })),
    framed(boxOf(view), toldPizza(one, view), pizzaArt(one, view), rim(view)),
    html("ul", { class: "das-lines" }, told.map(({ label, points, detail }) => html("li", {}, html("span", { text: label }), html("small", { text: label.startsWith("Topping") ? "" : detail }), html("b", { text: String(points) })))));
}

function framed(viewBox, label, ...children) {
  return svg("svg", { class: "das-art", viewBox, role: "img", "aria-label": label }, ...children);
}
