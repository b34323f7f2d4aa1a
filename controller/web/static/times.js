// When something was, in words.

const WEEKDAY_TELLS_MS = 6 * 24 * 3600 * 1000;

/** `at`: ISO 8601, by the table's clock, which may be wrong; `ago_s`: how long ago it was, which is not, or null. */
export function when(at, ago_s) {
  const then = new Date(ago_s === null ? at : Date.now() - ago_s * 1000);
  const day = Date.now() - then < WEEKDAY_TELLS_MS ? { weekday: "short" } : { year: "numeric", month: "short", day: "numeric" };
  return then.toLocaleString(undefined, { ...day, hour: "2-digit", minute: "2-digit" });
}
