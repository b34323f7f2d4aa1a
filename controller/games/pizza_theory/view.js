// How Pizza Theory is drawn: the Pizza with its toppings, cutters and slices, on the table and, large, beside it. The art
// is this project's own.

import { badge, bounds, colourOf, html, keyed, nameIn, nameOf, poseTransform, svg, Tracker } from "/static/kit.js";

const BOARD_MM = 190;
const PITCH_MM = 22;
const TOPPING_MM = 18;
const CUTTER_MM = 230;
/** From the Pizza's middle to past the ends of a cutter on an outermost line, as it is drawn. */
const REACH_MM = 118;
const TINTS = ["#7cc7ff", "#ffb454", "#b8f28a", "#ff9ecf", "#c9b6ff", "#6fe0d0", "#ffe27a"];
const PHASES = {
  add: "Add toppings",
  roll: "The unselected colour",
  unselected: "The unselected colour",
  cut: "Cut the Pizza",
  replace: "Replace toppings, turn the Pizza",
  over: "The end",
};
const tracker = new Tracker();

/** Draw the Pizza, toppings and cutters as they lie. */
export function drawTable(layers, view) {
  // A cutter is no topping, though both are of one colour.
  const pieces = view.pieces.map((piece) => ({ ...piece, face: `${piece.kind}/${piece.face}` }));
  const tracked = tracker.follow(pieces, view.hidden);
  const board = tracked.find(({ piece }) => piece.kind === "board");
  const key = (item) => (item.piece.kind === "board" ? `${item.key} ${boardKey(view)}` : item.key);
  keyed(layers.under, board ? [board] : [], key, (item) => createBoard(item, view), placePiece);
  keyed(layers.pieces, tracked.filter(({ piece }) => piece.kind !== "board"), key, createPiece, placePiece);
  keyed(layers.over, board ? [board] : [], (item) => `${key(item)} over`, () => svg("g", { class: "piece appear" }, marks(view)), placePiece);
}

/** A small picture of a topping, a cutter, a space, or the Pizza. */
export function faceArt(face, view) {
  const { space, colour, cutter, number } = partsOf(face, view);
  if (cutter) {
    return framed("-40 -14 80 28", `the ${colour} cutter${number ? ` on line ${number}` : ""}`, svg("g", { transform: "scale(.33)" }, cutterArt(colour)),
      number && svg("g", {}, svg("circle", { class: "pth-number", r: 9 }), svg("text", { class: "pth-number-text", dy: "0.36em", text: number })));
  }
  if (space) {
    const [right, away] = view.position.board.spaces[space];
    return framed(boxOf(view), `space ${space}`, uprightPizza(view, space, colour),
      svg("circle", { class: "pth-pointed", cx: right * PITCH_MM, cy: -away * PITCH_MM, r: TOPPING_MM }));
  }
  if (face === "board") return framed(boxOf(view), "the Pizza", uprightPizza(view));
  return framed("-11 -11 22 22", `${colour} topping`, toppingArt(colour));
}

/** Who has how many toppings on the Pizza, and the Pizza as it is known to lie. */
export function renderPlayers(parent, view) {
  const { players, unselected } = view.position;
  const rows = [...players, ...(unselected ? [unselected] : [])].map((one) => playerRow(one, view));
  parent.replaceChildren(...rows, html("article", { class: "pth-large" }, largePizza(view)));
}

/** What the cuts make of the Pizza: slice by slice, and the safety rule. */
export function renderBoard(parent, view) {
  const { slices, safety, phase, round } = view.position;
  const head = html("header", { class: "pth-phase" }, html("b", { text: `Round ${round}` }), html("span", { text: PHASES[phase] }));
  const cards = slices.map((slice, i) => sliceCard(slice, i, view));
  const told = safety && Object.entries(safety).map(([colour, { safe, why }]) => html("li", { class: safe ? "safe" : "" },
    topIcon(colour), html("b", { text: safe ? "safe" : "not safe" }), html("span", { text: why })));
  parent.replaceChildren(html(
    "section",
    { class: "pth-board" },
    head,
    cards.length ? html("ol", { class: "pth-slices" }, cards) : html("p", { class: "pth-hint", text: hint(view) }),
    told && html("ul", { class: "pth-safety", "aria-label": "Safety rule" }, told),
  ));
}

