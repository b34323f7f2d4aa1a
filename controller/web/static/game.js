// What happened in one game, the newest first, kept current while it is played: plays, what was refused and why, and what
// the host did, with the pictures that it was read from.

import { html, say } from "/static/kit.js";
import { outcome } from "/static/outcome.js";
import { when } from "/static/times.js";

const AGAIN_MS = 15000;
const DID = { refused: "Refused: ", unseen: "Not seen: " };
const byId = (id) => document.getElementById(id);
const number = new URLSearchParams(location.search).get("number") ?? "";

show();

async function show() {
  if (!/^\d{1,9}$/.test(number)) return leave("This address names no game");
  try {
    const answer = await ask(`/${encodeURIComponent(number)}`);
    if (answer.status === 404) return leave(`No game here has the number ${number}`);
    const told = await answer.json();
    if (answer.ok) {
      introduce((await (await ask("")).json()).games ?? []);
      const tidied = told.some(({ kind }) => kind === "play") && !told.some(({ picture }) => picture);
      say(byId("state"), `Game ${number}: the newest first${tidied ? "; its pictures are kept no longer" : ""}`);
      byId("happened").replaceChildren(...told.reverse().map(line));
    } else {
      say(byId("state"), told.detail);
    }
  } catch {
    say(byId("state"), "The table does not answer; trying again.");
  }
  setTimeout(show, AGAIN_MS);
}

/** Say why no game is told, which does not change, and where there are some. */
function leave(why) {
  byId("state").replaceChildren(why, "; choose one of ", html("a", { href: "/results", text: "all games of this table" }), ".");
}

function ask(path) {
  return fetch(`/api/results${path}`, { signal: AbortSignal.timeout(AGAIN_MS) });
}

/** Which of these games it is, at which table, who plays, and how it ended; a name keeps its own direction. */
function introduce(games) {
  const at = games.findIndex((game) => String(game.number) === number);
  byId("game").hidden = at < 0;
  if (at < 0) return;
  const { title, table } = games[at];
  document.title = `What happened in ${title}`;
  const ended = html("span", {}, outcome(games[at], at + 1 < games.length));
  byId("game").replaceChildren(html("b", { text: title }), table && " at ", table && html("bdi", { text: table }), html("br"), ended);
}

function line({ seq, at, ago_s, kind, text, remedy, source, by, picture }) {
  return html(
    "tr",
    { class: kind },
    html("td", { text: when(at, ago_s) }),
    html("td", {}, `${DID[kind] ?? ""}${text}${ruled(source, by)}`, remedy && html("p", { class: "remedy", text: remedy })),
    html("td", {}, picture && html("a", { href: `/api/results/pictures/${seq}`, target: "_blank", rel: "noopener", "aria-label": `Picture: ${text}`, text: "picture" })),
  );
}

function ruled(source, by) {
  const words = [{ ruling: "ruled", answer: "answered" }[source] ?? "", by && `by ${by}`].filter(Boolean).join(" ");
  return words && ` (${words})`;
}
