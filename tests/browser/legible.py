"""What of a page is hard to read, and what a screen reader could not tell of it."""

from typing import Any

from tests.browser.chromium import Page

LEAST_PX = 22
"""The smallest letters on a television of 1080 lines that is read from three metres."""
CHOSEN_PX = 24
"""The smallest there of what is asked and chosen from."""
_SHOWN = """[...document.querySelectorAll('body *')].filter((e) => {
  const own = [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  const shown = e.getClientRects().length > 0 && getComputedStyle(e).visibility === 'visible';
  return own && shown && !e.closest('svg, option, .unseen');
})"""
"""Elements with text of their own that is seen; drawings are pictures of what lies there, with all that is printed."""
_SMALL = f"""
{_SHOWN}.filter((e) => !e.closest('.pie-type')).filter((e) =>
  parseFloat(getComputedStyle(e).fontSize) < (e.closest('.dialog, .candidate') ? {CHOSEN_PX} : {LEAST_PX}) - 0.1)
  .map((e) => `${{e.className}} ${{getComputedStyle(e).fontSize}} ${{e.textContent}}`)
"""
"""Letters too small for a television. A column of New York Slice's types has no room for more of its name, which stands
beside the number that is on the slices."""
_FAINT = f"""
(() => {{
  const brush = document.createElement('canvas').getContext('2d', {{ willReadFrequently: true }});
  const read = (colour) => {{
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }};
  const once = (make, known = new Map()) => (of) => known.get(of) ?? known.set(of, make(of)).get(of);
  const parsed = once(read);
  const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3]));
  const linear = (v) => (v <= 0.04045 * 255 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const contrast = (one, other) => {{
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }};
  const opacity = once((e) => (e ? getComputedStyle(e).opacity * opacity(e.parentElement) : 1));
  // Every stop of a gradient counts as the ground.
  const grounds = once((e) => {{
    if (!e) return [[27, 18, 13]];
    const style = getComputedStyle(e);
    const flat = grounds(e.parentElement).map((ground) => over(parsed(style.backgroundColor), ground));
    const named = style.backgroundImage.matchAll(/(?:rgba?|oklab|color)\\([^()]*\\)/g);
    const stops = [...named].map(([stop]) => parsed(stop));
    return stops.length ? flat.flatMap((ground) => stops.map((stop) => over(stop, ground))) : flat;
  }});
  return {_SHOWN}.flatMap((e) => {{
    const style = getComputedStyle(e);
    if (style.textShadow !== 'none') return [];  // edged
    if (e.closest(':disabled, :has(> :disabled)')) return [];
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const [r, g, b, a] = parsed(style.color);
    const front = [r, g, b, a * opacity(e)];
    const seen = Math.min(...grounds(e).map((ground) => contrast(over(front, ground), ground)));
    return seen < least ? [`${{e.tagName}}.${{e.className}} ${{seen.toFixed(2)}} ${{e.textContent}}`] : [];
  }});
}})()
"""
"""Text with less contrast than WCAG 2.2 wants (1.4.3), by the computed styles. Letters with an edge carry their own
ground."""
_TO_BE_NAMED = {
    "button", "checkbox", "combobox", "dialog", "image", "link", "listbox", "radio", "region", "spinbutton", "table",
    "textbox",
}  # fmt: skip


async def illegible(page: Page, *, television: bool = False) -> list[str]:
    """Text that stands out too little or is too small for a television, and what a screen reader could not name."""
    faint: list[str] = await page.evaluate(_FAINT)
    small: list[str] = await page.evaluate(_SMALL) if television else []
    unnamed = [f"{role} without a name" for role, name in await told(page) if role in _TO_BE_NAMED and not name]
    return faint + small + unnamed


async def told(page: Page) -> list[tuple[str, str]]:
    """Role and name of everything that a screen reader comes across, in its order."""
    nodes: list[dict[str, Any]] = await page.accessibility()
    return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
