// The room's display: keeps the newest view of the table and shows it. What belongs to one game is drawn by that game's
// view.js, which exports
//
//   drawTable(layers, view)    draws the pieces into SVG groups in table millimetres: layers.under, .pieces, .over;
//                              also before a game, when view.position is null; the others only while there is one
//   renderPlayers(el, view)    what each player has
//   renderBoard(el, view)      the standings, below the table
//   renderFinal(el, view)      the result, when the game is over
//   faceArt(face, view)        a small picture of one face
//   tell(view)                 what of a game's table stands nowhere else, in words, for whoever hears the page; or none
//
// Elements are kept between calls. /static/kit.js has the tools.

import { createChooser } from "/static/games.js";
import { headersOf, hostName, hostToken, keepHostName } from "/static/host.js";
import { badge, colour, html, named, nameplate, onceIn, passing, say } from "/static/kit.js";
import { createPhones } from "/static/phones.js";
import { breachCard, createStage } from "/static/stage.js";

const REFEREE = {
  waiting: "Watching",
  hands: "Hands on the table",
  unfinished: "Not finished yet",
  unclear: "Unclear: please say",
  breach: "Against the rules",
  unseen: "Not seen",
  paused: "Paused",
  blind: "Sees nothing",
};
const QUIET = new Set(["ok", "absent"]);
const QUIET_MS = 20000;
const PATIENCE_MS = 1500;
const RETRY_MS = 3000;
const REFUSED_MS = 12000; // what was refused then may not be refused now, and a television's page is tapped by nobody
const ANSWER_MS = 10000;
const DONE_MS = 30000; // a slow disk takes its time; a button that was pressed does nothing else meanwhile
const NOT_THE_HOST = "This host's address is not, or no longer, this table's: `pizzatable address --host` prints it.";

const byId = (id) => document.getElementById(id);
const token = hostToken();
const stage = createStage(byId("stage"));
const refuse = passing(byId("refused"), REFUSED_MS);
const chooser = createChooser(byId("games"), {
  ask: (name, body, refused) => command(name, body, (text) => say(refused, text)),
  offers: () => asked("/api/games", { signal: AbortSignal.timeout(ANSWER_MS) }),
  view: () => newest,
});
const phones = createPhones(byId("phones"), { headers: headersOf(token), isHost: () => host });
const shown = new Map();
const refused = new Set(); // games whose module did not come
let newest = null;
let drawn = false;
let drawing = false;
let game = null;
let host = false;
let heard_ms = performance.now();
let events = null;
let complaint = null;

connect();
setInterval(checkConnection, QUIET_MS / 4);
askRole();
byId("choose").addEventListener("click", () => chooser.open());
byId("phone").addEventListener("click", () => phones.open());
byId("undo").addEventListener("click", onceIn(() => command("undo", seen())));
byId("by").value = hostName();
byId("by").addEventListener("change", ({ target }) => keepHostName(target.value));
byId("pause").addEventListener("click", onceIn(() => command(newest?.referee === "paused" ? "resume" : "pause")));
const rule = onceIn(async () => {
  const done = await command("rule_move", { text: byId("ruling").value, ...seen() });
  if (done) byId("rule").reset();
  return done;
});
byId("rule").addEventListener("submit", (event) => {
  event.preventDefault();
  rule();
});
const answer = onceIn((body) => command("answer", body)); // one for all questions: another may come at once

for (const kind of ["focus", "input"]) byId("ruling").addEventListener(kind, offerMoves);

// What could be ruled now, while the host writes.
async function offerMoves() {
  const words = byId("ruling").value;
  try {
    const answer = await fetch(`/api/moves?${new URLSearchParams({ words })}`, { headers: headersOf(token) });
    if (!answer.ok || words !== byId("ruling").value) return;
    byId("moves").replaceChildren(...(await answer.json()).map((value) => html("option", { value })));
  } catch {
    // It can be written without.
  }
}

