// The table's address for phones, as a QR code: beside the empty table, for who stands before a screen, and in a dialog
// for whoever asks. The host's address, with the token, is shown to the host alone, and only when asked for.

import { html } from "/static/kit.js";

const AGAIN_MS = 30000; // the network may come, or give another address
const HOW = "Point the phone's camera at the code. Phone and table must be in the same network.";
const LEFT_OPEN_MS = 120000; // a television's dialog is closed by nobody

/**
 * A dialog in `element`, and `card`, the same for the lobby, brought up to date by `refresh`. `headers`: of the host's
 * requests; `isHost()`: whether the table answers them.
 */
export function createPhones(element, { headers, isHost }) {
  const card = html("section", { class: "phone-card", "aria-label": "The display on a phone", hidden: true });
  let left = null;
  let newest = 0;
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close(); // beside it
  });
  element.addEventListener("close", () => {
    clearTimeout(left);
    newest += 1; // what is still asked for is not wanted any more
    element.replaceChildren(); // the token stays nowhere
  });
  setInterval(() => card.isConnected && refresh(), AGAIN_MS);

  async function refresh() {
    const { address, qr } = await asked("address");
    card.hidden = !address;
    if (!address || address === card.dataset.address) return;
    card.dataset.address = address;
    card.replaceChildren(
      code(address, qr),
      html("div", {},
        html("p", { class: "card-kicker", text: "On a phone" }),
        html("p", { class: "phone-address", text: address }),
        html("p", { class: "message", text: HOW })),
    );
  }

  const open = () => show("address", "On a phone", HOW);
  const openHosts = () => show("host_address", "The host's controls", "Whoever opens this address decides at this table: show it to nobody else.");

  async function show(path, title, text) {
    const mine = (newest += 1);
    const fromWithin = element.open;
    const { address, qr, why_not } = await asked(path);
    // A busy browser tells of the closing later than it closes.
    if (mine !== newest || (fromWithin && !element.open)) return;
    const more = isHost() && path === "address" && address;
    element.replaceChildren(
      html("header", { class: "dialog-head" },
        html("h2", { id: "phones-title", text: title }),
        html("button", { type: "button", class: "plain", "aria-label": "Close", text: "✕", on: { click: () => element.close() } })),
      ...(address
        ? [code(address, qr), html("p", { class: "phone-address", text: address }), html("p", { text })]
        : [html("p", { class: "refused", text: `There is no address for phones: ${why_not}.` })]),
      ...(more ? [html("p", {}, html("button", { type: "button", class: "link", text: "The host's controls on another phone…", on: { click: openHosts } }))] : []),
    );
    if (!element.open) element.showModal();
    element.querySelector("button").focus();
    clearTimeout(left);
    left = setTimeout(() => element.close(), LEFT_OPEN_MS);
  }

  async function asked(path) {
    try {
      const answer = await fetch(`/api/${path}`, { headers });
      const content = await answer.json();
      return answer.ok ? content : { address: "", why_not: content.detail };
    } catch {
      return { address: "", why_not: "the table did not answer" };
    }
  }

  return { card, open, refresh };
}

function code(address, qr) {
  return html("img", { class: "qr", alt: `QR code of ${address}`, src: `data:image/svg+xml,${encodeURIComponent(qr)}` });
}
