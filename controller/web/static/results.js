// The games that were played at this table and how they ended, kept current.

import { html, isolated, say } from "/static/kit.js";
import { outcome } from "/static/outcome.js";
import { when } from "/static/times.js";

const AGAIN_MS = 15000;
const byId = (id) => document.getElementById(id);

show();

async function show() {
  try {
    const answer = await fetch("/api/results", { signal: AbortSignal.timeout(AGAIN_MS) });
    if (answer.ok) draw(await answer.json());
    else say(byId("state"), (await answer.json()).detail);
  } catch {
    say(byId("state"), "The table does not answer; trying again.");
  }
  setTimeout(show, AGAIN_MS);
}

function draw({ games, standings }) {
  const table = games.at(-1)?.table ?? "";
  document.title = table ? `Games of ${isolated(table)}` : "Games of this table";
  say(byId("state"), `${table ? `${isolated(table)}: games` : "Games"} over: ${games.filter((game) => game.over).length} of ${games.length}.`);
  const won = standings.map(({ rank, name, won, played }) => row(`${rank}.`, `${won} of ${played}`, name));
  byId("standings").replaceChildren(...(won.length ? won : [row("", "nobody yet whose name was said", "")]));
  const rows = games.map((game, index) => row(when(game.began, game.began_ago_s), [html("a", { href: `/game?number=${game.number}`, text: game.title }), game.simulated && " (simulated)", html("p", {}, outcome(game, index + 1 < games.length))]));
  byId("games").replaceChildren(...rows.reverse());
}

function row(...cells) {
  return html("tr", {}, cells.map((cell) => html("td", {}, cell)));
}