/** Who has won. */
export function renderFinal(parent, view) {
  const { players, unselected, winners, all_lose: lost } = view.position;
  const names = winners.map((player) => nameIn(view, player));
  const won = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)} share the Pizza` : `${names[0]} takes the Pizza`;
  const ranked = [...players, ...(unselected ? [unselected] : [])].sort((a, b) => b.would_have - a.would_have);
  parent.replaceChildren(html(
    "div",
    { class: "pth-final" },
    html("div", { class: "pth-large" }, largePizza(view)),
    html("div", {}, html("h1", { text: lost ? "Both lose: the unselected colour has all its toppings on the Pizza" : won }),
      html("ol", {}, ranked.map((one) => playerRow(one, view, winners.includes(one.player))))),
  ));
}

// The table ------------------------------------------------------------------------------------------------------------

function boardKey(view) {
  const { position } = view;
  if (position === null) return "?";
  return JSON.stringify([position.phase, position.round, position.slices.map((s) => s.spaces), position.players.map((p) => [p.toppings, p.legal_spaces])]);
}

function createBoard({ piece }, view) {
  const box = bounds(piece.outline_mm);
  return svg("g", { class: "piece" }, svg("g", { transform: `scale(${(box.right - box.left) / BOARD_MM})` }, turnedUp(boardArt(view))));
}

function marks(view) {
  return turnedUp(view.position === null ? [] : [...legalMarks(view), ...changeMarks(view), ...sliceNames(view)]);
}

/** The 1st is at the foot of what is drawn, and to the right of a piece. */
function turnedUp(art) {
  return svg("g", { transform: "rotate(-90)" }, art);
}

function createPiece({ piece }) {
  const colour = piece.face.split("/").at(-1);
  return svg("g", { class: "piece appear" }, piece.kind === "cutter" ? cutterArt(colour) : toppingArt(colour));
}

function placePiece(element, { piece, angle, ghost }) {
  element.style.transform = poseTransform(piece.x_mm, piece.y_mm, angle);
  element.classList.toggle("ghost", ghost);
}

// The Pizza, its 1st below, millimetres --------------------------------------------------------------------------------

function boardArt(view) {
  const { position } = view;
  const rim = [
    svg("circle", { class: "pth-crust", r: BOARD_MM / 2 }),
    svg("circle", { class: "pth-rind", r: BOARD_MM / 2 - 2 }),
    svg("circle", { class: "pth-cheese", r: 79.5 }),
  ];
  if (position === null) return rim;
  const { board, slices } = position;
  const tinted = slices.flatMap((slice, i) => slice.spaces.map((space) => svg("polygon", {
    class: "pth-cell", fill: TINTS[i % TINTS.length], points: cell(at(board, space)),
  })));
  const lines = Object.values(board.places).flatMap(({ lines: all }) => Object.values(all).map((ends) => lineArt(ends)));
  const spaces = Object.keys(board.spaces).map((space) => {
    const [x, y] = at(board, space);
    return svg("circle", { class: "pth-space", cx: x, cy: y, r: 8 });
  });
  return [...rim, ...tinted, ...lines, ...spaces, ...Object.entries(board.places).flatMap(([name, place]) => placeArt(name, place))];
}

function at(board, space) {
  const [right, away] = board.spaces[space];
  return [right * PITCH_MM, -away * PITCH_MM];
}

function cell([x, y]) {
  return [0, 1, 2, 3, 4, 5].map((k) => {
    const turn = (k * Math.PI) / 3;
    const r = (PITCH_MM / Math.sqrt(3)) * 1.01;
    return `${(x + r * Math.cos(turn)).toFixed(2)},${(y + r * Math.sin(turn)).toFixed(2)}`;
  }).join(" ");
}

function lineArt([[x1, y1], [x2, y2]]) {
  return svg("line", { class: "pth-line", x1: x1 * PITCH_MM, y1: -y1 * PITCH_MM, x2: x2 * PITCH_MM, y2: -y2 * PITCH_MM });
}

function placeArt(name, { corner, lines }) {
  const far = Math.hypot(...corner);
  const [x, y] = [(corner[0] / far) * 91, (-corner[1] / far) * 91];
  const turn = (Math.atan2(y, x) * 180) / Math.PI - 90;
  const numbers = Object.entries(lines).map(([number, [[x1, y1], [x2, y2]]]) => {
    const long = Math.hypot(x1 - x2, y1 - y2);
    const [ahead, beside] = [(x1 - x2) / long, (y1 - y2) / long];
    const along = x1 * PITCH_MM * ahead + y1 * PITCH_MM * beside;
    const off = Math.hypot(x1 * PITCH_MM, y1 * PITCH_MM) ** 2 - along ** 2;
    const go = Math.sqrt(Math.max(0, 82 ** 2 - off)) - along;
    const [px, py] = [x1 * PITCH_MM + ahead * go, -(y1 * PITCH_MM + beside * go)];
    return svg("g", { transform: `translate(${px.toFixed(1)} ${py.toFixed(1)}) rotate(${turn.toFixed(0)})` },
      svg("circle", { class: "pth-number", r: 4.6 }), svg("text", { class: "pth-number-text small", dy: "0.36em", text: number }));
  });
  return [...numbers, svg("text", { class: "pth-place", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn.toFixed(0)})`, dy: "0.2em", text: name })];
}

