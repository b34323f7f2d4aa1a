// The games that were played at this table and how they ended, kept current.

import { html, say } from "/static/kit.js";
import { when } from "/static/times.js";

const AGAIN_MS = 15000;
const byId = (id) => document.getElementById(id);

show();

async function show() {
  try {
    const { games, standings } = await (await fetch("/api/results", { signal: AbortSignal.timeout(AGAIN_MS) })).json();
    const table = games.at(-1)?.table ?? "";
    document.title = table ? `Games of ${table}` : "Games of this table";
    say(byId("state"), `${table && `${table}: `}${games.filter((game) => game.over).length} of ${games.length} games are over.`);
    const won = standings.map(({ name, won, played }) => row(`won ${won} of ${played}`, name));
    byId("standings").replaceChildren(...(won.length ? won : [row("nobody yet whose name was said", "")]));
    const rows = games.map((game, index) => row(when(game.began, game.began_ago_s), [html("a", { href: `/game?number=${game.number}`, text: game.title }), game.simulated && " (simulated)", html("p", {}, outcome(game, index + 1 < games.length))]));
    byId("games").replaceChildren(...rows.reverse());
  } catch {
    say(byId("state"), "The table does not answer; trying again.");
  }
  setTimeout(show, AGAIN_MS);
}

function row(first, second) {
  return html("tr", {}, html("td", { text: first }), html("td", {}, second));
}

function outcome({ players, over, problem, doubt }, anotherCame) {
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
