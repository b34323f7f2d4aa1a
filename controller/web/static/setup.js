// For setting a table up: the newest picture of the camera that was read, with what was read drawn on it, and what is
// not well. What is said of a picture came with it; how old it is goes on counting when no newer one comes.

import { say } from "/static/kit.js";

const byId = (id) => document.getElementById(id);
const PAUSE_MS = 150;
const WAIT_MS = 1000; // while there is no picture
const AGAIN_MS = 5000;
const TICK_MS = 250;
const meanings = new Map();
let shown = null; // the picture's address, what was said of it, and when it came
let unwell = null; // the part of the table, of those that pictures come through, that is not
let missing = ""; // why there is no picture, or no newer one

explain();
watch();
listen();
setInterval(sayState, TICK_MS);

/** The legend, as the table draws it. */
async function explain() {
  try {
    const marks = await (await fetch("/api/legend")).json();
    for (const mark of marks) meanings.set(mark.name, mark.meaning);
    byId("legend").replaceChildren(
      ...marks.map((mark) => {
        const item = element("li", mark.meaning);
        item.prepend(Object.assign(document.createElement("img"), { src: mark.swatch, alt: "" }));
        return item;
      }),
      element("li", "A number behind a name is its likelihood in percent, where that is less than 100."),
    );
    sayRead();
  } catch {
    setTimeout(explain, AGAIN_MS);
  }
}

/** One picture after another, the next asked for when the last one is shown. */
async function watch() {
  for (;;) {
    try {
      const answer = await fetch("/api/picture", { cache: "no-store" });
      const came_ms = performance.now();
      if (answer.ok) {
        await show(await answer.blob(), JSON.parse(answer.headers.get("X-Picture")), came_ms);
        missing = "";
      } else {
        missing = (await answer.json()).detail;
      }
    } catch {
      missing = "The table does not answer.";
    }
    sayState();
    await new Promise((done) => setTimeout(done, missing === "" ? PAUSE_MS : WAIT_MS));
  }
}

/** A picture and what was read from it, both at once. */
async function show(blob, told, came_ms) {
  const address = URL.createObjectURL(blob);
  const next = Object.assign(new Image(), { src: address, id: "picture", alt: byId("picture").alt });
  await next.decode();
  byId("picture").replaceWith(next);
  byId("enlarge").hidden = false;
  if (shown !== null) URL.revokeObjectURL(shown.address);
  shown = { address, told, came_ms };
  sayRead();
}

/** Whether the picture is live, how old it is, and why it is not. */
function sayState() {
  const age_s = shown === null ? 0 : shown.told.age_s + (performance.now() - shown.came_ms) / 1000;
  const live = shown !== null && missing === "" && unwell?.name !== "camera" && age_s <= shown.told.late_s;
  const said = unwell === null ? "The computer may be slow just now." : `The ${unwell.name}: ${unwell.text}.`;
  const state = live ? "Live" : [missing || "Not live: nothing newer was read.", said].filter(Boolean).join(" ");
  byId("picture").classList.toggle("old", shown !== null && !live);
  byId("state").classList.toggle("late", !live);
  say(byId("state"), state);
  say(byId("age"), shown === null ? "" : `This picture is ${ageText(age_s)} old.`);
}

function ageText(age_s) {
  if (age_s < 10) return `${age_s.toFixed(1)} s`;
  return age_s < 100 ? `${Math.round(age_s)} s` : `${Math.round(age_s / 60)} min`;
}

/** What was read from the picture that is shown. */
function sayRead() {
  if (shown === null) return;
  const { why_not_read, pieces, doubtful, doubts, remembered, hidden } = shown.told;
  const causes = [...new Set(hidden)].map((cause) => {
    const places = hidden.filter((other) => other === cause).length;
    return `${meanings.get(cause) ?? cause}: ${places} ${places === 1 ? "place" : "places"}`;
  });
  const before = remembered === 0 ? [] : [`${remembered} known from before something moved there`];
  const counts = [
    `${pieces} ${pieces === 1 ? "piece" : "pieces"}, ${doubtful} doubtful`, ...before, ...causes,
  ].join("; ");
  say(byId("counts"), why_not_read === "" ? `Read in this picture: ${counts}.` : `Nothing is read in this picture: ${why_not_read}.`);
  byId("counts").classList.toggle("late", why_not_read !== "");
  byId("doubts").hidden = doubts.length === 0;
  byId("doubtful").replaceChildren(...doubts.map((piece) => element(
    "li", `${piece.face} ${Math.round(100 * piece.likelihood)} % at ${Math.round(piece.x_mm)}, ${Math.round(piece.y_mm)} mm`,
  )));
}

function listen() {
  const events = new EventSource("/api/events");
  events.addEventListener("message", (event) => tell(JSON.parse(event.data)));
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS);
  });
}

function tell(view) {
  const parts = Object.entries(view.parts).flatMap(([name, part]) => {
    const term = element("dt", name);
    term.className = part.state;
    return [term, element("dd", part.text)];
  });
  byId("parts").replaceChildren(...parts);
  unwell = ["camera", "reading"].map((name) => ({ name, ...view.parts[name] })).find(({ name, state }) => state === "lost" || (name === "camera" && state === "starting")) ?? null;
  sayState();
}

byId("enlarge").addEventListener("click", () => enlarge(!byId("enlarge").classList.contains("large")));
addEventListener("keydown", ({ key }) => key === "Escape" && enlarge(false));

/** The picture as large as it is, or as fits. */
function enlarge(large) {
  byId("enlarge").classList.toggle("large", large);
  byId("enlarge").setAttribute("aria-pressed", String(large));
}

function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}
