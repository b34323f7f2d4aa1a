// Looks whether the table has started, or cannot for another reason. It may not answer at all while it tries.

const AGAIN_MS = 3000;
let known = null;

async function look() {
  try {
    const answer = await fetch("/", { headers: { Accept: "text/html" }, cache: "no-store" });
    const page = await answer.text();
    if (answer.status !== 503 || (known !== null && page !== known)) location.reload();
    known = page;
  } catch {
    // Soon again.
  }
}

look();
setInterval(look, AGAIN_MS);
