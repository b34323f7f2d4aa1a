// The table from above, as it lies: places of the seats, the mat, what is hidden, what is wrong. The pieces in between
// are drawn by the game.

import { bounds, colour, html, isolated, keyed, middle, points, say, svg } from "/static/kit.js";

const MARGIN_MM = 22;
const MIDDLE_REACH_MM = 150;
const MIDDLE_MM = [[-205, -205], [205, 205]];

const CALLED = "The table from above";
const LETTERS = "Segmenter" in Intl ? new Intl.Segmenter() : null; // Firefox has it since 125

/** Build the drawing once; `show(view, told)` brings it up to date, `told`: what lies there, for whoever hears the page. */
export function createStage(parent) {
  const layers = Object.fromEntries(
    ["seats", "mat", "under", "pieces", "over", "names", "hidden", "breach"].map((name) => [name, svg("g", { class: name })]),
  );
  layers.mat.append(
    svg("rect", { class: "mat-edge", x: -200, y: -200, width: 400, height: 400, rx: 14 }),
    svg("circle", { class: "board-shade", r: 178, cy: 5 }),
    svg("circle", { class: "board-wood", r: 176 }),
    ...[150, 118, 84, 48].map((r) => svg("circle", { class: "board-grain", r })),
  );
  const drawing = svg(
    "svg",
    { role: "img", "aria-label": CALLED, preserveAspectRatio: "xMidYMid meet" },
    definitions(),
    Object.values(layers),
  );
  const reach = html("button", { class: "reach", type: "button" });
  parent.replaceChildren(drawing, reach);
  const tell = (told) => drawing.setAttribute("aria-label", told ? `${CALLED}. ${told}` : CALLED);
  let newest = null;
  let whole = false;
  const look = () => showReach(drawing, reach, newest, whole);
  reach.addEventListener("click", () => { whole = !whole; look(); });
  return { layers, show: (view, told = "") => { newest = view; look(); show(layers, view); tell(told); } };
}

/** How much of the table is in the picture, and the button that changes it; `whole`: all of it was asked for. */
function showReach(drawing, reach, view, whole) {
  const near = mayBeClose(view);
  const close = near && !whole;
  drawing.parentElement.classList.toggle("close", close);
  frame(drawing, bounds(close ? MIDDLE_MM : [...view.seats.flatMap((seat) => seat.area_mm), ...MIDDLE_MM]));
  reach.hidden = !near;
  say(reach, close ? "Whole table" : "Middle");
}

function show(layers, view) {
  const acting = new Set(view.turn.players.slice(0, 1));
  const key = (seat) => String(seat.seat);
  const knives = new Set(view.board?.knives);
  keyed(layers.seats, view.seats, key, createArea, (element, seat) => updateArea(element, seat, acting, knives));
  const named = view.seats.filter((seat) => seat.player !== null || view.position === null);
  keyed(layers.names, named, key, createName, (element, seat) => updateName(element, seat, acting));
  keyed(layers.hidden, view.hidden.map((outline, i) => ({ outline, i, by: view.hidden_by[i] })), (h) => String(h.i), createHidden, updateHidden);
  const wrong = (view.breach?.pieces ?? []).map((piece, i) => ({ piece, i }));
  keyed(layers.breach, wrong, (w) => String(w.i), createBreach, updateBreach);
}

/** On a phone the middle is shown close, while something lies there, nothing is asked about the rest, and the game is not
 * played on sheets about it; unless whoever looks wants it whole. */
function mayBeClose(view) {
  const narrow = matchMedia("(max-width: 960px)").matches;
  const served = view.pieces.some((piece) => Math.hypot(piece.x_mm, piece.y_mm) < MIDDLE_REACH_MM);
  const sheets = view.pieces.some((piece) => piece.kind === "sheet");
  return narrow && served && !sheets && view.breach === null && view.question === null;
}

function frame(drawing, box) {
  const [left, top] = [box.left - MARGIN_MM, -box.top - MARGIN_MM];
  const [width, height] = [box.right - box.left + 2 * MARGIN_MM, box.top - box.bottom + 2 * MARGIN_MM];
  drawing.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
}

function definitions() {
  const hatch = svg(
    "pattern",
    { id: "hatch", width: 14, height: 14, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 14, height: 14, class: "hatch-ground" }),
    svg("rect", { width: 6, height: 14, class: "hatch-line" }),
  );
  const wood = svg(
    "radialGradient",
    { id: "wood" },
    svg("stop", { offset: "0", "stop-color": "#8a5c34" }),
    svg("stop", { offset: "0.85", "stop-color": "#74492a" }),
    svg("stop", { offset: "1", "stop-color": "#5a351d" }),
  );
  return svg("defs", {}, hatch, wood);
}

function createArea() {
  return svg("g", { class: "area" }, svg("polygon"), svg("circle", { class: "lamp", r: 7 }), knife());
}

function knife() {
  return svg(
    "g",
    { class: "knife none" },
    svg("title", { text: "The knife is in this seat's dock" }),
    svg("path", { class: "blade", d: "M-4 -6.5 H30 Q41 -3 41 3 Q20 6 -4 6 Z" }),
    svg("rect", { class: "handle", x: -34, y: -5, width: 30, height: 10, rx: 4.5 }),
  );
}

