// One screen for all tables of an event, kept current.

import { colour, html, keyed, say } from "/static/kit.js";
import { when } from "/static/times.js";

const AGAIN_MS = 2000;
const ANSWERS_WITHIN_MS = 8000;
const MOST_STANDINGS = 16;
const TURN_MS = 15000;
const LEAST_REM = 0.8;
const ON_A_SCREEN = matchMedia("screen and (min-width: 801px)");
const PLAYING = { lobby: "Free: a game can begin", paused: "Paused", over: "The game is over" };
const byId = (id) => document.getElementById(id);

let fitted = "";
let turn = 0; // of the standings, of which a part is shown

show();
addEventListener("resize", fit);

async function show() {
  try {
    render(await (await fetch("/api/event", { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })).json());
    byId("lost").hidden = true;
  } catch {
    byId("lost").hidden = false;
  }
  setTimeout(show, AGAIN_MS);
}

function render({ event, tables, standings, games, newest, finding, twice, uncounted, namesakes, kept }) {
  document.title = byId("event").textContent = event || "Pizza tables";
  const names = tables.map(({ table }) => table);
  const alike = ({ table }) => names.indexOf(table) !== names.lastIndexOf(table);
  const callers = tables.filter(({ calls }) => calls);
  const calling = callers.length;
  say(byId("called"), callers.map((one) => `${one.table}${alike(one) ? ` · ${hostOf(one.address)}` : ""}: ${one.calls}`).join("; "));
  const how = calling ? `, calling somebody: ${calling}` : tables.length ? ", all is well" : "";
  say(byId("count"), `Tables: ${tables.length}${how} · games over: ${games}`);
  const said = [kept, finding, twice, uncounted, namesakes].filter(Boolean).join(" ");
  say(byId("finding"), said);
  byId("finding").hidden = !said;
  keyed(byId("tables"), tables, ({ number }) => String(number), () => html("li"), (element, table) => drawTable(element, table, alike(table)));
  const rows = standings.map(({ rank, name, won, played }) => html("li", { class: rank === 1 && "first" }, html("span", { class: "rank", text: `${rank}.` }), ofAnyDirection(name), html("span", { text: `${won} of ${played}` })));
  byId("standings").replaceChildren(...(rows.length ? rows : [html("li", { class: "faint", text: "nobody yet whose name was said" })]));
  byId("newest").replaceChildren(...(newest.length ? newest.map(game) : [html("li", { class: "faint", text: "none yet" })]));
  fit();
  fitAside();
}

/** On a screen, which nobody scrolls: of many standings a part at a time, by turns, and as many of the last games as there is room for. */
function fitAside() {
  const [rows, games] = [byId("standings"), byId("newest")].map((list) => [...list.children]);
  if (!ON_A_SCREEN.matches) return;
  const bottom = innerHeight - pixels(document.body, "paddingBottom");
  const top = byId("standings").getBoundingClientRect().top + scrollY;
  const tallest = Math.max(...rows.map((row) => row.offsetHeight));
  games.forEach((one, i) => one.classList.toggle("out", i > 0));
  const newest = byId("newest").parentElement;
  const under = pixels(newest.parentElement, "rowGap") + newest.offsetHeight + pixels(byId("standings").parentElement, "paddingBottom");
  const most = Math.max(Math.min(MOST_STANDINGS, Math.floor((bottom - top - under) / tallest) - 1), 1);
  if (rows.length > most) {
    if (!byId("standings").matches(":hover")) turn = Math.floor(Date.now() / TURN_MS);
    const turns = Math.ceil(rows.length / most);
    const [first, end] = [0, 1].map((next) => Math.floor(((turn % turns + next) * rows.length) / turns));
    rows.forEach((row, i) => row.classList.toggle("out", i < first || i >= end));
    const which = end - first > 1 ? `${first + 1} to ${end}` : String(end);
    byId("standings").append(html("li", { class: "faint shown", text: `${which} of ${rows.length}, by turns` }));
  }
  for (const one of games.slice(1)) {
    one.classList.remove("out");
    if (newest.getBoundingClientRect().bottom + scrollY <= bottom) continue;
    one.classList.add("out");
    break;
  }
}

/** On a screen, letters as large as leave all that the tables say within the window; where none do, each name has one line, and if that is not enough tables that call come first. */
function fit() {
  const tables = byId("tables");
  const top = tables.getBoundingClientRect().top + scrollY;
  const now = [innerWidth, innerHeight, top, ...[...tables.children].map(({ dataset }) => dataset.drawn)].join();
  if (fitted === now) return;
  fitted = now;
  tables.style.fontSize = "";
  tables.classList.remove("tight", "crowded");
  if (!ON_A_SCREEN.matches) return;
  const bottom = innerHeight - pixels(document.body, "paddingBottom");
  tables.style.setProperty("--room", `${bottom - top}px`);
  const whole = (size) => {
    tables.style.fontSize = `${size}px`;
    return [...tables.children].every((one) => one.getBoundingClientRect().bottom + scrollY < bottom + 1)
      && [...tables.querySelectorAll(".says, .call, .players")].every((one) => one.scrollHeight <= one.clientHeight + 2);
  };
  let [fits, most] = [LEAST_REM * pixels(document.documentElement, "fontSize"), pixels(tables, "fontSize")];
  if (whole(most)) return;
  tables.classList.toggle("tight", !whole(fits));
  if (tables.classList.toggle("crowded", !whole(fits))) return;
  for (let halved = 0; halved < 5; halved += 1) {
    const middle = (fits + most) / 2;
    if (whole(middle)) fits = middle;
    else most = middle;
  }
  tables.style.fontSize = `${fits}px`;
}

function drawTable(element, { address, table, title, state, message, calls, calls_for_s, players }, alike) {
  const drawn = JSON.stringify([alike, table, title, state, message, calls, Math.floor(calls_for_s / 60), players]);
  if (element.dataset.drawn === drawn) return;
  element.dataset.drawn = drawn;
  element.className = `table ${state}${calls ? " calls" : ""}`;
  element.replaceChildren(
    html("h3", {}, html("a", { href: `${address}/`, target: "_blank", rel: "noopener", dir: "auto", text: table })),
    html("p", { class: "title", text: [title, alike ? hostOf(address) : ""].filter(Boolean).join(" · ") }),
    calls ? html("p", { class: "call", text: `${calls}${calls_for_s >= 60 ? ` · for ${minutes(calls_for_s)}` : ""}` })
      : html("p", { class: "says", text: PLAYING[state] ?? message }),
    html("ul", { class: "players" }, players.map(({ name, colour: seat, acts }) => html("li", { class: acts ? "acts" : "", "aria-current": acts && "true", vars: { seat: colour(seat) }, dir: "auto", text: name }))),
  );
}

function game({ table, title, ended, players, doubt }) {
  return html(
    "li",
    {},
    html("p", { class: "faint" }, `${when(ended, null)} · `, ofAnyDirection(table), ` · ${title}`),
    html("p", {}, players.flatMap(({ name, total, won }, i) => [i ? ", " : "", html(won ? "b" : "span", { dir: "auto", text: name }), `: ${total}`])),
    doubt && html("p", { class: "faint", text: doubt }),
  );
}

// A name keeps its own direction and turns nothing around it.
function ofAnyDirection(name) {
  return html("bdi", { text: name });
}

function hostOf(address) {
  return new URL(address).host;
}

function pixels(element, name) {
  return parseFloat(getComputedStyle(element)[name]);
}

function minutes(seconds) {
  const whole = Math.floor(seconds / 60);
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h`;
}
