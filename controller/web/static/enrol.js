// Naming the pieces of a copy. The server keeps photos, outlines and names; this page shows them and sends what is typed
// and pointed at.

import { asking, whatNext } from "/static/asking.js";
import { headersOf, hostToken } from "/static/host.js";
import { inWords, outlining } from "/static/outlining.js";

const byId = (id) => document.getElementById(id);
const token = hostToken();
const ask = asking(token, show);
let desk = null;
/** What is being sent: faces are learned when the server has every name. */
const sending = new Set();
/** By piece, as the page has it: says again what the server could not be told. */
const unkept = new Map();
/** By piece, as the page has it: shows the name and turn that the server has. */
const shown = new WeakMap();

for (const [id, path] of [["take", "/photo"], ["take-empty", "/photo?empty=true"]]) {
  byId(id).addEventListener("click", () => ask("POST", path, null, byId(id)));
}
byId("learn").addEventListener("click", learn);
ask("GET", "");

function show(now) {
  const before = desk;
  desk = now;
  byId("take").hidden = byId("take-empty").hidden = !now.camera;
  byId("take-empty").textContent = now.empty ? "Photograph the empty table again" : "Photograph the empty table";
  const photos = byId("photos");
  if (!before || JSON.stringify(before.photos.map((p) => p.name)) !== JSON.stringify(now.photos.map((p) => p.name))) {
    photos.replaceChildren(...now.photos.map(photoOf));
  } else {
    now.photos.forEach((photo, index) => {
      if (outlinesOf(photo) !== outlinesOf(before.photos[index])) photos.children[index].replaceWith(photoOf(photo, index));
      else [...photos.children[index].querySelectorAll(".piece")].forEach((part, at) => shown.get(part)(photo.pieces[at]));
    });
  }
  byId("tops").textContent = now.tops;
  byId("tops").hidden = !now.tops;
  mark();
  sayAgain();
}

/** Send what could not be sent before; not of pieces that are outlined otherwise by now. */
function sayAgain() {
  for (const [part, say] of [...unkept]) {
    unkept.delete(part);
    if (part.isConnected) say();
  }
}

function outlinesOf(photo) {
  return JSON.stringify(photo.pieces.map((piece) => piece.place));
}

/** The list of names that a kind of piece may have. */
function listOf(kind) {
  const id = `faces-${kind}`;
  if (!byId(id)) {
    const list = Object.assign(document.createElement("datalist"), { id });
    list.append(...facesOf(kind).map((face) => optionOf(face, desk.looks[face])));
    document.body.append(list);
  }
  return id;
}

function facesOf(kind) {
  return namesKnown().filter((face) => (desk.kinds[face] ?? kind) === kind);
}

/** A name to choose. Some browsers show the label beside the value, some in its place. */
function optionOf(face, shows) {
  return Object.assign(document.createElement("option"), { value: face, label: shows ? `${face}: ${shows}` : face });
}

function photoOf(photo, index) {
  const part = element("section", "photo");
  const picture = element("img", "");
  load(picture, `/api/enrol/photo/${index}.jpg`);
  picture.alt = `${photo.name} with its pieces numbered`;
  const hand = outlining(part, picture, photo, desk.corners, (outline) => sendOutline(index, outline));
  const right = element("div", "");
  const head = element("h2", "", `${photo.name}: ${photo.pieces.length} ${photo.pieces.length === 1 ? "piece" : "pieces"}`);
  const doubt = element("p", "doubt", photo.doubt ? `Look closely: ${photo.doubt}.` : "");
  doubt.hidden = !photo.doubt;
  const drop = element("button", "", "Leave out this photo");
  drop.addEventListener("click", () => ask("DELETE", `/photo/${index}?name=${encodeURIComponent(photo.name)}`, null, drop));
  head.append(drop);
  const pieces = element("div", "pieces");
  pieces.append(...photo.pieces.map((piece) => pieceOf(piece, index, hand)));
  pieces.append(...photo.doubtful.map((one) => doubtfulOf(one, index, hand)));
  right.append(head, doubt, pieces);
  part.append(hand.view, right);
  return part;
}

