// Who this page's host is: a token in the address, kept in this tab only.

/** The host's token, taken from the address once; null for everybody else. */
export function hostToken() {
  const address = new URL(location.href);
  const given = address.searchParams.get("host");
  if (given !== null) {
    sessionStorage.setItem("host", given);
    address.searchParams.delete("host");
    history.replaceState(null, "", address);
  }
  return sessionStorage.getItem("host");
}

/** The headers of a request by somebody with this token, or without one. */
export function headersOf(token) {
  return { "Content-Type": "application/json", ...(token ? { "X-Host-Token": token } : {}) };
}
