// Outlining a piece by its corners in a photo, by touch, mouse or keys.

import { aiming, stepOf } from "/static/aiming.js";
import { zooming } from "/static/zooming.js";

const SVG = "http://www.w3.org/2000/svg";
/** How much nearer a piece is looked at whose corners are moved. */
const NEAR = 2;
const WHICH = { 3: "the tip and both ends of the crust", 4: "clockwise from its top left" };

/**
 * The view of a photo in which pieces can be outlined. `corners` are the kinds of piece and how many corners each has,
 * `send` takes a kind, corners in pixels and the number of the piece that they are of (null: a new one) and tells
 * whether they were taken. Gives the view, `change`, which has a piece's corners moved, and `propose`, which has those
 * of what may be a piece looked at.
 */
export function outlining(part, picture, photo, corners, send) {
  const view = element("div", "shown");
  const tools = element("div", "tools");
  const kinds = element("select");
  kinds.setAttribute("aria-label", "kind of the piece to outline");
  kinds.append(...Object.keys(corners).map((kind) => new Option(inWords(kind), kind)));
  kinds.hidden = kinds.length < 2;
  const begin = element("button", "outline", "Outline a piece by hand");
  const take = element("button", "main", "Take this outline");
  const back = element("button", "", "Take a corner back");
  const cancel = element("button", "", "Cancel");
  const state = element("p", "state");
  state.setAttribute("role", "status");
  const around = element("div", "window");
  const frame = element("div", "frame");
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("viewBox", `0 0 ${photo.width} ${photo.height}`);
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.setAttribute("aria-hidden", "true");
  const polygon = drawn.appendChild(document.createElementNS(SVG, "polygon"));
  frame.append(picture, drawn);
  around.append(frame);
  const { look, buttons, at: lookAt } = zooming([[around, frame]], 1, [0.5, 0.5]);
  tools.append(kinds, begin, take, back, cancel, ...buttons);
  view.append(tools, state, around);
  picture.addEventListener("load", look);

  /** What is being outlined: `{ kind, number, points }`; null between outlines. */
  let now = null;
  const cross = aiming(frame, { size: () => [photo.width, photo.height], set: (point) => add(point), wanted: () => now !== null });
  draw();

  begin.addEventListener("click", () => start({ kind: kinds.value, number: null, points: [] }));
  kinds.addEventListener("change", () => now && now.number === null && start({ kind: kinds.value, number: null, points: [] }));
  cancel.addEventListener("click", () => stop());
  back.addEventListener("click", takeBack);
  take.addEventListener("click", async () => {
    take.disabled = true;
    const { kind, number, place, points } = now;
    const taken = await send({ kind, number, place, corners: points });
    take.disabled = false;
    if (taken) stop(false);
  });
  frame.addEventListener("click", (event) => {
    if (now && !event.target.closest(".corner")) add(placeOf(event));
  });
  view.addEventListener("keydown", (event) => {
    if (!now) return;
    if (event.key === "Escape") {
      stop();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      takeBack();
      event.preventDefault();
    }
  });

  function start(outline) {
    now = outline;
    pointing(true);
    const middle = [0, 1].map((i) => now.points.reduce((sum, point) => sum + point[i], 0) / now.points.length);
    if (now.points.length) lookAt([middle[0] / photo.width, middle[1] / photo.height], NEAR);
    draw();
    (frame.querySelector(".corner") ?? frame).focus({ preventScroll: true });
    view.scrollIntoView();
  }

  /** The page's head stays where it is meanwhile: it would cover the buttons. */
  function pointing(now) {
    part.classList.toggle("outlining", now);
    document.body.classList.toggle("pointing", document.querySelector(".outlining") !== null);
  }

  function stop(toButton = true) {
    now = null;
    pointing(false);
    lookAt([0.5, 0.5], 1);
    draw();
    if (toButton) begin.focus();
  }

  function add(point) {
    if (now.points.length >= corners[now.kind]) return;
    now.points.push(rounded(point));
    draw();
    if (now.points.length === corners[now.kind]) take.focus({ preventScroll: true });
  }

  function takeBack() {
    now.points.pop();
    draw();
    frame.focus({ preventScroll: true });
  }

  function placeOf(event) {
    const box = picture.getBoundingClientRect();
    return [((event.clientX - box.left) * photo.width) / box.width, ((event.clientY - box.top) * photo.height) / box.height];
  }

  function draw() {
    const [width, height] = [photo.width, photo.height];
    begin.hidden = now !== null;
    take.hidden = back.hidden = cancel.hidden = now === null;
    buttons.forEach((button) => { button.hidden = now === null; });
    frame.querySelectorAll(".corner, .cross").forEach((one) => one.remove());
    polygon.setAttribute("points", now ? now.points.map((point) => point.join(",")).join(" ") : "");
    if (now === null) {
      state.textContent = "";
      for (const name of ["tabindex", "role", "aria-label"]) frame.removeAttribute(name);
      return;
    }
    const most = corners[now.kind];
    const left = most - now.points.length;
    back.disabled = !now.points.length;
    // Corners that are set lie under a finger that sets the next.
    frame.classList.toggle("setting", left > 0);
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", `${photo.name}: arrow keys point, Enter sets a corner`);
    state.textContent = left
      ? `Point at the ${most} corners of the ${inWords(now.kind)}, ${WHICH[most]}: ${left} to go. Arrow keys point (with Shift by one pixel), Enter sets a corner, Delete takes the last one back.`
      : "Drag the corners, or move them with the arrow keys, until they lie right.";
    if (left) frame.append(cross);
    now.points.forEach((point, number) => frame.append(cornerOf(point, number)));

    function put(one, [x, y]) {
      one.style.left = `${(100 * x) / width}%`;
      one.style.top = `${(100 * y) / height}%`;
      return one;
    }

    function cornerOf(point, number) {
      const corner = put(element("button", "corner"), point);
      corner.setAttribute("aria-label", `corner ${number + 1}`);
      const move = (there) => {
        now.points[number] = rounded(there);
        put(corner, now.points[number]);
        polygon.setAttribute("points", now.points.map((one) => one.join(",")).join(" "));
      };
      let offset = null;
      corner.addEventListener("pointerdown", (event) => {
        const at = placeOf(event);
        offset = [0, 1].map((i) => now.points[number][i] - at[i]);
        corner.setPointerCapture(event.pointerId);
      });
      corner.addEventListener("pointermove", (event) => {
        if (offset) move(placeOf(event).map((value, i) => value + offset[i]));
      });
      for (const end of ["pointerup", "pointercancel"]) corner.addEventListener(end, () => { offset = null; });
      corner.addEventListener("keydown", (event) => {
        const step = stepOf(event);
        if (!step) return;
        move(now.points[number].map((value, i) => value + step[i]));
        event.preventDefault();
      });
      return corner;
    }
  }

  return {
    view,
    change: (piece) => start({ kind: piece.kind, number: piece.number, place: piece.place, points: copied(piece.corners) }),
    propose: (piece) => {
      kinds.value = piece.kind;
      start({ kind: piece.kind, number: null, points: copied(piece.corners) });
    },
  };
}

/** A kind of piece as a sentence has it. */
export function inWords(kind) {
  return kind.replaceAll("-", " ");
}

function copied(points) {
  return points.map((point) => [...point]);
}

function rounded(point) {
  return point.map((value) => Math.round(value * 10) / 10);
}

function element(name, className = "", text = "") {
  return Object.assign(document.createElement(name), { className, textContent: text });
}