/** An outline by hand; its piece is named next. Gives whether it was taken. */
async function sendOutline(photo, outline) {
  await Promise.all(sending);
  if (!(await ask("POST", "/outline", { photo, ...outline }))) return false;
  const number = outline.number ?? desk.photos[photo].pieces.length;
  inputOf(photo, number)?.focus();
  return true;
}

function inputOf(photo, number) {
  return document.querySelector(`.piece[data-photo="${photo}"][data-number="${number}"] input`);
}

function pieceOf(piece, photo, hand) {
  const part = element("div", "piece");
  part.dataset.photo = photo;
  part.dataset.number = piece.number;
  const picture = element("img", "");
  const at = `/api/enrol/photo/${photo}/${piece.number}.jpg`;
  load(picture, at);
  picture.alt = `piece ${piece.number}`;
  const label = element("label", "", String(piece.number));
  const input = nameInput(piece.kind, `name of piece ${piece.number}`);
  input.value = piece.face;
  let turnDeg = piece.turn_deg;
  /** One after another: what was said last holds. */
  let said = Promise.resolve();
  let waiting = 0;
  const say = async () => {
    const naming = { photo, number: piece.number, place: piece.place, face: input.value, turn_deg: turnDeg };
    const asked = (said = said.then(() => ask("POST", "/name", naming)));
    sending.add(asked);
    waiting += 1;
    if (!(await asked)) unkept.set(part, say);
    waiting -= 1;
    sending.delete(asked);
  };
  const { meaning, explain } = explained(input, photo, piece);
  shown.set(part, (now) => {
    if (waiting || unkept.has(part) || document.activeElement === input) return;
    input.value = now.face;
    explain();
    if (turnDeg !== now.turn_deg) load(picture, at);
    turnDeg = now.turn_deg;
  });
  input.addEventListener("change", () => {
    input.value = meant(input.value, piece.kind);
    explain();
    say();
  });
  input.addEventListener("input", () => {
    explain();
    byId("learn").disabled = false;
  });
  label.append(input);
  part.append(picture, label, meaning);
  if (piece.step_deg < 360) {
    const how = piece.step_deg === 90 ? "turn by a quarter" : "turn round";
    const turn = element("button", "", how);
    turn.setAttribute("aria-label", `${how}: piece ${piece.number}`);
    turn.addEventListener("click", () => {
      turnDeg = (turnDeg + piece.step_deg) % 360;
      say();
      said = said.then(() => load(picture, at));
    });
    part.append(turn);
  }
  const move = element("button", "", "move its corners");
  move.setAttribute("aria-label", `move its corners: piece ${piece.number}`);
  move.addEventListener("click", () => hand.change(piece));
  const remove = element("button", "", "no piece: remove");
  remove.setAttribute("aria-label", `no piece: remove ${piece.number}`);
  remove.addEventListener("click", async () => {
    await Promise.all(sending);
    if (!(await ask("DELETE", `/photo/${photo}/${piece.number}?place=${piece.place}`, null, remove))) return;
    (inputOf(photo, piece.number) ?? inputOf(photo, piece.number - 1) ?? byId("learn")).focus();
  });
  part.append(move, remove);
  return part;
}

/** What may be a piece: named it is one as it is outlined; or its outline is looked at, and put right, before. */
function doubtfulOf(one, photo, hand) {
  const part = element("div", "doubtful");
  part.dataset.photo = photo;
  const picture = element("img", "");
  load(picture, `/api/enrol/photo/${photo}/${one.number}.jpg`);
  picture.alt = `what may be piece ${one.number}`;
  const label = element("label", "", `${one.number}?`);
  const input = nameInput(one.kind, `name of what may be piece ${one.number}`);
  const { meaning, explain } = explained(input, photo, one);
  input.addEventListener("input", () => {
    explain();
    byId("learn").disabled = false;
  });
  input.addEventListener("change", async () => {
    const face = meant(input.value, one.kind);
    if (!face) return;
    const after = desk.photos[photo].doubtful.findIndex((other) => other.number === one.number);
    const sent = sendOutline(photo, { kind: one.kind, corners: one.corners, face });
    sending.add(sent);
    if (await sent) document.querySelectorAll(`.doubtful[data-photo="${photo}"] input`)[after]?.focus();
    sending.delete(sent);
  });
  label.append(input);
  const take = element("button", "", "look at its outline");
  take.setAttribute("aria-label", `look at its outline: ${one.number}`);
  take.addEventListener("click", () => hand.propose(one));
  part.append(picture, label, meaning, element("p", "", "May be a piece: a name makes it one"), take);
  return part;
}

