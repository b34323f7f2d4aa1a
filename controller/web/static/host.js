// Who this page's host is: a token in the address, kept in this tab and in those that it opens with rel="opener", and a
// name for the journal, kept in this browser.

const NAME_KEPT = "host-name";

/** The host's token, taken from the address once; null for everybody else. */
export function hostToken() {
  const given = taken("host");
  if (given !== null) sessionStorage.setItem("host", given);
  return sessionStorage.getItem("host");
}

/** The host's name; empty where none was given. */
export function hostName() {
  const given = taken("by");
  if (given !== null) keepHostName(given);
  return localStorage.getItem(NAME_KEPT) ?? "";
}

/** This is the host's name from now on. */
export function keepHostName(name) {
  localStorage.setItem(NAME_KEPT, name.trim());
}

/** The headers of a request by somebody with this token, or without one, and of this name, if any. */
export function headersOf(token, name = "") {
  return {
    "Content-Type": "application/json",
    ...(token ? { "X-Host-Token": token } : {}),
    ...(name ? { "X-Host-Name": encodeURIComponent(name) } : {}),
  };
}

/** A part of the address, which shows it no longer; null where it had none. */
function taken(name) {
  const address = new URL(location.href);
  const value = address.searchParams.get(name);
  if (value !== null) {
    address.searchParams.delete(name);
    history.replaceState(null, "", address);
  }
  return value;
}
