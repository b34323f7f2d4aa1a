// How SLICE is drawn: the cards on the table, the open card large, and everybody's pizza as far as it is found. The art is
// this project's own.

import { badge, colourOf, html, keyed, nameIn, nameOf, poseTransform, svg, Tracker } from "/static/kit.js";

const CARD_MM = [40, 56];
const ORDER_MM = 70;
const PLACES = 8;
const INKS = {
  pepperoni: "#c23b2c", mushroom: "#8a6238", olive: "#5b6e3a", onion: "#8d4a92", pepper: "#3a9a3f", tomato: "#ee5a41", bacon: "#d9796a",
  pineapple: "#e2ad12", basil: "#2f7d3a", "hot-sauce": "#1d1410", combo: "#f2c230",
};
const tracker = new Tracker();
const heights = new Map();

/** Draw the cards as they lie. */
export function drawTable(layers, view) {
  // In an order that lasts, as what changes its place in it appears anew; the Open Pile's top card last.
  const age = ({ key }) => Number(key.slice(1));
  const tracked = [...tracker.follow(view.pieces, view.hidden)].sort((a, b) => over(a) - over(b) || age(a) - age(b));
  const key = (item) => (view.position === null ? `${item.key}?` : item.key);
  keyed(layers.pieces, tracked, key, (item) => createCard(item.piece, view), placeCard);
  keyed(layers.under, view.position === null ? [] : tracked.filter(({ piece }) => piece.kind === "order-card" && piece.face_up), (item) => `${item.key} ${drawerAt(item.piece, view)}`,
    ({ piece }) => svg("g", { class: "piece" }, svg("circle", { class: `slc-plate${drawerAt(piece, view) ? " drawer" : ""}`, r: 118 })), placeCard);
}

/** A small picture of a card: a kind of slice, or an order. */
export function faceArt(face, view) {
  const name = face.split("/").at(-1);
  const order = name.startsWith("order-") || face.startsWith("order/");
  const [width, height] = order ? [ORDER_MM, ORDER_MM] : CARD_MM;
  return svg("svg", { class: "face", viewBox: `${-width / 2 - 2} ${-height / 2 - 2} ${width + 4} ${height + 4}`, role: "img", "aria-label": words(name, view) },
    order ? orderArt(name, view) : sliceArt(name, view));
}

/** Everybody's pizza: what is found, what is wanted, what is blocked. */
export function renderPlayers(parent, view) {
  parent.replaceChildren(...view.position.players.map((one) => playerRow(one, view)));
}

/** The open card, large, who draws, and what to do. */
export function renderBoard(parent, view) {
  const { open, to_grab: toGrab, drawer, pile, phase } = view.position;
  const top = open.at(-1);
  parent.replaceChildren(html(
    "section",
    { class: "slc-board" },
    html("div", { class: `slc-open${toGrab ? " live" : ""}` }, top ? largeCard(top, view) : html("span", { class: "slc-none", text: "no card open" })),
    html("div", { class: "slc-told" },
      html("p", { class: "slc-kind", text: top ? words(top, view) : "The Open Pile is empty" }),
      html("p", { class: "slc-hint", text: hint(view) }),
      html("p", { class: "slc-drawer" }, badge(view, drawer, "large"), html("b", { dir: "auto", text: nameOf(view, drawer) }), html("span", { text: phase === "over" ? "drew last" : "is the Drawer" })),
      top && ["grab", "draw"].includes(phase) && html("p", { class: "slc-note", text: `A second ${words(top, view)} right on this one ${view.buttons ? "needs the Drawer’s button" : "is ruled by the host"}` })),
    html("dl", { class: "slc-piles" }, fact("draw pile", pile), fact("open pile", open.length)),
  ));
}

/** Who has won. */
export function renderFinal(parent, view) {
  const { players, winners, goal } = view.position;
  const names = winners.map((player) => nameIn(view, player));
  const listed = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  const ranked = [...players].sort((a, b) => b.finished.length - a.finished.length || b.found - a.found);
  const done = ranked[0].finished.length === goal;
  parent.replaceChildren(html(
    "div",
    { class: "slc-final" },
    html("h1", { text: done ? `${listed} ${names.length > 1 ? "join" : "joins"} the upper crust: ${goal === 1 ? "a pizza is" : `${goal} pizzas are`} complete` : `${listed} ${names.length > 1 ? "are" : "is"} ahead at the end` }),
    html("ol", {}, ranked.map((one) => html("li", {}, playerRow(one, view, winners.includes(one.player))))),
  ));
}