function connect() {
  events?.close();
  events = new EventSource("/api/events");
  events.addEventListener("open", () => reached());
  events.addEventListener("message", (event) => {
    reached();
    const view = JSON.parse(event.data);
    // After an upgrade this page is the old program's.
    if (newest !== null && view.version !== newest.version) location.reload();
    if (newest !== null && view.number !== newest.number) refuse(""); // it was of the game before, or of none
    if (newest !== null && view.game !== newest.game) byId("games").close(); // what it offers was said of the other game
    newest = view;
    drawn = false;
    showHost();
    schedule();
  });
  events.addEventListener("error", () => {
    complaint ??= setTimeout(() => (byId("lost").hidden = false), PATIENCE_MS);
    // A refused stream (the table is starting, or full) is not tried again by the browser.
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, RETRY_MS);
    showWhyNot();
  });
}

// A table that cannot start says why on a page of its own, which comes back here once it can.
async function showWhyNot() {
  try {
    const answer = await fetch("/api/health");
    if (answer.status === 503 && (await answer.json()).title === "Not started") location.reload();
  } catch {
    // Nothing answers: that is shown already.
  }
}

function reached() {
  heard_ms = performance.now();
  clearTimeout(complaint);
  complaint = null;
  byId("lost").hidden = true;
}

// A pulled cable ends no connection: ask whether the table is still there.
async function checkConnection() {
  if (performance.now() - heard_ms < QUIET_MS) return;
  try {
    const health = await (await fetch("/api/health", { signal: AbortSignal.timeout(4000) })).json();
    const cut = !byId("lost").hidden || (newest !== null && health.seq !== newest.seq);
    heard_ms = performance.now();
    if (cut) connect();
  } catch {
    byId("lost").hidden = false;
  }
}

// Draws the newest view; those that arrive while one is being drawn replace each other.
async function schedule() {
  if (drawing) return;
  drawing = true;
  try {
    while (!drawn) {
      const view = newest;
      await loadGame(view.game);
      drawn = view === newest;
      if (drawn) render(view);
    }
  } catch (error) {
    byId("message").textContent = `This page cannot draw the game: ${error.message}`;
    setTimeout(schedule, RETRY_MS);
    throw error;
  } finally {
    drawing = false;
  }
}

// What draws a game. Browsers may keep a module that was refused once, or one that it imports, as failed for as long as
// the page lives: then the page loads itself anew, once the table gives it out.
async function loadModule(name) {
  const address = `/games/${name}/view.js`;
  try {
    return await import(address);
  } catch (error) {
    if (refused.has(name) && (await fetch(address)).ok) location.reload();
    refused.add(name);
    throw error;
  }
}

async function loadGame(name) {
  if (game?.name === name) return;
  const [module] = await Promise.all([loadModule(name), loadStyle(`/games/${name}/view.css`)]);
  shown.clear();
  for (const layer of ["under", "pieces", "over"]) stage.layers[layer].replaceChildren();
  for (const id of ["players", "board", "final"]) byId(id).replaceChildren();
  game = { name, ...module };
}

function loadStyle(address) {
  return new Promise((done) => {
    const link = html("link", { rel: "stylesheet", href: address, on: { load: done, error: done } });
    document.head.append(link);
  });
}

function render(view) {
  const over = view.referee === "over";
  const lobby = view.position === null;
  document.title = `${view.title} · ${view.table}`;
  const room = byId("room");
  room.dataset.state = lobby ? "lobby" : stateOf(view);
  room.dataset.players = String(view.seats.filter((seat) => seat.player !== null).length);
  renderTurn(view, over);
  stage.show(view, lobby ? "" : game.tell?.(view));
  game.drawTable(stage.layers, view);
  whenChanged("players", [view.position, view.seats, view.turn.players], () => {
    if (lobby) byId("players").replaceChildren(...view.seats.map((seat) => lobbySeat(seat, view.buttons)));
    else game.renderPlayers(byId("players"), view);
  });
  whenChanged("board", [view.position, view.seats], () => {
    if (lobby) {
      byId("board").replaceChildren(phones.card);
      phones.refresh();
    } else {
      phones.card.remove();
      game.renderBoard(byId("board"), view);
    }
  });
  whenChanged("attention", [view.question, view.breach, host], () => renderAttention(view));
  byId("final").hidden = !over;
  if (over) whenChanged("final", [view.position, view.seats], () => game.renderFinal(byId("final"), view));
  else shown.delete("final");
  say(byId("result"), over ? byId("final").querySelector("h1").textContent : "");
  renderStatus(view);
  whenChanged("slaps", [view.board?.slaps, view.seats], () => renderSlaps(view));
}

