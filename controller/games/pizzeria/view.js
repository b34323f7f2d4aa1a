// How Pizzeria is drawn; most of it is in cut_and_choose.js. The art is this project's own, after the colours of the kit.

import { SLICE_MM, cutAndChoose, icon, wedge } from "/games/cut_and_choose.js";
import { html, nameOf, number, svg } from "/static/kit.js";

const TYPES = {
  2: { base: "#d5402b", spots: "#8f1f14" },
  3: { base: "#e9b93f", spots: "#b3801a" },
  4: { base: "#a9a58c", spots: "#5f6b3c" },
  5: { base: "#ee9f83", spots: "#b8472f" },
  6: { base: "#94ad45", spots: "#5a7a22" },
  7: { base: "#b3946a", spots: "#7a5d3a" },
  8: { base: "#e08f3a", spots: "#a3421f" },
  9: { base: "#d95f2c", spots: "#8e1d16" },
  10: { base: "#8c4a63", spots: "#5a2540" },
  11: { base: "#e8c22f", spots: "#fff0a6" },
};
const LEAF_PLACES = [[0.8, 0.13], [0.8, -0.13], [0.36, 0]];
const WHEN = {
  "this round": { edge: "#c9472f", text: "this round", sign: "M3 -9L-6 2H-1L-3 9L6 -2H1Z" },
  "any round": { edge: "#3f9a52", text: "any round, once", sign: "M0 -8A8 8 0 1 1 -0.01 -8ZM0 -5V0L4 3" },
  end: { edge: "#4b3f9a", text: "at the end", sign: "M-5 9V-8M-5 -8H7L4 -4L7 0H-5" },
};

export const { drawTable, faceArt, renderPlayers, renderBoard, renderFinal, tell } = cutAndChoose({
  types: TYPES,
  singles: {},
  halves: "mixed",
  toppings: ({ basil = 0 }, length) => LEAF_PLACES.slice(0, basil).map(([along, across]) => leaf(along * length, across * length)),
  back: rings,
  cardFace,
  cardBack: () => [
    svg("rect", { class: "piz-card-label", x: -20, y: 15, width: 40, height: 15, rx: 3 }),
    svg("text", { class: "pie-card-kicker", y: 25.5, "text-anchor": "middle", text: "OFFER" }),
  ],
  collected: (player) => player.saved,
  note: () => null,
  eaten,
  special: offerChip,
  leaders,
  tags: (player, { house }) => (player === house ? ["the House"] : []),
  phases: { first: "pile", choosing: ["choose", "draw", "decide"] },
  words: {
    slicer: "knife",
    collected: "saved",
    specials: "special offers",
    special: ({ when }) => `To use: ${WHEN[when].text}`,
    bill: "Il conto",
    thanks: "Grazie · a presto",
    won: (name) => `${name} wins, buon appetito!`,
    shared: (names) => `${names} share the victory!`,
  },
  sample: [...Object.keys(TYPES).map((value) => `${value}/1`), "mixed-5-7"],
});

/** Ties score too; of the tomatoes everybody scores the own ones. */
function leaders({ value, scorers }, view) {
  if (value === 2) return { winners: scorers, text: "2 a slice" };
  if (scorers.length > 1) return { winners: scorers, text: `${scorers.length} tied` };
  return { winners: scorers, text: scorers.length ? nameOf(view, scorers[0]) : "–" };
}

function leaf(x, y) {
  return svg("g", { class: "piz-leaf", transform: `translate(${x} ${y}) rotate(90)` },
    svg("path", { d: "M0 -8C5.5 -4.5 5 4 0 8C-5 4 -5.5 -4.5 0 -8Z" }),
    svg("path", { class: "piz-vein", d: "M0 -6.5V6M0 -2L2.6 -3.6M0 -2L-2.6 -3.6M0 2L2.6 0.4M0 2L-2.6 0.4" }));
}

/** The face-down side: rings and a basil leaf. */
function rings(length) {
  const clip = svg("clipPath", { id: "piz-wedge" }, svg("path", { d: wedge(length) }));
  const circles = [];
  for (let radius = 14; radius < length; radius += 12) circles.push(svg("circle", { r: radius }));
  return [
    svg("path", { class: "piz-back-ground", d: wedge(length) }),
    svg("g", { class: "piz-back-rings", "clip-path": "url(#piz-wedge)" }, clip, circles),
    svg("circle", { class: "piz-back-badge", cx: 0.66 * length, r: 12 }),
    leaf(0.66 * length, 0),
  ];
}

function cardFace(face, title, view) {
  const when = WHEN[whenOf(face, view)];
  return [
    svg("rect", { class: "piz-card-edge", x: -28, y: -43, width: 56, height: 86, rx: 3, vars: { edge: when?.edge ?? "#8d8379" } }),
    svg("circle", { class: "piz-card-badge", cy: -8, r: 19, vars: { edge: when?.edge ?? "#8d8379" } }),
    svg("text", { class: "piz-card-letter", y: -8, dy: "0.36em", "text-anchor": "middle", text: letterOf(face) }),
    when && svg("path", { class: "piz-card-sign", d: when.sign, transform: "translate(0 28)" }),
  ];
}

function whenOf(face, view) {
  const { special, special_text: text, players } = view.position ?? { players: [] };
  if (face === special && text) return text.when;
  return players.flatMap((player) => player.specials).find((card) => card.face === face)?.when;
}

function letterOf(face) {
  return face.split("/")[1].toUpperCase();
}

function eaten(player) {
  return html(
    "p",
    { class: "pie-eaten" },
    html("span", { title: "slices eaten" }, icon("-34 -104 68 112", "slices", svg("g", { transform: "rotate(-90)" }, rings(SLICE_MM))), html("b", { text: `${player.eaten.length}` }), html("small", { text: " eaten" })),
    html("span", { class: player.basil ? "" : "zero", title: "basil leaves eaten" }, icon("-7 -9 14 18", "basil leaves eaten:", svg("g", { transform: "rotate(-90)" }, leaf(0, 0))), html("b", { text: `${player.basil}` })),
  );
}

function offerChip(card) {
  const when = WHEN[card.when];
  const score = typeof card.score === "number" && card.score !== 0 ? ` +${number(card.score)}` : "";
  return html("li", { class: `pie-special piz-offer${card.used ? " used" : ""}`, title: card.text, vars: { edge: when.edge } },
    html("span", { class: "piz-offer-letter", "aria-label": card.title, text: letterOf(card.face) }),
    svg("svg", { class: "piz-offer-sign", viewBox: "-10 -10 20 20", "aria-hidden": "true" }, svg("path", { d: when.sign })),
    card.kind !== null && html("span", { text: `on the ${card.kind}s` }),
    score && html("b", { text: score }),
    card.used && html("i", { text: " used" }));
}
