// How a game ended, on the pages of the games that were played.

import { html } from "/static/kit.js";

/** What is said of a game's players; `anotherCame`: whether another game was begun since. */
export function outcome({ players, over, problem, doubt }, anotherCame) {
  if (problem) return `cannot be told: ${problem}`;
  if (!over) return [anotherCame ? "Left before it was over: " : "Being played: ", ...named(players, ({ so_far }) => (so_far === null ? "" : `: ${so_far}`))];
  const best = [...players].sort((one, other) => other.won - one.won || other.total - one.total);
  return [...named(best, ({ total, won }) => `: ${total}${won ? " (won)" : ""}`), doubt && ` (${doubt})`];
}

/** The players, each with what is said of them on the same line; a name keeps its own direction. */
function named(players, said) {
  return players.flatMap((player, i) => [i ? " " : "",
    html("span", { class: "player" }, html("bdi", { text: player.name }), said(player), i + 1 < players.length && ",")]);
}