function toppingArt(colour) {
  return svg("g", { class: `pth-topping ${colour}` }, svg("circle", { r: TOPPING_MM / 2 }), svg("circle", { class: "ring", r: TOPPING_MM / 2 - 2 }), emblem(colour));
}

/** Told apart without the colour, too. */
function emblem(colour) {
  if (colour === "red") return svg("circle", { class: "emblem", r: 3.2 });
  if (colour === "green") return svg("path", { class: "emblem", d: "M0 -4.6C4 -1.5 4 2.5 0 4.6C-4 2.5 -4 -1.5 0 -4.6Z" });
  return svg("path", { class: "emblem", d: "M-4.4 0A4.4 4.2 0 0 1 4.4 0H1.6V4H-1.6V0Z" });
}

/** A cutter, its point to the right. */
function cutterArt(colour) {
  const half = CUTTER_MM / 2;
  return svg("g", { class: `pth-cutter ${colour}` },
    svg("rect", { class: "wood", x: -half, y: -2.5, width: CUTTER_MM - 30, height: 5, rx: 2.5 }),
    svg("path", { class: "point", d: `M${half - 32} -3.2H${half - 8}L${half} 0L${half - 8} 3.2H${half - 32}Z` }));
}

function legalMarks(view) {
  const { players, unselected, players_to_act: acting, phase } = view.position;
  const one = phase === "unselected" ? unselected : players.find(({ player }) => player === acting[0]);
  if (!one || !["add", "unselected"].includes(phase)) return [];
  return one.legal_spaces.map((space) => {
    const [cx, cy] = at(view.position.board, space);
    return svg("circle", { class: `pth-legal ${one.colour}`, cx, cy, r: 6 });
  });
}

function changeMarks(view) {
  return view.position.slices.flatMap(({ changes }) => changes ?? []).map(({ space, to }) => {
    const [cx, cy] = at(view.position.board, space);
    return svg("circle", { class: `pth-change ${to ?? "none"}`, cx, cy, r: TOPPING_MM / 2 + 1.5 });
  });
}

function sliceNames(view) {
  return view.position.slices.map(({ name, spaces }, i) => {
    const places = spaces.map((space) => at(view.position.board, space));
    const [mx, my] = [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length);
    // Beside a space and not on it: between those nearest to the slice's middle.
    const [x, y] = places.reduce((best, place) => (Math.hypot(place[0] - mx, place[1] - my) < Math.hypot(best[0] - mx, best[1] - my) ? place : best));
    return svg("g", { transform: `translate(${x.toFixed(1)} ${(y - PITCH_MM / Math.sqrt(3)).toFixed(1)})` },
      svg("circle", { class: "pth-slice-mark", r: 5.4, fill: TINTS[i % TINTS.length] }), svg("text", { class: "pth-slice-name", dy: "0.36em", text: name }));
  });
}

/** All that is known to lie on the Pizza, its 1st below. */
function uprightPizza(view, only = null, shown = null) {
  const { board, players, unselected, cutters } = view.position;
  const toppings = [...players, ...(unselected ? [unselected] : [])].flatMap(({ colour, toppings: all }) => all.map((space) => [space, colour]));
  if (only && shown) toppings.push([only, shown]);
  return [
    ...boardArt(view),
    ...toppings.map(([space, colour]) => svg("g", { transform: `translate(${at(board, space).map((v) => v.toFixed(1)).join(" ")})` }, toppingArt(colour))),
    ...cutters.map(({ colour, ends: [[x1, y1], [x2, y2]] }) => svg("g", {
      transform: `translate(${((x1 + x2) / 2) * PITCH_MM} ${(-(y1 + y2) / 2) * PITCH_MM}) rotate(${(Math.atan2(-(y1 - y2), x1 - x2) * 180) / Math.PI}) scale(.9)`,
    }, cutterArt(colour))),
  ];
}

// Beside the table -----------------------------------------------------------------------------------------------------

/** The Pizza in full, turned as it lies on the table, with the names of its spaces. */
function largePizza(view) {
  const lies = view.pieces.find(({ kind }) => kind === "board");
  const turn = lies ? -lies.angle_deg - 90 : view.position.turned_deg;
  const { players, unselected } = view.position;
  const taken = new Set([...players, ...(unselected ? [unselected] : [])].flatMap(({ toppings }) => toppings));
  const names = Object.keys(view.position.board.spaces).filter((space) => !taken.has(space)).map((space) => {
    const [x, y] = at(view.position.board, space);
    return svg("text", { class: "pth-name", x, y, dy: "0.36em", transform: `rotate(${(-turn).toFixed(1)} ${x} ${y})`, text: space });
  });
  return svg("svg", { class: "pth-pizza", viewBox: `${-REACH_MM} ${-REACH_MM} ${2 * REACH_MM} ${2 * REACH_MM}`, role: "img", "aria-label": toldPizza(view) },
    svg("g", { transform: `rotate(${turn.toFixed(1)})` }, uprightPizza(view), legalMarks(view), changeMarks(view), names, sliceNames(view).map((mark) => upright(mark, turn))));
}