function whenChanged(what, value, act) {
  const text = JSON.stringify(value);
  if (shown.get(what) === text) return;
  shown.set(what, text);
  act();
}

// What the referee says; a breach that may only be hidden from the camera is called otherwise.
function stateOf(view) {
  return view.breach && !view.breach.certain ? "unseen" : view.referee;
}

function renderTurn(view, over) {
  whenChanged("turn", [view.turn, view.message, view.seats, view.table, over], () => {
    const all = view.turn.named;
    const who = all.length > 1 ? all.map((player) => nameplate(view, player, "large"))
      : view.turn.players.slice(0, 1).flatMap((player) => [badge(view, player, "large"), named(view, `Player ${player}`)]);
    // Of several tables in a hall, this one: in the title too, so that it is not read out at each turn.
    const here = html("span", { class: "table-name", dir: "auto", "aria-hidden": "true", text: view.table });
    byId("who").replaceChildren(...(who.length ? who : [over ? "The check, please" : view.turn.actor === "chance" ? "Luck decides" : view.title]), here);
    byId("prompt").textContent = named(view, view.turn.prompt);
    byId("message").textContent = view.message === view.turn.prompt ? "" : named(view, view.message);
  });
}

// Before a game: who has pressed the button of a seat, where there are buttons.
function lobbySeat(seat, buttons) {
  const joined = seat.lamp !== "off";
  return html(
    "article",
    { class: `lobby-seat${joined ? " joined" : ""}`, vars: { seat: colour(seat.colour) } },
    html("span", { class: "badge", vars: { seat: colour(seat.colour) }, text: String(seat.seat) }),
    html("h2", { dir: "auto", text: seat.name }),
    html("span", { class: "lobby-state", text: joined ? (seat.begins ? "joined, begins" : "joined") : buttons ? "press your button to join" : "free" }),
  );
}

function renderAttention(view) {
  const attention = byId("attention");
  const text = (words) => named(view, words);
  const card = view.breach ? breachCard(view.breach, text, (face) => game.faceArt(face, view)) : view.question ? questionCard(view, text) : null;
  attention.hidden = card === null;
  attention.replaceChildren(...(card ? [card] : []));
}

function questionCard(view, text) {
  const { question } = view;
  const candidates = question.candidates.map((candidate) => html(
    "li",
    { class: "candidate" },
    html("div", { class: "candidate-faces" }, candidate.differs.slice(0, 4).map((face) => game.faceArt(face, view))),
    html("p", { class: "candidate-text", text: text(candidate.text) }),
    html("p", { class: "candidate-share", text: `${Math.round(candidate.likelihood * 100)} % likely` }),
    host && html("button", {
      type: "button",
      text: "This one",
      "aria-label": `This one: ${text(candidate.text)}`,
      on: { click: () => answer({ question_id: question.id, candidate_id: candidate.id }) },
    }),
  ));
  return html(
    "div",
    { class: "card question-card" },
    html("p", { class: "card-kicker", text: "The table is not sure" }),
    html("p", { class: "card-title", text: text(question.text) }),
    !host && html("p", { class: "message", text: "The host says which, on the host's page." }),
    html("ol", { class: "candidates" }, candidates),
  );
}

// Who slapped first, by the microcontroller's clock.
function renderSlaps(view) {
  const slaps = view.board?.slaps;
  const strip = byId("slaps");
  strip.hidden = !slaps;
  if (!slaps) return;
  const who = (number) => {
    const seat = view.seats.find((s) => s.seat === number);
    const plate = html("span", { class: "badge small", vars: { seat: colour(seat?.colour) }, text: String(seat?.player ?? number) });
    return [plate, html("b", { dir: "auto", text: seat?.name || `Seat ${number}` })];
  };
  const listed = (numbers) => numbers.flatMap((number, i) => [...(i ? [i === numbers.length - 1 ? "and" : ","] : []), ...who(number)]);
  const gap = slaps.margin_us === null ? "" : duration(slaps.margin_us);
  const tie = slaps.first.length > 1;
  strip.classList.toggle("tie", tie);
  if (tie) strip.replaceChildren(...listed(slaps.first), `slapped together, ${gap} apart`);
  else if (slaps.seats.length === 1) strip.replaceChildren(...who(slaps.first[0]), "slapped");
  else strip.replaceChildren(...who(slaps.first[0]), `slapped first, ${gap} before`, ...who(slaps.seats[1]));
}