function updateArea(element, seat, acting, knives) {
  const [outline, lamp, docked] = element.children;
  element.style.setProperty("--seat", colour(seat.colour));
  element.classList.toggle("empty", seat.player === null);
  element.classList.toggle("acting", acting.has(seat.player));
  outline.setAttribute("points", points(seat.area_mm));
  const box = bounds(seat.area_mm);
  const [x, y] = middle(seat.area_mm);
  // The lamp is drawn at the edge of the table, where the button is, beside the plate with the name.
  const besides = isBesides(seat);
  lamp.setAttribute("cx", besides ? (x > 0 ? box.right : box.left) : x);
  lamp.setAttribute("cy", besides ? -(y > 0 ? box.bottom + 14 : box.top - 14) : -(y > 0 ? box.top : box.bottom));
  lamp.setAttribute("class", `lamp ${seat.player === null && seat.lamp === "off" ? "none" : seat.lamp}`);
  // The knife's dock: on the table's edge too, where neither lamp nor plate is.
  const edge = Number(lamp.getAttribute(besides ? "cx" : "cy"));
  const place = besides ? `translate(${edge} ${-(y > 0 ? box.top - 22 : box.bottom + 22)}) rotate(90) scale(.72)` : `translate(${x - 62} ${edge})`;
  docked.setAttribute("transform", place);
  docked.setAttribute("class", `knife ${knives.has(seat.seat) ? "" : "none"}`);
}

function createName() {
  return svg("g", { class: "name" }, svg("rect", { rx: 12 }), svg("text", { "dominant-baseline": "central" }));
}

function updateName(element, seat, acting) {
  const [plate, text] = element.children;
  element.style.setProperty("--seat", colour(seat.colour));
  element.classList.toggle("acting", acting.has(seat.player));
  const box = bounds(seat.area_mm);
  const [x, y] = middle(seat.area_mm);
  const besides = isBesides(seat);
  const name = `${seat.player ?? seat.seat}  ${isolated(shortened(seat.name, besides ? 12 : 16))}`;
  say(text, name);
  const width = Math.max(44, text.getComputedTextLength() + 24);
  // The plate lies on the table's edge, along it, where no piece does.
  const [startX, startY] = besides
    ? [x > 0 ? box.right : box.left, -y + (x > 0 ? -1 : 1) * (width / 2)]
    : [box.left + 10, y > 0 ? -box.top : -box.bottom];
  const turn = besides ? (x > 0 ? 90 : -90) : 0;
  element.setAttribute("transform", `translate(${startX.toFixed(1)} ${startY.toFixed(1)}) rotate(${turn})`);
  for (const [attribute, value] of Object.entries({ y: -14, width, height: 28 })) plate.setAttribute(attribute, value);
  text.setAttribute("x", 12);
}

/** Whether a seat is at the left or right side of the table. */
function isBesides(seat) {
  const [x, y] = middle(seat.area_mm);
  return Math.abs(x) > Math.abs(y);
}

/** A text of so many letters at most, none of them cut in two, as those that are made of several characters. */
function shortened(text, length) {
  const letters = LETTERS === null ? [...text] : [...LETTERS.segment(text)].map(({ segment }) => segment);
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}

function createHidden() {
  return svg("g", {}, svg("polygon", { class: "cover", fill: "url(#hatch)" }), svg("text", { class: "cover-name" }));
}

/** What hides a place is named where people do not see it: hands they do. */
function updateHidden(element, { outline, by }) {
  const [polygon, name] = element.children;
  polygon.setAttribute("points", points(outline));
  const [x, y] = middle(outline);
  name.setAttribute("x", x);
  name.setAttribute("y", -y);
  name.textContent = { glare: "glare", dark: "too dark", stripes: "thin shadows", "out-of-picture": "beyond the picture" }[by] ?? "";
}

function createBreach() {
  return svg(
    "g",
    { class: "wrong" },
    svg("polygon", { class: "wrong-glow" }),
    svg("polygon", { class: "wrong-outline" }),
    svg("g", { class: "wrong-place" }, svg("path", { class: "wrong-arrow", d: "M0 0 26 -17 V-8 H74 V8 H26 V17 Z" })),
  );
}

function updateBreach(element, { piece }) {
  const [glow, outline, place] = element.children;
  for (const shape of [glow, outline]) shape.setAttribute("points", points(piece.outline_mm));
  const [x, y] = middle(piece.outline_mm);
  const box = bounds(piece.outline_mm);
  // The arrow comes from the table's middle for what lies outside, from outside for what lies in the middle.
  const towards = Math.hypot(x, y) > 150 ? Math.atan2(y, -x) : Math.atan2(-y, x);
  const reach = Math.min((box.right - box.left) / 2 / Math.max(0.2, Math.abs(Math.cos(towards))),
    (box.top - box.bottom) / 2 / Math.max(0.2, Math.abs(Math.sin(towards)))) + 6;
  const [ax, ay] = [x + Math.cos(towards) * reach, -y + Math.sin(towards) * reach];
  place.setAttribute("transform", `translate(${ax.toFixed(1)} ${ay.toFixed(1)}) rotate(${(towards * 180) / Math.PI})`);
}

/** The breach, or what the camera does not see, in words, with pictures of the pieces it is about. */
export function breachCard(breach, text, faceArt) {
  return html(
    "div",
    { class: `card breach-card${breach.certain ? "" : " unseen"}` },
    html(
      "div",
      {},
      html("p", { class: "card-kicker", text: `${breach.certain ? "Against the rules" : "Not seen"} · ${breach.rule}` }),
      html("p", { class: "card-title", text: text(breach.problem) }),
      html("p", { class: "card-remedy", text: text(breach.remedy) }),
    ),
    html("div", { class: "breach-faces" }, breach.faces.slice(0, 5).map(faceArt)),
  );
}
