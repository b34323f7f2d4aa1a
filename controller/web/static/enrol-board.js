// Pointing at a board in photos. The server keeps photos and marks; this page shows them and sends what is pointed at.

import { aiming } from "/static/aiming.js";
import { asking, whatNext } from "/static/asking.js";
import { headersOf, hostToken } from "/static/host.js";
import { say } from "/static/kit.js";
import { zooming } from "/static/zooming.js";

const byId = (id) => document.getElementById(id);
const token = hostToken();
const ask = asking(token, show);
let desk = null;
/** What the server said last, without what waits to be sent. */
let known = null;
/** By photo: which tool is in the hand, and a cutter's first end that waits for its second. */
const hands = new Map();
/** What is being sent, one after another: the board is learned when the server has every mark. */
let sent = Promise.resolve();
/** How many sets of marks wait to be sent: what the server knows of marks is older then. */
let waiting = 0;
/** How often marks were refused: what was pointed at before, and still waits, goes with them. */
let refusals = 0;

byId("take").addEventListener("click", () => ask("POST", "/photo", null, byId("take")));
byId("learn").addEventListener("click", learn);
ask("GET", "");

/** What is to be pointed at, in its order. `most` of a tool is how many points it takes. */
function tools() {
  return [
    ...desk.corners.map((name) => ({ key: "corners", of: name, most: 1, text: `corner space beside “${name}”: its middle` })),
    { key: "rim", most: 99, text: "round edge of the board, or of the pizza printed on it: three points or more, all around" },
    ...desk.colours.map((colour) => ({ key: "toppings", of: colour, most: 99, text: `${colour} toppings: the middle of each` })),
    { key: "topping_edge", most: 1, text: "edge of any topping: one point" },
    ...desk.colours.map((colour) => ({ key: "cutters", of: colour, most: 2, text: `${colour} cutter: its plain end, then its coloured end` })),
  ];
}

/** The points of a tool in a photo's marks. */
function pointsOf(marks, tool) {
  const value = tool.of === undefined ? marks[tool.key] : marks[tool.key]?.[tool.of];
  if (value === undefined || value === null) return [];
  return tool.key === "corners" || tool.key === "topping_edge" ? [value] : value;
}

/** Marks with other points of a tool. */
function withPoints(marks, tool, points) {
  const single = tool.key === "corners" || tool.key === "topping_edge";
  const value = single ? points[0] : points.length ? points : undefined;
  if (tool.of === undefined) return { ...marks, [tool.key]: value };
  return { ...marks, [tool.key]: { ...marks[tool.key], [tool.of]: value } };
}

function show(now) {
  known = structuredClone(now);
  const same = desk && JSON.stringify(desk.photos.map((p) => p.name)) === JSON.stringify(now.photos.map((p) => p.name));
  if (same && waiting) now.photos.forEach((photo, index) => { photo.marks = desk.photos[index].marks; });
  desk = now;
  byId("take").hidden = !now.camera;
  if (!same) {
    hands.clear();
    byId("photos").replaceChildren(...now.photos.map(photoOf));
  }
  now.photos.forEach(mark);
  const understood = now.photos.filter((photo) => !photo.lacks).length;
  byId("count").textContent = `${understood} of ${now.photos.length} ${now.photos.length === 1 ? "photo" : "photos"} understood`;
  byId("learn").disabled = understood === 0;
}

function photoOf(photo, index) {
  hands.set(index, { tool: 0, waits: null });
  const part = element("section", "board");
  const head = element("h2", "", photo.name);
  const drop = element("button", "", "Leave out this photo");
  drop.addEventListener("click", () => ask("DELETE", `/photo/${index}?name=${encodeURIComponent(photo.name)}`, null, drop));
  head.append(drop);
  const frame = element("div", "frame");
  const list = element("ol", "marks");
  tools().forEach((tool, number) => {
    const item = element("li");
    const choose = element("button", "", tool.text);
    choose.addEventListener("click", () => {
      hands.set(index, { tool: number, waits: null });
      mark(desk.photos[index], index);
      frame.focus({ preventScroll: true });
    });
    choose.append(element("span", "number"));
    item.append(choose);
    list.append(item);
  });
  const thick = element("label", "thick", "how thick the cutters are, mm (skewers 3, the kit’s folded ones 5): ");
  const input = Object.assign(document.createElement("input"), { type: "number", min: 1.5, max: 19, step: 0.1 });
  input.value = photo.marks.cutter_mm ?? 3;
  input.addEventListener("change", () => {
    if (input.reportValidity()) send(index, { ...desk.photos[index].marks, cutter_mm: Number(input.value) });
  });
  thick.append(input);
  const state = element("p", "state");
  state.setAttribute("role", "status");
  const view = element("div", "window");
  const below = element("div", "window");
  const check = element("img", "understood");
  check.alt = "the board as it is understood";
  check.hidden = true;
  below.append(check);
  const picture = element("img", "");
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", `${photo.name}: arrow keys point, with Shift by one pixel; Enter sets a point, Delete takes the last one of the chosen step away`);
  load(picture, `/api/enrol/photo/${index}.jpg`);
  picture.alt = photo.name;
  frame.append(picture, aiming(frame, { size: () => [picture.naturalWidth, picture.naturalHeight], set: (at) => set(at, index) }));
  frame.addEventListener("keydown", (event) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    takeBack(index);
    event.preventDefault();
  });
  view.append(frame);
  const [across, down, width] = photo.mat;
  // As large as the mat fits in.
  const { look, buttons } = zooming([[view, frame], [below, check]], Math.min(4, Math.max(1, 0.9 / width)), [across, down]);
  picture.addEventListener("load", look);
  check.addEventListener("load", () => {
    check.hidden = Boolean(desk.photos[index].lacks);
    look();
  });
  head.append(...buttons);
  frame.addEventListener("click", (event) => point(event, index, picture));
  const left = element("div", "asked");
  left.append(list, thick, state);
  const right = element("div", "seen");
  right.append(view, below);
  part.append(head, left, right);
  return part;
}

