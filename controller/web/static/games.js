// The host's choice of what is played, and by whom: another game, its options, a new game.

import { colour, html, onceIn } from "/static/kit.js";

const VIEWS_PER_START = 1000000;
const SET_WITHIN_MS = 30000;
const SURE_MS = 10000;
const START = "Start a new game";

/**
 * A dialog in `element`. `ask(name, body, refused)` posts a command and says whether the table did it, else why not in
 * the element `refused`; `offers()` gives the games that can be chosen, or null; `view()` is the newest view.
 */
export function createChooser(element, { ask, offers, view }) {
  let shelf = null;
  let chosen = null;
  let names = null;
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close(); // beside it
  });

  async function open() {
    const offered = await offers();
    if (offered === null) return;
    shelf = offered;
    names = saidBefore(); // which may take a while
    chosen = shelf.games.find((game) => game.game === shelf.playing) ?? shelf.games[0];
    draw();
    if (!element.open) element.showModal();
  }

  function draw() {
    const current = chosen.game === shelf.playing;
    element.replaceChildren(html(
      "form",
      { method: "dialog", on: { submit: (event) => event.preventDefault() } },
      html("header", { class: "dialog-head" },
        html("h2", { id: "games-title", text: "What is played" }),
        html("button", { type: "button", class: "plain", "aria-label": "Close", text: "✕", on: { click: () => element.close() } })),
      html("ul", { class: "shelf" }, shelf.games.map(card)),
      options(current),
      current && shelf.players === null && view() ? newGame() : null,
    ));
  }

  function card(game) {
    const select = () => {
      chosen = game;
      draw();
      element.querySelector(`[value="${game.game}"]`).focus();
    };
    const playing = game.game === shelf.playing;
    return html("li", {}, html(
      "label",
      { class: `shelf-game${game === chosen ? " chosen" : ""}`, title: game.why_not },
      html("input", { type: "radio", name: "game", value: game.game, checked: game === chosen, autofocus: game === chosen, disabled: game.why_not !== "", on: { change: select } }),
      html("b", { text: game.title }),
      html("span", { class: "shelf-note", text: game.why_not || `${span(game.players)} players${playing ? " · on the table" : ""}` }),
    ));
  }

  function options(current) {
    const shown = chosen.options.filter(({ choices, value }) => choices.length || typeof value === "number");
    const fields = new Map(shown.map((option) => [option.name, field(option)]));
    const players = shelf.players === null ? null : sitting();
    const changed = () => Object.fromEntries(shown.map(({ name }) => [name, fields.get(name).value()]).filter(([name, value]) => !same(value, value_of(name))));
    const value_of = (name) => shown.find((option) => option.name === name).value;
    const set = onceIn(async ({ target }) => {
      const body = { game: chosen.game, options: changed(), ...(players ? { players: Number(players.value) } : {}) };
      const start = startOf(view());
      if (!await ask("play_game", body, refused)) return false;
      target.textContent = "Setting the table…";
      target.disabled = true;
      for (let ms = 0; ms < SET_WITHIN_MS && startOf(view()) === start; ms += 100) await new Promise((done) => setTimeout(done, 100));
      element.close();
      return true;
    });
    const refused = refusal();
    const note = !goesOn(view()) ? ""
      : shelf.players !== null ? "The people at the simulated table leave their game and begin anew."
      : current ? "The running game goes on as it was begun; options count from the next one on."
      : "The running game stays in the journal: coming back before another is begun goes on with it.";
    return html(
      "section",
      { class: "game-options" },
      html("h3", { text: `How ${chosen.title} is played` }),
      players && html("label", { class: "option" }, html("span", { text: "Players at the simulated table" }), players),
      shown.map((option) => html("label", { class: "option" }, html("span", { text: sentence(option.meaning) }), fields.get(option.name).element)),
      shown.length === 0 && html("p", { class: "shelf-note", text: "There is nothing to choose." }),
      html("div", { class: "games-do" },
        html("p", { class: "shelf-note", text: note }),
        refused,
        html("button", { type: "button", class: "set", text: current ? `Set the table for ${chosen.title} anew` : `Set the table for ${chosen.title}`, on: { click: set } })),
    );
  }

  function sitting() {
    const number = chosen.players.includes(shelf.players) ? shelf.players : Math.min(4, Math.max(...chosen.players));
    return html("select", { id: "sitting" }, chosen.players.map((n) => html("option", { value: String(n), text: String(n), selected: n === number })));
  }

  // Who sits where, for those who have no buttons.
  function newGame() {
    const said = html("datalist", { id: "said" });
    names.then((all) => said.replaceChildren(...all.map((value) => html("option", { value }))));
    const seats = view().seats.map((seat) => {
      const plays = html("input", { type: "checkbox", checked: seat.player !== null || seat.lamp !== "off", "aria-label": `Somebody sits at seat ${seat.seat}` });
      // What nobody has said is written over by the first letter.
      const before = seat.player !== null && seat.said ? seat.name : "";
      const name = html("input", {
        type: "text", value: before, placeholder: seat.name, list: "said", maxlength: "40", autocomplete: "off", "aria-label": `Name of seat ${seat.seat}`,
        on: { input: () => (plays.checked ||= said() !== "") }, // whoever is named plays
      });
      const said = () => name.value.trim();
      return { seat, plays, name, before, said };
    });
    const begins = html("select", { class: "begins" },
      html("option", { value: "", text: "as usual" }),
      seats.map(({ seat }) => html("option", { value: String(seat.seat), text: `seat ${seat.seat}` })));
    const refused = refusal();
    const { number: shown } = view(); // whose names these are
    const rename = async () => {
      const changed = seats.filter(({ before, said }) => said() !== before);
      refused.textContent = changed.map(whyNotRenamed).find(Boolean) ?? "";
      if (refused.textContent) return;
      const [first, ...others] = changed.map(({ seat, said }) => ({ seat: seat.seat, name: said() }));
      if (!first || await ask("rename", { ...first, others, number: shown }, refused)) element.close();
    };
    // There is no way back to a game that another was begun after. Who is asked and goes away is not sure any more.
    let sureOf = null;
    let lapses = null;
    const unsure = (button) => {
      clearTimeout(lapses);
      sureOf = null;
      button.textContent = START;
      refused.textContent = "";
    };
    const start = onceIn(async ({ target }) => {
      const sure = sureOf;
      unsure(target);
      const players = seats.filter(({ plays }) => plays.checked).map(({ seat, said }) => ({ seat: seat.seat, name: said() || seat.name }));
      if (players.length === 0) {
        refused.textContent = `Tick who plays: ${chosen.title} takes ${span(chosen.players)} at this table.`;
        return false;
      }
      if (begins.value && players.every(({ seat }) => String(seat) !== begins.value)) {
        refused.textContent = `Seat ${begins.value} is to begin, and nobody plays there: tick it, or say who else begins.`;
        return false;
      }
      const { number } = view();
      if (goesOn(view()) && sure !== number) {
        sureOf = number;
        target.textContent = "Yes, end the running game";
        refused.textContent = "The running game would end here, for good.";
        lapses = setTimeout(unsure, SURE_MS, target);
        return true;
      }
      const first = begins.value ? { first: Number(begins.value) } : {};
      const begun = await ask("new_game", { players, number, ...first }, refused);
      if (begun) element.close();
      return begun;
    });
    return html(
      "section",
      { class: "game-options" },
      html("h3", { text: "Who plays a new game" }),
      said,
      html("ul", { class: "sitting" }, seats.map(({ seat, plays, name }) => html(
        "li", { vars: { seat: colour(seat.colour) } }, plays, html("span", { class: "badge small", text: String(seat.seat) }), name))),
      html("label", { class: "option" }, html("span", { text: `Who begins; as usual it is ${view().buttons ? "who held a button down for it, else " : ""}who won the last game, else the lowest seat` }), begins),
      html("div", { class: "games-do" },
        html("p", { class: "shelf-note", text: view().buttons ? "Or everybody presses the button of a seat, and the host's button starts." : "" }),
        refused,
        view().position && html("button", { type: "button", class: "rename", text: "Only change the names", on: { click: rename } }),
        html("button", { type: "button", class: "start", text: START, on: { click: start } })),
    );
  }

  return { open };
}

