#!/bin/bash
# Is a table found by avahi-browse on another machine? Two network namespaces joined by a cable (veth): the table in one,
# an avahi-daemon with a message bus of its own in the other. Then the cable is pulled and put back, and a second table
# of the same name joins.
#
# Usage: tests/rigs/avahi.sh [PYTHON]
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:-.venv/bin/python}

for program in ip unshare avahi-daemon avahi-browse dbus-daemon; do
    if ! command -v "$program" >/dev/null; then
        echo "SKIPPED: needs $program (apt-get install avahi-daemon avahi-utils dbus iproute2)"
        exit 0
    fi
done
if [[ $(id -u) != 0 ]] || ! ip netns add "pizzatable-try-$$" 2>/dev/null; then
    echo "SKIPPED: needs root with the right to make network namespaces"
    exit 0
fi
ip netns del "pizzatable-try-$$"

table=pt-table-$$ room=pt-room-$$ work=$(mktemp -d)
children=()
clean_up() {
    exec 9>&-
    # The room's children are ended with it, by the kernel: they share its process namespace.
    for child in "${children[@]}"; do kill -KILL "$child" 2>/dev/null || true; done
    wait 2>/dev/null || true
    ip netns del "$table" 2>/dev/null || true
    ip netns del "$room" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    echo "FAILED: $*"
    for log in "$work"/*.log; do echo "--- $log"; tail -n 20 "$log"; done
    exit 1
}

# Run the command until it succeeds, at most $1 tenths of a second.
eventually() {
    local tries=$1
    shift
    for ((i = 0; i < tries; i++)); do
        if "$@"; then return 0; fi
        sleep 0.1
    done
    return 1
}

ip netns add "$table"
ip netns add "$room"
ip link add pt-t netns "$table" type veth peer name pt-r netns "$room"
ip -n "$table" addr add 10.77.0.1/24 dev pt-t
ip -n "$room" addr add 10.77.0.2/24 dev pt-r
for space in "$table" "$room"; do ip -n "$space" link set lo up; done
ip -n "$table" link set pt-t up
ip -n "$room" link set pt-r up

# The daemon and those who ask it meet in a mount namespace whose /run is empty.
cat >"$work/room.sh" <<'ROOM'
mount -t tmpfs none /run
mkdir -p /run/dbus /run/avahi-daemon
dbus-daemon --system --fork --nopidfile
avahi-daemon --no-drop-root --no-chroot --no-rlimits -D
while read -r request; do
    case $request in
        browse) avahi-browse -rpt _pizzatable._tcp >"$1/found.new" 2>"$1/browse.log" || true; mv "$1/found.new" "$1/found" ;;
        web) avahi-browse -rpt _http._tcp >"$1/found.new" 2>"$1/browse.log" || true; mv "$1/found.new" "$1/found" ;;
    esac
done
avahi-daemon --kill
ROOM
mkfifo "$work/requests"
ip netns exec "$room" unshare -m -p --fork --kill-child --mount-proc bash "$work/room.sh" "$work" <"$work/requests" >"$work/room.log" 2>&1 &
children+=($!)
exec 9>"$work/requests"

# Ask avahi-browse about a kind of service ($1) until a resolved line fits the pattern ($2).
found() {
    rm -f "$work/found"
    echo "$1" >&9
    eventually 80 test -e "$work/found" || return 1
    grep -E -- "$2" "$work/found" >/dev/null
}
gone() {
    rm -f "$work/found"
    echo browse >&9
    eventually 80 test -e "$work/found" || return 1
    ! grep -E '^=' "$work/found" >/dev/null
}

announce() {
    ip netns exec "$table" "$python" -m tests.rigs.announce "$1" pt-t >"$work/$2.log" 2>&1 &
    children+=($!)
    announcer=$!
}

started=$(date +%s%N)
announce "Kitchen" first
first=$announcer
eventually 100 grep -q '^ok' "$work/first.log" || fail "the table did not announce itself"
echo "announced after $((($(date +%s%N) - started) / 1000000)) ms"
eventually 20 found browse '^=;pt-r;IPv4;Kitchen;_pizzatable\._tcp;local;.*;10\.77\.0\.1;8080;.*"game=new_york_slice"' || fail "avahi-browse did not find _pizzatable._tcp"
grep '^=' "$work/found"
for text in '"table=Kitchen"' '"version=0.1.0"' '"path=/"'; do
    grep -qF -- "$text" "$work/found" || fail "the TXT record lacks $text"
done
eventually 20 found web '^=;pt-r;IPv4;Kitchen;(_http\._tcp|Web Site);local;.*;10\.77\.0\.1;8080;' || fail "avahi-browse did not find _http._tcp"
echo "found after $((($(date +%s%N) - started) / 1000000)) ms"

announce "Kitchen" second
eventually 150 grep -q 'Kitchen (2)' "$work/second.log" || fail "the second table of the same name got no name of its own"
echo "second table: $(tail -n 1 "$work/second.log")"

ip -n "$table" addr del 10.77.0.1/24 dev pt-t
eventually 100 grep -q '^lost' "$work/first.log" || fail "the table did not notice that its network is gone"
ip -n "$table" addr add 10.77.0.1/24 dev pt-t
eventually 150 bash -c "[[ \$(grep -c '^ok' '$work/first.log') == 2 ]]" || fail "the table did not come back"
eventually 20 found browse '^=;pt-r;IPv4;Kitchen;' || fail "avahi-browse did not find the table that came back"
echo "pulled and put back: $(tail -n 1 "$work/first.log")"

kill "${children[@]:1}"
wait "$first"
eventually 20 gone || fail "the table said no goodbye"
echo "gone after its goodbye"
echo PASSED