/** A click on the picture: takes a dot away, or sets one for the tool in the hand. */
function point(event, index, picture) {
  if (event.target.dataset.tool !== undefined) {
    remove(index, tools()[event.target.dataset.tool], Number(event.target.dataset.at));
    return;
  }
  const box = picture.getBoundingClientRect();
  const scale = picture.naturalWidth / box.width;
  set([(event.clientX - box.left) * scale, (event.clientY - box.top) * scale].map((v) => Math.round(v * 10) / 10), index);
}

/** Take the last point of the tool in the hand away. */
function takeBack(index) {
  const { marks } = desk.photos[index];
  const hand = hands.get(index);
  const tool = tools()[hand.tool];
  if (hand.waits === null) return remove(index, tool, pointsOf(marks, tool).length - 1);
  hand.waits = null;
  return mark(desk.photos[index], index);
}

/** Take a point of a tool away; of a cutter all, as half a one is none. */
function remove(index, tool, place) {
  const { marks } = desk.photos[index];
  hands.get(index).waits = null;
  const left = tool.key === "cutters" ? [] : pointsOf(marks, tool).filter((_, at) => at !== place);
  send(index, withPoints(marks, tool, left));
}

/** A point for the tool in the hand. */
function set(at, index) {
  const { marks } = desk.photos[index];
  const hand = hands.get(index);
  const tool = tools()[hand.tool];
  let points = [...pointsOf(marks, tool), at];
  if (tool.key === "cutters") {
    if (hand.waits === null) {
      hand.waits = at;
      mark(desk.photos[index], index);
      return;
    }
    points = [hand.waits, at];
    hand.waits = null;
  }
  points = points.slice(-tool.most);
  if (points.length === tool.most) hand.tool = Math.min(hand.tool + 1, tools().length - 1);
  send(index, withPoints(marks, tool, points));
}

/** Marks that are refused, as where they were changed on another page, give way to what the server has. */
function send(index, marks) {
  desk.photos[index].marks = marks;
  mark(desk.photos[index], index);
  waiting += 1;
  const before = refusals;
  sent = sent.then(async () => {
    waiting -= 1;
    if (before === refusals) {
      if (await ask("POST", `/photo/${index}/marks`, { marks, state: desk.photos[index].state })) return;
      refusals += 1;
    }
    if (!waiting) show(known);
  });
}

/** Dots and counts of a photo as its marks are. */
function mark(photo, index) {
  const part = byId("photos").children[index];
  const frame = part.querySelector(".frame");
  const hand = hands.get(index);
  const all = tools();
  frame.querySelectorAll(".dot").forEach((dot) => dot.remove());
  all.forEach((tool, number) => {
    const points = pointsOf(photo.marks, tool);
    const item = part.querySelectorAll(".marks li")[number];
    item.classList.toggle("chosen", number === hand.tool);
    item.querySelector("button").setAttribute("aria-pressed", String(number === hand.tool));
    item.querySelector(".number").textContent = points.length ? (tool.key === "cutters" ? "✓" : String(points.length)) : "";
    points.forEach((at, place) => frame.append(dotAt(part, at, number, place, tool)));
  });
  bringIntoView(part.querySelector(".marks"), part.querySelector(".marks .chosen"));
  if (hand.waits) frame.append(dotAt(part, hand.waits, hand.tool, 0, all[hand.tool]));
  const state = photo.lacks ? `Still: ${photo.lacks.replace(/^[^:]*: /, "")}.` : "The board is understood. Does it lie under the lines below?";
  say(part.querySelector(".state"), state);
  const check = part.querySelector(".understood");
  if (photo.lacks) check.hidden = true;
  else load(check, `/api/enrol/photo/${index}/understood.jpg`);
}

/** Scroll a list, and nothing around it, so that one of its items is seen. */
function bringIntoView(list, item) {
  if (item.offsetTop < list.scrollTop) list.scrollTop = item.offsetTop;
  else list.scrollTop = Math.max(list.scrollTop, item.offsetTop + item.offsetHeight - list.clientHeight);
}

function dotAt(part, [x, y], number, place, tool) {
  const dot = element("span", "dot");
  const picture = part.querySelector(".frame img");
  const put = () => {
    dot.style.left = `${(100 * x) / picture.naturalWidth}%`;
    dot.style.top = `${(100 * y) / picture.naturalHeight}%`;
  };
  if (picture.naturalWidth) put();
  else picture.addEventListener("load", put, { once: true });
  dot.title = tool.text;
  dot.dataset.tool = number;
  dot.dataset.at = place;
  return dot;
}

async function learn() {
  byId("learned").hidden = true;
  await sent;
  const learned = await ask("POST", "/learn", null, byId("learn"));
  if (!learned) return;
  const lines = [`The board is learned and written to ${learned.file}.`, ...learned.notes, ...whatNext(learned.missing)];
  byId("learned").replaceChildren(...lines.map((line) => element("p", "", line)));
  byId("learned").hidden = false;
  byId("learned").focus();
}

/** Pictures need the token too, which an address must not carry. */
async function load(picture, address) {
  const answer = await fetch(address, { headers: headersOf(token) });
  if (answer.ok) picture.src = URL.createObjectURL(await answer.blob());
}

function element(name, className = "", text = "") {
  return Object.assign(document.createElement(name), { className, textContent: text });
}