// The table ------------------------------------------------------------------------------------------------------------

/** How high a card lies; as before while hands move, when nothing is said of it. */
function over({ key, piece }) {
  if (piece.place || !heights.has(key)) {
    const height = piece.place === "open" ? 3 : piece.place.startsWith("open") ? 2 : piece.face.endsWith("/hot-sauce") ? 1 : 0;
    heights.set(key, height);
  }
  return heights.get(key);
}

function drawerAt(piece, view) {
  const { drawer, players, phase } = view.position;
  return phase !== "over" && piece.face === `order/${players[drawer - 1].order}`;
}

function createCard(piece, view) {
  const name = piece.face.split("/").at(-1);
  const order = piece.kind === "order-card";
  const art = piece.face_up ? (order ? orderArt(name, view) : sliceArt(name, view)) : backArt(order);
  return svg("g", { class: "piece appear" }, svg("g", { class: "slc-card", transform: "rotate(90)" }, art));
}

function placeCard(element, { piece, angle, ghost }) {
  element.style.transform = poseTransform(piece.x_mm, piece.y_mm, angle);
  element.classList.toggle("ghost", ghost);
}

// Cards, their top upwards, millimetres --------------------------------------------------------------------------------

function backArt(order) {
  const [width, height] = order ? [ORDER_MM, ORDER_MM] : CARD_MM;
  return [
    svg("rect", { class: "slc-back", x: -width / 2, y: -height / 2, width, height, rx: 3 }),
    svg("rect", { class: "slc-back-line", x: -width / 2 + 3, y: -height / 2 + 3, width: width - 6, height: height - 6, rx: 2 }),
    svg("path", { class: "slc-back-slice", d: "M0 13L-9 -8Q0 -13 9 -8Z" }),
  ];
}

function sliceArt(name, view) {
  const [width, height] = CARD_MM;
  return [
    svg("rect", { class: "slc-edge", x: -width / 2, y: -height / 2, width, height, rx: 3, fill: ink(name) }),
    name !== "hot-sauce" && svg("rect", { class: "slc-face", x: -width / 2 + 3, y: -height / 2 + 3, width: width - 6, height: height - 6, rx: 2 }),
    svg("g", { transform: "translate(0 -5) scale(14)" }, icon(name)),
    svg("text", { class: `slc-name${name === "hot-sauce" ? " light" : ""}`, y: 21, "text-anchor": "middle", "font-size": words(name, view).length > 7 ? 5.4 : 6.6, text: words(name, view).toUpperCase() }),
  ].filter(Boolean);
}

function orderArt(name, view) {
  const wanted = toppingsOf(name, view);
  return [
    svg("rect", { class: "slc-order", x: -ORDER_MM / 2, y: -ORDER_MM / 2, width: ORDER_MM, height: ORDER_MM, rx: 3 }),
    svg("circle", { class: "slc-crust", r: 32 }),
    svg("circle", { class: "slc-cheese", r: 29.6 }),
    ...wanted.map((topping, i) => svg("g", { transform: `rotate(${(360 / PLACES) * i}) translate(0 -20.5) rotate(${(-360 / PLACES) * i}) scale(6.6)` }, icon(topping))),
    svg("path", { class: "slc-first", d: "M-3 -30.5H3L0 -34.5Z" }),
    svg("text", { class: "slc-number", dy: "0.36em", "text-anchor": "middle", text: name.split("-").at(-1) }),
  ];
}

/** The toppings of an order that somebody has; nothing is known of others. */
function toppingsOf(order, view) {
  const one = view.position?.players.find((player) => player.order === order);
  return one ? one.pizza.map(({ topping }) => topping).filter(Boolean) : [];
}

function ink(name) {
  return INKS[name] ?? "#6b7280";
}

function words(name, view) {
  return view.position?.names[name] ?? name.replaceAll("-", " ");
}

/** A topping within a circle of radius 1. */
function icon(name) {
  const draw = ICONS[name];
  if (!draw) return svg("text", { class: "slc-letter", dy: "0.36em", "text-anchor": "middle", "font-size": 1.3, text: name.slice(0, 2) });
  return svg("g", { class: "slc-icon" }, draw());
}

function dot(cx, cy, r, fill) {
  return svg("circle", { cx, cy, r, fill });
}

function path(d, fill, stroke = null, width = 0) {
  return svg("path", { d, fill, stroke, "stroke-width": width || null });
}