function duration(us) {
  return us < 1000 ? `${us.toFixed(us < 100 ? 1 : 0)} µs` : `${(us / 1000).toFixed(us < 100000 ? 1 : 0)} ms`;
}

function renderStatus(view) {
  const blind = view.referee === "waiting" && ["camera", "reading"].some((part) => view.parts[part]?.state === "lost");
  const state = blind ? "blind" : stateOf(view);
  byId("referee").textContent = state === "over" ? `Game over. ${view.buttons ? "The host's button puts the result away, for the next one" : "The host begins the next one at Game…"}` : REFEREE[state] ?? state;
  byId("referee").dataset.state = state;
  const last = view.log.at(-1);
  say(byId("event"), last ? `${named(view, last.text)}${ruled(last)}` : "");
  byId("hosts-table").textContent = view.table;
  byId("undo").hidden = byId("rule").hidden = view.position === null;
  byId("pause").hidden = view.position === null || state === "over";
  byId("pause").textContent = view.referee === "paused" ? "Resume" : "Pause";
  whenChanged("parts", [view.parts, view.simulated], () => renderParts(view));
}

// All that are well are one word; who wants to know more finds it on the camera's page.
function renderParts({ parts, simulated }) {
  const named = Object.entries(parts).filter(([, part]) => part.note || !QUIET.has(part.state));
  const well = Object.values(parts).filter((part) => part.state === "ok" && !part.note).length;
  const wrong = named.some(([, part]) => !QUIET.has(part.state));
  byId("parts").replaceChildren(
    ...(simulated ? [html("li", { class: "part simulated", text: "simulated table" })] : []),
    ...(well ? [html("li", { class: "part ok" }, html("span", { class: "part-text", text: wrong ? "all others ok" : "all parts ok" }))] : []),
    ...named.map(([name, part]) => html(
      "li",
      { class: `part ${part.state}`, title: part.text },
      html("span", { class: "part-name", text: name }),
      html("span", { class: "part-text", text: QUIET.has(part.state) ? part.note : part.text }),
    )),
  );
}

function ruled({ source, by }) {
  const did = { answer: by && "answered", ruling: "ruled" }[source] ?? "";
  const words = [did, by && `by ${by}`].filter(Boolean).join(" ");
  return words && ` (${words})`;
}

// What the host does is done to the game that is seen, or to the empty table.
function showHost() {
  byId("host").hidden = !host || newest === null;
}

/** What this host sees: the number of the game, and of its log's newest line. */
function seen() {
  return { number: newest?.number ?? 0, last: newest?.log.at(-1)?.seq ?? 0 };
}

async function askRole() {
  try {
    const answer = await fetch("/api/role", { headers: headersOf(token) });
    if (!answer.ok) throw new Error(`the table answers ${answer.status}`);
    host = (await answer.json()).host;
  } catch {
    setTimeout(askRole, RETRY_MS);
    return;
  }
  showHost();
  if (token !== null && !host) refuse(NOT_THE_HOST);
  if (newest !== null) {
    drawn = false;
    schedule();
  }
}

/** Whether the table did it; otherwise the reason is told. */
async function command(name, body, tell = refuse) {
  refuse("");
  const signal = AbortSignal.timeout(DONE_MS);
  return await asked(`/api/${name}`, { method: "POST", headers: headersOf(token, hostName()), body: body && JSON.stringify(body), signal }, tell) !== null;
}

/** What the table answers; null where it does not, or refuses: then the reason is told. */
async function asked(address, options, tell = refuse) {
  tell("");
  try {
    const answer = await fetch(address, options);
    const content = answer.status === 204 ? "" : await answer.json();
    if (answer.ok) return content;
    tell(content.detail);
  } catch {
    tell("The table did not answer.");
  }
  return null;
}
