// Pointing at a place in a photo with keys.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** Arrow keys move by so many pixels of the photo, with Shift by one. */
const STRIDE = 10;

/** How far an arrow key moves; null of another key. */
export function stepOf(event) {
  const way = ARROWS[event.key];
  return way ? way.map((value) => value * (event.shiftKey ? 1 : STRIDE)) : null;
}

/**
 * Let arrow keys point in a photo's `frame` while it has the focus, and Enter or Space `set` the place, in pixels.
 * `size()`: of the photo; `wanted()`: whether something is to be pointed at. Gives the cross that shows where.
 */
export function aiming(frame, { size, set, wanted = () => true }) {
  const cross = Object.assign(document.createElement("span"), { className: "cross" });
  let share = [0.5, 0.5];
  const put = () => [cross.style.left, cross.style.top] = share.map((value) => `${100 * value}%`);
  put();
  frame.addEventListener("keydown", (event) => {
    if (!wanted() || event.target !== frame) return;
    const step = stepOf(event);
    if (step) {
      share = share.map((value, i) => Math.min(1, Math.max(0, value + step[i] / size()[i])));
      put();
      cross.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (event.key === "Enter" || event.key === " ") {
      set(share.map((value, i) => Math.round(10 * value * size()[i]) / 10));
    } else {
      return;
    }
    event.preventDefault();
  });
  return cross;
}