/** What lies where on the Pizza, and where the cutters cut it, in words. */
function toldPizza({ position: { players, unselected, slices } }) {
  const colours = [...players, ...(unselected ? [unselected] : [])].filter(({ toppings }) => toppings.length);
  return ["The Pizza",
    ...colours.map(({ colour, toppings }) => `${colour} on ${toppings.join(", ")}`),
    ...slices.map(({ name, spaces }) => `slice ${name}: ${spaces.join(", ")}`),
    ...slices.flatMap(({ changes }) => changes ?? []).map(({ space, to }) => `${space} becomes ${to ?? "empty"}`)].join("; ");
}

function upright(mark, turn) {
  mark.setAttribute("transform", `${mark.getAttribute("transform")} rotate(${(-turn).toFixed(1)})`);
  return mark;
}

function playerRow(one, view, won = false) {
  const { first_player: first, players_to_act: acting, players, phase } = view.position;
  const name = one.player ? nameOf(view, one.player) : "nobody’s colour";
  const each = players[0].on_pizza + players[0].supply;
  const tags = [
    one.player === first && phase !== "over" && "first",
    one.cut !== null && phase !== "over" && `line ${one.cut}`,
    one.cut === null && one.has_chosen && "has chosen",
    won && "winner",
  ].filter(Boolean);
  return html(
    "article",
    { class: `pth-player${acting.includes(one.player) ? " acting" : ""}${won ? " won" : ""}`, vars: { seat: one.player ? colourOf(view, one.player) : "#8d8379" } },
    one.player ? badge(view, one.player) : topIcon(one.colour),
    html("h2", { dir: "auto", text: name }),
    html("span", { class: "pth-tags" }, tags.map((text) => html("span", { class: "pth-tag", text }))),
    topIcon(one.colour),
    html("span", { class: "pth-count" }, html("b", { text: String(one.on_pizza) }), html("small", { text: ` of ${each}` })),
  );
}

function sliceCard({ name, counts, result }, i, view) {
  const colours = [...view.position.players, view.position.unselected].filter(Boolean).map(({ colour }) => colour);
  return html("li", { class: "pth-slice", vars: { tint: TINTS[i % TINTS.length] } },
    html("b", { text: name }),
    html("span", { class: "pth-counts" }, colours.filter((colour) => counts[colour]).map((colour) => html("span", {}, topIcon(colour), String(counts[colour])))),
    result && html("p", { text: result }));
}

function hint(view) {
  const { phase, players_to_act: acting, players, unselected } = view.position;
  if (phase === "add") {
    const one = players.find(({ player }) => player === acting[0]);
    const name = nameIn(view, one.player);
    const free = one.legal_spaces.length;
    if (free) return `${name}: ${free > 1 ? `any of the ${free} lit spaces` : "the lit space"}${view.buttons ? ", then the button" : ""}`;
    return `${name}: no space is free of own neighbours${view.buttons ? "; press the button" : ""}`;
  }
  if (phase === "roll") return `Roll the ${unselected.colour} die, lay the ${unselected.colour} cutter on that line of its side`;
  if (phase === "cut") return `Choose on your die under your hand, reveal together, lay your cutters${view.buttons ? "; then the first player presses" : ""}`;
  return "";
}

function topIcon(colour) {
  return svg("svg", { class: "pth-icon", viewBox: "-10 -10 20 20", role: "img", "aria-label": colour }, toppingArt(colour));
}

function framed(viewBox, label, ...art) {
  return svg("svg", { class: "face", viewBox, role: "img", "aria-label": label }, ...art);
}

/** What of the Pizza is looked at: all of it, with the cutters on it. */
function boxOf({ position: { cutters } }) {
  const half = cutters.length ? REACH_MM : BOARD_MM / 2 + 4;
  return `${-half} ${-half} ${2 * half} ${2 * half}`;
}

/** What a face names: a colour, "cutter/red", "cutter/red/4", "d4", "d4/red" or "board". */
function partsOf(face, view) {
  const [first, second, third] = face.split("/");
  if (first === "cutter") return { cutter: true, colour: second, number: third };
  const spaces = view.position?.board.spaces ?? {};
  return first in spaces ? { space: first, colour: second } : { colour: second ?? first };
}
