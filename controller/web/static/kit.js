// What every view of a game draws with: elements, pieces that keep their identity from one view to the next, seats.

const SVG = "http://www.w3.org/2000/svg";
const CLOSELY_MS = 700; // browsers take two clicks within 500 ms for a double one

/** An HTML element. `props`: attributes, plus `text`, `vars` (CSS custom properties) and `on` (event listeners). */
export function html(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element; the same `props`. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "vars") for (const [key, v] of Object.entries(value)) element.style.setProperty(`--${key}`, v);
    else if (name === "on") for (const [key, v] of Object.entries(value)) element.addEventListener(key, v);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Text of an element, which is read out once, and not again while it stays the same. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A function that says a text in `element` for so long, or until something else is said or the text is tapped. */
export function passing(element, ms) {
  let goes = null;
  const saying = (text) => {
    clearTimeout(goes);
    element.textContent = text;
    if (text) goes = setTimeout(saying, ms, "");
  };
  element.addEventListener("click", () => saying(""));
  return saying;
}

/** `act`, done once for clicks that follow each other closely: the second of a double click was not meant for what came
 * of the first, and who presses on and on presses once. Where it gives false nothing came of it. */
export function onceIn(act) {
  let busy = false;
  let quiet = null;
  const wait = () => {
    clearTimeout(quiet);
    quiet = setTimeout(() => (quiet = null), CLOSELY_MS);
  };
  return async (...asked) => {
    if (quiet !== null) wait();
    if (busy || quiet !== null) return;
    busy = true;
    try {
      if (await act(...asked) !== false) wait();
    } finally {
      busy = false;
    }
  };
}

/** Let `parent` hold one child per item, in order; children whose key stays keep their element, so that they can move. */
export function keyed(parent, items, keyOf, create, update) {
  const keys = items.map(keyOf);
  const wanted = new Set(keys);
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  // First, so that those that stay need not be put in before them: what is put in anew loses its way to a new place.
  for (const [key, child] of old) if (!wanted.has(key)) child.remove();
  let before = null;
  for (const [i, item] of items.entries()) {
    let child = old.get(keys[i]);
    if (child === undefined) {
      child = create(item);
      child.dataset.key = keys[i];
      child.addEventListener("animationend", appeared);
    }
    const place = before === null ? parent.firstElementChild : before.nextElementSibling;
    if (place !== child) parent.insertBefore(child, place);
    before = child;
    update(child, item);
  }
}

// Once is enough, also where its place in the document changes.
function appeared(event) {
  if (event.target === event.currentTarget) event.target.classList.remove("appear");
}

/**
 * Names for the pieces on the table that stay with a piece while it moves. A face that lies there once names itself;
 * of pieces that look the same, each takes the name of the nearest one before it. A piece that a hand covers is kept
 * where it was last seen, as a ghost, until the hand is gone.
 */
export class Tracker {
  #last = [];
  #count = 0;

  /** @returns {Array<{key: string, piece: object, angle: number, ghost: boolean}>} angle: continuous, so that nothing
   * spins round. */
  follow(pieces, hidden = []) {
    const left = this.#last;
    const next = new Array(pieces.length).fill(null);
    const faces = new Map();
    for (const piece of pieces) faces.set(piece.face, (faces.get(piece.face) ?? 0) + 1);
    const pairs = [];
    pieces.forEach((piece, i) => {
      left.forEach((old, j) => {
        if (old.piece.face !== piece.face) return;
        const far = Math.hypot(old.piece.x_mm - piece.x_mm, old.piece.y_mm - piece.y_mm);
        pairs.push([faces.get(piece.face) === 1 ? -1 : far, i, j]);
      });
    });
    pairs.sort((a, b) => a[0] - b[0]);
    const taken = new Set();
    for (const [, i, j] of pairs) {
      if (next[i] !== null || taken.has(j)) continue;
      taken.add(j);
      next[i] = { key: left[j].key, piece: pieces[i], angle: nearAngle(pieces[i].angle_deg, left[j].angle), ghost: false };
    }
    pieces.forEach((piece, i) => {
      next[i] ??= { key: `p${this.#count++}`, piece, angle: piece.angle_deg, ghost: false };
    });
    const covered = left.filter(({ piece }, j) => !taken.has(j) && hidden.some((outline) => covers(outline, piece)));
    this.#last = [...covered.map((old) => ({ ...old, ghost: true })), ...next];
    return this.#last;
  }
}