/** A field for the name of a piece of this kind. */
function nameInput(kind, label) {
  const input = element("input", "");
  input.setAttribute("list", listOf(kind));
  const [first] = facesOf(kind);
  if (first) input.placeholder = `such as ${first}`;
  input.setAttribute("aria-label", label);
  return input;
}

/** What stands under a piece's name: what it shows, or what is wrong with it; and what brings that up to date. */
function explained(input, photo, piece) {
  const meaning = Object.assign(element("p", "meaning"), { id: `meaning-${photo}-${piece.number}` });
  input.setAttribute("aria-describedby", meaning.id);
  const explain = () => {
    const face = input.value.trim();
    input.setAttribute("aria-invalid", String(wrongOf(face, piece.kind) !== ""));
    meaning.textContent = wrongOf(face, piece.kind) || (desk.looks[face] ?? "");
  };
  explain();
  return { meaning, explain };
}

/** The face that somebody means who says what it shows, or the last part of its name, where that is one only. */
function meant(said, kind) {
  const words = said.trim().toLowerCase();
  const ways = (face) => [face, face.split("/").pop(), desk.looks[face] ?? ""].map((way) => way.toLowerCase());
  const faces = facesOf(kind).filter((face) => ways(face).includes(words));
  return faces.length === 1 ? faces[0] : said.trim();
}

/** What is wrong with a name for a kind of piece; empty where nothing is. */
function wrongOf(face, kind) {
  if (!face || !desk.faces.length) return "";
  if (!namesKnown().includes(face)) return "the game has no such face: choose one of the list";
  const its = desk.kinds[face] ?? kind;
  return its === kind ? "" : `this is ${/^[aeiou]/.test(its) ? "an" : "a"} ${inWords(its)}’s name`;
}

function namesKnown() {
  return [...new Set([...desk.faces, ...desk.own_names])];
}

/** Which pieces are named, with a name that the game has. */
function mark() {
  const named = new Set();
  for (const part of document.querySelectorAll(".piece")) {
    const { face, kind } = desk.photos[part.dataset.photo].pieces[part.dataset.number - 1];
    const wrong = wrongOf(face, kind) !== "";
    part.classList.toggle("named", face !== "" && !wrong);
    part.classList.toggle("unknown", wrong);
    if (face) named.add(face);
  }
  const wanted = desk.faces.filter((face) => named.has(face)).length;
  byId("count").textContent = desk.faces.length ? `${wanted} of ${desk.faces.length} faces named` : `${named.size} faces named`;
  byId("learn").disabled = named.size === 0;
}

async function learn() {
  byId("learned").hidden = true;
  await Promise.all(sending);
  sayAgain();
  await Promise.all(sending);
  if (unkept.size) return;
  const learned = await ask("POST", "/learn", null, byId("learn"));
  if (!learned) return;
  const box = byId("learned");
  const lines = [`${learned.faces} faces are learned and written to ${learned.file}.`, ...learned.notes, ...whatNext(learned.missing)];
  box.replaceChildren(...lines.map((line) => element("p", "", line)));
  box.hidden = false;
  box.focus();
}

/** Pictures need the token too, which an address must not carry. */
async function load(picture, address) {
  const answer = await fetch(address, { headers: headersOf(token) });
  if (answer.ok) picture.src = URL.createObjectURL(await answer.blob());
}

function element(name, className, text = "") {
  return Object.assign(document.createElement(name), { className, textContent: text });
}
