// Looking at a photo from nearer.

/**
 * Windows (`pairs` of a window and what scrolls in it), as large as they are or `zoom` times, about a `place` in them
 * (shares of width and height). Gives `look`, which puts them right, and the buttons for nearer and farther.
 */
export function zooming(pairs, zoom, place) {
  const look = () => {
    for (const [around, inside] of pairs) {
      inside.style.width = `${100 * zoom}%`;
      around.scrollLeft = place[0] * inside.clientWidth - around.clientWidth / 2;
      around.scrollTop = place[1] * inside.clientHeight - around.clientHeight / 2;
    }
  };
  const [[around, inside]] = pairs;
  const buttons = [["nearer", 1.4], ["farther", 1 / 1.4]].map(([text, times]) => {
    const button = Object.assign(document.createElement("button"), { textContent: text });
    button.addEventListener("click", () => {
      place = [(around.scrollLeft + around.clientWidth / 2) / inside.clientWidth, (around.scrollTop + around.clientHeight / 2) / inside.clientHeight];
      zoom = Math.min(6, Math.max(1, zoom * times));
      look();
    });
    return button;
  });
  /** Look at another place, so near. */
  const at = (there, near) => {
    place = there;
    zoom = near;
    look();
  };
  return { look, buttons, at };
}