const ICONS = {
  pepperoni: () => [dot(0, 0, 0.9, "#c23b2c"), dot(0, 0, 0.74, "#d9533f"), ...[[-0.3, -0.3], [0.35, -0.15], [0, 0.4], [-0.4, 0.2], [0.3, 0.35]].map(([x, y]) => dot(x, y, 0.12, "#8e2418"))],
  mushroom: () => [path("M-0.28 -0.05H0.28L0.36 0.85H-0.36Z", "#e9d8bd"), path("M-0.95 0.1A0.95 0.9 0 0 1 0.95 0.1Q0 0.32 -0.95 0.1Z", "#8a6238"), dot(-0.35, -0.35, 0.14, "#c9a57a"), dot(0.3, -0.42, 0.17, "#c9a57a")],
  olive: () => [dot(0, 0, 0.82, "#46562f"), dot(0, 0, 0.34, "#f2e6b8"), dot(-0.4, -0.4, 0.12, "#8ea262")],
  onion: () => [0.9, 0.62, 0.34].map((r) => svg("circle", { r, fill: "none", stroke: "#8d4a92", "stroke-width": 0.16 })),
  pepper: () => [path("M0 -0.9C0.5 -1 0.95 -0.6 0.85 -0.1C0.95 0.5 0.6 0.95 0 0.85C-0.6 0.95 -0.95 0.5 -0.85 -0.1C-0.95 -0.6 -0.5 -1 0 -0.9Z", "#3a9a3f"), path("M0 -0.55C0.35 -0.65 0.55 -0.35 0.5 0C0.55 0.35 0.3 0.6 0 0.5C-0.3 0.6 -0.55 0.35 -0.5 0C-0.55 -0.35 -0.35 -0.65 0 -0.55Z", "#d9f0c6")],
  tomato: () => [dot(0, 0, 0.9, "#ee5a41"), dot(0, 0, 0.7, "#ff8a6b"), ...[0, 1, 2, 3].map((k) => svg("ellipse", { rx: 0.2, ry: 0.28, cy: -0.38, fill: "#ffd4a8", transform: `rotate(${90 * k})` }))],
  bacon: () => [-0.32, 0.32].map((x) => path(`M${x - 0.3} -0.9C${x} -0.55 ${x - 0.5} -0.1 ${x - 0.2} 0.2S${x - 0.4} 0.7 ${x - 0.2} 0.9H${x + 0.3}C${x} 0.7 ${x + 0.5} 0.4 ${x + 0.2} 0.1S${x + 0.4} -0.6 ${x + 0.2} -0.9Z`, x < 0 ? "#c9564a" : "#e9a08d", "#8f3228", 0.06)),
  pineapple: () => [path("M0 0.95L-0.85 -0.6Q0 -1 0.85 -0.6Z", "#f3c62e", "#a87c08", 0.09), path("M-0.4 -0.72L0.25 0.5M0.4 -0.72L-0.25 0.5M-0.62 -0.2H0.62", "none", "#c0910f", 0.08)],
  basil: () => [path("M0 -0.95C0.8 -0.5 0.8 0.4 0 0.95C-0.8 0.4 -0.8 -0.5 0 -0.95Z", "#2f7d3a"), path("M0 -0.75V0.8", "none", "#a6e08f", 0.09)],
  "hot-sauce": () => [path("M0 -1C0.2 -0.5 0.8 -0.2 0.75 0.35A0.75 0.65 0 0 1 -0.75 0.35C-0.75 0 -0.45 -0.1 -0.4 -0.5C-0.1 -0.35 -0.05 -0.6 0 -1Z", "#f2711c"), path("M0 -0.2C0.1 0.1 0.42 0.2 0.4 0.5A0.4 0.36 0 0 1 -0.4 0.5C-0.4 0.25 -0.1 0.15 0 -0.2Z", "#fde58a")],
  combo: () => [dot(0, 0, 0.95, "#fff6d8"), path("M0 -0.85L0.25 -0.27L0.85 -0.26L0.38 0.12L0.54 0.72L0 0.38L-0.54 0.72L-0.38 0.12L-0.85 -0.26L-0.25 -0.27Z", "#e23a1c", "#7a5200", 0.07)],
};

// Beside the table -----------------------------------------------------------------------------------------------------

