// Requests of the pages on which a copy is enrolled.

import { headersOf } from "/static/host.js";

const AWAY = "pizzatable enrol does not answer: what was said just now is not kept. If it was ended, start it again and open \
the address that it prints: the names are there again.";

/** What is said once faces were learned: what is still missing, given its names, and what to do next. */
export function whatNext(missing) {
  if (missing.length) return [`Still missing: ${missing.join(", ")}.`, "The table does not start this game without these: name them here, too."];
  return ["Nothing is missing. End pizzatable enrol with Ctrl+C, then start the table: pizzatable run."];
}

/**
 * Makes requests: each shows (`show`) the photos that came back, or what went wrong in the page's "trouble". What was
 * changed on another page since (412) is shown as it is now.
 */
export function asking(token, show) {
  const trouble = document.getElementById("trouble");
  trouble.addEventListener("click", () => {
    trouble.hidden = true;
  });
  const ask = async (method, path, body = null, button = null) => {
    trouble.hidden = true;
    if (button) button.disabled = true;
    try {
      const request = { method, headers: headersOf(token), body: body && JSON.stringify(body) };
      const answer = await fetch(`/api/enrol${path}`, request).catch(() => {
        throw new Error(AWAY);
      });
      const content = await answer.json();
      if (answer.status === 412) await ask("GET", "");
      if (!answer.ok) throw new Error(content.detail);
      if (content.photos) show(content);
      return content;
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
      return null;
    } finally {
      if (button) button.disabled = false;
    }
  };
  return ask;
}