/** Whether some part of a piece's outline lies within a polygon. */
function covers(polygon, piece) {
  return [[piece.x_mm, piece.y_mm], middle(piece.outline_mm), ...piece.outline_mm].some((point) => within(polygon, point));
}

function within(polygon, [x, y]) {
  let inside = false;
  polygon.forEach(([x1, y1], i) => {
    const [x0, y0] = polygon.at(i - 1);
    if ((y0 > y) !== (y1 > y) && x < x0 + ((x1 - x0) * (y - y0)) / (y1 - y0)) inside = !inside;
  });
  return inside;
}

function nearAngle(angle, before) {
  return angle + 360 * Math.round((before - angle) / 360);
}

/** The place of a piece as a CSS transform; SVG's y runs down, the table's up. */
export function poseTransform(x_mm, y_mm, angle_deg) {
  return `translate(${x_mm.toFixed(1)}px, ${(-y_mm).toFixed(1)}px) rotate(${(-angle_deg).toFixed(1)}deg)`;
}

/** Outline in millimetres as the `points` of a polygon. */
export function points(outline_mm) {
  return outline_mm.map(([x, y]) => `${x.toFixed(1)},${(-y).toFixed(1)}`).join(" ");
}

/** The middle of an outline's bounding box, millimetres. */
export function middle(outline_mm) {
  const box = bounds(outline_mm);
  return [(box.left + box.right) / 2, (box.bottom + box.top) / 2];
}

/** The bounding box of points, millimetres. */
export function bounds(outline_mm) {
  const xs = outline_mm.map((p) => p[0]);
  const ys = outline_mm.map((p) => p[1]);
  return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
}

/** The seat where a player sits. */
export function seatOf(view, player) {
  return view.seats.find((seat) => seat.player === player) ?? null;
}

/** A player's name. An element that holds it alone has dir="auto", so that what is too long is cut off at its end. */
export function nameOf(view, player) {
  return seatOf(view, player)?.name || `Player ${player}`;
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A name as it stands in a sentence: one that is written from right to left does not turn what stands beside it. */
export function isolated(name) {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/** A player's name as it stands in a sentence. */
export function nameIn(view, player) {
  return isolated(nameOf(view, player));
}

/** A player's colour. */
export function colourOf(view, player) {
  return colour(seatOf(view, player)?.colour);
}

/** A CSS colour, or grey for what is none. */
export function colour(text) {
  return text && CSS.supports("color", text) ? text : "#8d8379";
}

/** Put the players' names where a text says "Player 2". */
export function named(view, text) {
  return text.replace(/\bPlayer (\d+)\b/g, (_, number) => nameIn(view, Number(number)));
}

/** The player's number on the seat's colour: told apart without the colour too. */
export function badge(view, player, extra = "") {
  return html("span", { class: `badge ${extra}`, vars: { seat: colourOf(view, player) }, text: String(player) });
}

/** The same where no name stands beside it, for whoever hears the page. */
export function nameplate(view, player, extra = "") {
  const plate = badge(view, player, extra);
  plate.setAttribute("role", "img");
  plate.setAttribute("aria-label", nameOf(view, player));
  return plate;
}

/** A number as a table's people say it: halves as ½, minus as −. */
export function number(value) {
  const whole = Math.trunc(Math.abs(value));
  const half = Math.abs(value) - whole >= 0.25 ? "½" : "";
  return `${value < 0 ? "−" : ""}${whole || !half ? whole : ""}${half}`;
}