function playerRow(one, view, won = false) {
  const { goal, phase } = view.position;
  const needs = Object.entries(one.needs).filter(([, count]) => count > 0);
  return html(
    "article",
    { class: `slc-player${one.drawer && phase !== "over" ? " drawer" : ""}${won ? " won" : ""}`, vars: { seat: colourOf(view, one.player) } },
    pizzaArt(one, view),
    html("div", { class: "slc-who" },
      html("h2", {}, badge(view, one.player, "small"), html("span", { dir: "auto", text: nameOf(view, one.player) })),
      html("p", { class: "slc-needs", role: "group", "aria-label": "still wanted" }, won ? html("b", { text: "winner" }) : needs.map(([topping, count]) => html("span", {}, small(topping, view), count > 1 && `×${count}`)))),
    html("div", { class: "slc-score" },
      html("p", { class: "slc-count" }, html("b", { text: String(one.order ? one.found : one.pizza.filter(({ card }) => card).length) }), html("small", { text: ` of ${PLACES}` })),
      html("p", { class: "slc-done", role: "img", "aria-label": `${one.finished.length} of ${goal} pizzas` }, Array.from({ length: goal }, (_, i) => html("span", { class: i < one.finished.length ? "done" : "" })))),
  );
}

/** A pizza seen from its owner: place 1 at the top, clockwise. */
function pizzaArt(one, view) {
  const wedges = one.pizza.flatMap(({ topping, card, hot_sauce: sauce }, i) => {
    const [from, to] = [(i - 0.5) * 45, (i + 0.5) * 45].map((deg) => (deg * Math.PI) / 180);
    const at = (turn, r) => `${(r * Math.sin(turn)).toFixed(2)} ${(-r * Math.cos(turn)).toFixed(2)}`;
    const shape = `M0 0L${at(from, 46)}A46 46 0 0 1 ${at(to, 46)}Z`;
    const place = `translate(${at((from + to) / 2, 30).replace(" ", ",")})`;
    return [
      svg("path", { class: `slc-wedge${card ? " found" : ""}${sauce ? " sauce" : ""}`, d: shape }),
      (topping || card) && svg("g", { class: card ? "" : "slc-wanted", transform: `${place} scale(${card ? 11.5 : 8.5})` }, icon(card ?? topping)),
      card === "combo" && topping && svg("g", { transform: `${place} translate(7,7) scale(5.5)` }, icon(topping)),
      sauce && svg("g", { transform: `${place} translate(4,4) scale(9)` }, icon("hot-sauce")),
    ].filter(Boolean);
  });
  return svg("svg", { class: "slc-pizza", viewBox: "-50 -50 100 100", role: "img", "aria-label": toldPizza(one, view) }, svg("circle", { class: "slc-rim", r: 48 }), wedges);
}

/** Each place of a pizza in words. */
function toldPizza({ player, pizza }, view) {
  const places = pizza.filter(({ topping, card }) => topping || card).map(({ place, topping, card, hot_sauce: sauce }) =>
    `${place} ${card ? words(card, view) : `${words(topping, view)} wanted`}${sauce ? ", under hot sauce" : ""}`);
  return `${nameIn(view, player)}’s pizza: ${places.join("; ")}`;
}

function small(topping, view) {
  return svg("svg", { class: "slc-small", viewBox: "-1.1 -1.1 2.2 2.2", role: "img", "aria-label": words(topping, view) }, icon(topping));
}

function largeCard(name, view) {
  return svg("svg", { class: "slc-large", viewBox: "-21 -29 42 58", role: "img", "aria-label": words(name, view) }, sliceArt(name, view));
}

function fact(name, count) {
  return html("div", {}, html("dt", { text: name }), html("dd", { text: String(count) }));
}

function hint(view) {
  const { phase, drawer, to_grab: toGrab, grabbers, card_aside: aside } = view.position;
  const who = nameIn(view, drawer);
  if (phase === "order") return aside ? `${who}: the pizza and the Open Pile go under the draw pile; a new order, eight new slices, then turn over the hidden card${view.buttons ? " and press" : ""}` : "Everybody: an order card face up, eight slices face down around it";
  if (phase === "hidden") return `${who} turns over the hidden card`;
  if (phase === "draw") return `${who} draws the next card`;
  if (phase === "over") return "";
  if (toGrab) return grabbers.includes(drawer) ? `Slap it if you need it! Nobody? ${who} counts to 3 and draws` : `Slap it if you need it, but not ${who}, who counts to 3 and draws`;
  return `${who} puts the card in its place`;
}
