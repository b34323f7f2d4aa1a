// How New York Slice is drawn; most of it is in cut_and_choose.js. The art is this project's own.

import { SLICE_MM, cutAndChoose, icon, star, wedge, wrapped } from "/games/cut_and_choose.js";
import { html, nameOf, number, svg } from "/static/kit.js";

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
// Where toppings stand, as shares of the slice's length: along the slice and across it. The number stands at 0.6.
const TOPPING_PLACES = [[0.8, 0.155], [0.8, -0.155], [0.33, 0], [0.85, 0]];
const MIXED = ["#7fa843", "#d9553f", "#f4d77c", "#8f3a2b", "#e39a3b", "#b59a74", "#7fa843"];

export const { drawTable, faceArt, renderPlayers, renderBoard, renderFinal, tell } = cutAndChoose({
  types: TYPES,
  singles: {
    anchovy: { text: "−3", fill: "#5d7f8c", ground: () => [] },
    supreme: { text: "S", fill: "#d8a548", ground: mixedGround },
  },
  halves: "combo",
  toppings,
  back: paper,
  cardFace,
  cardBack: () => [svg("path", { class: "pie-card-star", d: star(17) })],
  collected: (player) => player.collected,
  note: attachedTo,
  eaten,
  special: specialChip,
  leaders: (type, view) => ({
    winners: type.scorer === null ? [] : [type.scorer],
    text: type.scorer !== null ? nameOf(view, type.scorer) : type.leaders.length > 1 ? "tie" : "–",
  }),
  tags: () => [],
  phases: { first: "stack", choosing: ["choose", "mystery", "decide"] },
  words: {
    slicer: "slicer",
    collected: "collected",
    specials: "Specials",
    special: () => "Today’s Special",
    bill: "Guest Check",
    thanks: "Thank you · please come again",
    won: (name) => `${name} picks up the check!`,
    shared: (names) => `${names} split the check!`,
  },
  sample: [...Object.keys(TYPES).map((value) => `${value}/1`), "combo-5-7", "supreme"],
});

function mixedGround(length) {
  return MIXED.map((fill, i) => svg("circle", { cx: length * (0.25 + (0.52 * i) / 6), cy: length * (i % 2 ? 0.07 : -0.07), r: 4.4, fill }));
}

function toppings({ pepperoni = 0, anchovies = 0 }, length) {
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

/** Gingham paper. */
function paper(length) {
  const stripes = [];
  for (let at = 8; at < length; at += 20) stripes.push(svg("rect", { x: at, y: -40, width: 10, height: 80 }));
  for (let at = -35; at < 40; at += 20) stripes.push(svg("rect", { x: 0, y: at, width: length, height: 10 }));
  return [
    svg("path", { class: "nys-paper-ground", d: wedge(length) }),
    svg("g", { class: "nys-paper-stripes", "clip-path": "url(#nys-wedge)" }, clipShape(length), stripes),
  ];
}

function clipShape(length) {
  return svg("clipPath", { id: "nys-wedge" }, svg("path", { d: wedge(length) }));
}

function cardFace(face, title) {
  return [
    svg("text", { class: "pie-card-kicker", y: -29, "text-anchor": "middle", text: "SPECIAL" }),
    ...wrapped(title, 10).map((line, i, lines) => svg("text", {
      class: "pie-card-title", "text-anchor": "middle", y: 6 + (i - (lines.length - 1) / 2) * 15, text: line,
      "font-size": Math.min(13.5, 88 / line.length).toFixed(1),
    })),
  ];
}

function attachedTo(items) {
  const attached = items.find((item) => item.attached)?.attached;
  if (!attached) return null;
  return { text: `→${attached === "anchovy" ? "−3" : attached}`, title: `${items[0].face} attached to ${attached}` };
}

function eaten(player, view) {
  const pepperoni = player.eaten.reduce((sum, face) => sum + (view.position.components[face]?.pepperoni ?? 0), 0);
  const count = player.eaten.length + player.unseen_eaten;
  const anchovies = player.collected.reduce((sum, item) => sum + item.anchovies, 0);
  return html(
    "p",
    { class: "pie-eaten" },
    html("span", { title: "slices eaten" }, icon("-34 -104 68 112", "slices", svg("g", { transform: "rotate(-90)" }, paper(SLICE_MM))), html("b", { text: `${count}` }), html("small", { text: " eaten" })),
    html("span", { title: "pepperoni eaten" }, icon("-8 -8 16 16", "pepperoni eaten:", pepperoniArt(0, 0)), html("b", { text: `${pepperoni}${player.unseen_eaten ? "+?" : ""}` })),
    html("span", { class: anchovies ? "" : "zero", title: "anchovies collected" }, icon("-11 -7 24 14", "anchovies collected:", fishArt()), html("b", { text: `${anchovies}` })),
  );
}

function specialChip(card) {
  const score = typeof card.score === "number" && card.score !== 0 ? ` ${card.score > 0 ? "+" : ""}${number(card.score)}` : "";
  return html("li", { class: `pie-special${card.used ? " used" : ""}`, title: card.text },
    html("span", { text: card.title }), score && html("b", { text: score }), card.used && html("i", { text: " used" }));
}
