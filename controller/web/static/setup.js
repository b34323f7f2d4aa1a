// For setting a table up: the camera's newest picture with what is read drawn on it, and what is not well.

const byId = (id) => document.getElementById(id);
const PAUSE_MS = 150;
const LATE_MS = 5000;
const SURE = 0.9;
let shown_ms = null;
let address = null;
let stopped = null; // what the camera is said to have, and since when, while it gives nothing new

watch();
listen();
setInterval(sayAge, 1000);

/** One picture after another, the next asked for when the last one is shown. */
async function watch() {
  for (;;) {
    try {
      const answer = await fetch("/api/picture", { cache: "no-store" });
      if (answer.ok) await show(await answer.blob());
      else if (shown_ms === null) byId("age").textContent = stopped ? whatStopped() : (await answer.json()).detail;
    } catch {
      byId("age").textContent = "The table does not answer.";
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

async function show(blob) {
  const next = URL.createObjectURL(blob);
  const picture = byId("picture");
  picture.src = next;
  await picture.decode();
  picture.hidden = false;
  if (address !== null) URL.revokeObjectURL(address);
  address = next;
  shown_ms = performance.now();
  sayAge();
}

function sayAge() {
  byId("picture").classList.toggle("old", stopped !== null);
  if (stopped !== null) {
    byId("age").classList.add("late");
    byId("age").textContent = whatStopped();
    return;
  }
  if (shown_ms === null) return;
  const age_s = (performance.now() - shown_ms) / 1000;
  byId("age").classList.toggle("late", age_s * 1000 > LATE_MS);
  byId("age").textContent = age_s < 2 ? "Live" : `This picture is ${Math.round(age_s)} s old.`;
}

function whatStopped() {
  return `Nothing new from the camera since ${stopped.since}: ${stopped.text}`;
}

function listen() {
  const events = new EventSource("/api/events");
  events.addEventListener("message", (event) => tell(JSON.parse(event.data)));
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, LATE_MS);
  });
}

function tell(view) {
  const parts = Object.entries(view.parts).flatMap(([name, part]) => {
    const term = element("dt", name);
    term.className = part.state;
    return [term, element("dd", part.text)];
  });
  const camera = view.parts.camera;
  if (camera === undefined || camera.state === "ok") stopped = null;
  else stopped = { since: stopped?.since ?? new Date().toLocaleTimeString(), text: camera.text };
  sayAge();
  byId("parts").replaceChildren(...parts);
  const doubtful = view.pieces.filter((piece) => piece.likelihood < SURE);
  const hidden = view.hidden.length ? `, ${view.hidden.length} ${view.hidden.length === 1 ? "place" : "places"} hidden` : "";
  byId("counts").textContent = `${view.pieces.length} pieces, ${doubtful.length} doubtful${hidden}`;
  byId("doubtful").replaceChildren(...doubtful.map((piece) => element(
    "li", `${piece.face} ${Math.round(100 * piece.likelihood)} % at ${Math.round(piece.x_mm)}, ${Math.round(piece.y_mm)} mm`,
  )));
}

function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}
