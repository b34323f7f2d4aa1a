// What happened in one game, the newest first, kept current while it is played: plays, what was refused and why, and what
// the host did, with the pictures that it was read from.

import { html, say } from "/static/kit.js";
import { when } from "/static/times.js";

const AGAIN_MS = 15000;
const DID = { refused: "Refused: ", unseen: "Not seen: " };
const byId = (id) => document.getElementById(id);
const number = new URLSearchParams(location.search).get("number") ?? "";

show();

async function show() {
  try {
    const answer = await fetch(`/api/results/${encodeURIComponent(number)}`, { signal: AbortSignal.timeout(AGAIN_MS) });
    const told = await answer.json();
    if (!answer.ok) {
      say(byId("state"), answer.status === 404 ? told.detail : "This address names no game; choose one of all games.");
      return;
    }
    say(byId("state"), `Game ${number}: the newest first`);
    byId("happened").replaceChildren(...told.reverse().map(line));
  } catch {
    say(byId("state"), "The table does not answer; trying again.");
  }
  setTimeout(show, AGAIN_MS);
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
