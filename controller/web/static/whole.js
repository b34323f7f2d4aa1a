// Stands in every page itself: where the table went away before all of a page's files had come, the page asks for the
// file until the table answers, and loads itself anew.
addEventListener("error", ({ target }) => {
  if (!(target instanceof Element && target.matches("script, link"))) return;
  const again = () => setTimeout(look, 2000);
  const look = () => fetch(target.src || target.href, { cache: "no-store" })
    .then(({ ok }) => ok ? location.reload() : again(), again);
  again();
}, true);
