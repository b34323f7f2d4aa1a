// Looks whether the table has started, or cannot for another reason. It may not answer at all while it tries. Where the
// last game is in the way its host may leave it here.

import { headersOf, hostToken } from "./host.js";

const AGAIN_MS = 3000;
const headers = headersOf(hostToken());
const byId = (id) => document.getElementById(id);
let known = null;

async function look() {
  try {
    const answer = await fetch("/", { headers: { Accept: "text/html" }, cache: "no-store" });
    const page = await answer.text();
    if (answer.status !== 503 || (known !== null && page !== known)) location.reload();
    known = page;
  } catch {
    // Soon again.
  }
}

async function offerLeaving() {
  const answer = await fetch("/api/role", { headers });
  if (!answer.ok) return; // it is no game that is in the way
  const { host } = await answer.json();
  byId("leaving").hidden = !host;
  byId("elsewhere").hidden = host;
}

async function leave() {
  try {
    const answer = await fetch("/api/leave_game", { method: "POST", headers });
    byId("refused").value = answer.ok ? "Left: the table begins anew." : (await answer.json()).detail;
  } catch {
    byId("refused").value = "The table does not answer: it tries to start. Try again in a moment.";
  }
}

byId("leave").addEventListener("click", leave);
look();
setInterval(look, AGAIN_MS);
offerLeaving();