// Of those who have played here, whose name was said.
async function saidBefore() {
  try {
    const answer = await fetch("/api/results");
    return answer.ok ? (await answer.json()).standings.map(({ name }) => name) : [];
  } catch {
    return []; // they can be written without
  }
}

/** Why whoever sits there cannot be called as said in the game that is played; empty where that can be. */
function whyNotRenamed({ seat, before, said }) {
  if (seat.player === null) return `Nobody plays at seat ${seat.seat} in this game: ${said()} can play in a new one.`;
  return said() ? "" : `Seat ${seat.seat} needs a name: write one, or ${before} again.`;
}

function field({ name, choices, value }) {
  if (choices.length === 2 && choices.every((choice) => typeof choice === "boolean")) {
    const element = html("input", { type: "checkbox", name, checked: value === true });
    return { element, value: () => element.checked };
  }
  if (choices.length) {
    const at = Math.max(0, choices.findIndex((choice) => same(choice, value)));
    const element = html("select", { name }, choices.map((choice, i) => html("option", { value: String(i), text: words(choice), selected: i === at })));
    return { element, value: () => choices[Number(element.value)] };
  }
  const element = html("input", { type: "number", name, value: String(value), min: "0", step: "1" });
  return { element, value: () => Number(element.value) };
}

/** Each start of the table's program numbers its views from a million of their own. */
function startOf(view) {
  return view === null ? null : Math.floor(view.seq / VIEWS_PER_START);
}

function goesOn(view) {
  return Boolean(view?.position) && view.referee !== "over";
}

function refusal() {
  return html("output", { class: "refused", role: "alert" });
}

function sentence(meaning) {
  const text = meaning.replace(/^whether /, "");
  return text[0].toUpperCase() + text.slice(1);
}

function words(value) {
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function span(players) {
  const [least, most] = [Math.min(...players), Math.max(...players)];
  return least === most ? String(least) : `${least} to ${most}`;
}
