"""Where a table is reached."""

from typing import Any

import pytest

from controller.addresses import NotReachable, address_here, addresses_on, host_address, lan_address, told_addresses


class NoWayOut:
    """A datagram socket of a machine from which no route leads anywhere."""

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> "NoWayOut":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, _: Any) -> None:
        raise OSError(101, "Network is unreachable")


def test_a_table_on_every_network_has_an_address_of_its_machine() -> None:
    own = addresses_on(())
    if not own:
        pytest.skip("this machine has no network")
    host = lan_address("0.0.0.0", 8080).removeprefix("http://").removesuffix(":8080/")
    assert host in own


@pytest.mark.parametrize("served_on", ["0.0.0.0", "::"])
def test_where_no_route_leads_out_any_of_its_addresses_is_told(monkeypatch: pytest.MonkeyPatch, served_on: str) -> None:
    monkeypatch.setattr("controller.addresses.socket.socket", NoWayOut)
    monkeypatch.setattr("controller.addresses.addresses_on", lambda _: ("10.42.0.1",))
    assert lan_address(served_on, 8080) == "http://10.42.0.1:8080/"
    monkeypatch.setattr("controller.addresses.addresses_on", lambda _: ())
    with pytest.raises(NotReachable, match="no address on any network"):
        lan_address(served_on, 8080)


@pytest.mark.parametrize(
    ("served_on", "address"),
    [("192.168.1.20", "http://192.168.1.20:9000/"), ("fd00::5", "http://[fd00::5]:9000/"), ("pi", "http://pi:9000/")],
)
def test_a_table_on_one_network_is_at_its_address_there(served_on: str, address: str) -> None:
    assert lan_address(served_on, 9000) == address_here(served_on, 9000) == address


@pytest.mark.parametrize("served_on", ["127.0.0.1", "127.0.1.1", "::1", "localhost"])
def test_a_table_for_its_machine_alone_has_no_address_on_the_lan(served_on: str) -> None:
    with pytest.raises(NotReachable, match=f"lan.host is {served_on}"):
        lan_address(served_on, 8080)
    told, here, host = told_addresses(served_on, 8080, "abc")
    assert told.startswith("The table's display:  for no other machine: lan.host is")
    assert here == f"On this machine:      {address_here(served_on, 8080)}"
    assert host == f"The host's controls:  {address_here(served_on, 8080)}?host=abc"


def test_all_three_are_told() -> None:
    assert told_addresses("192.168.1.20", 8080, "a/b c") == [
        "The table's display:  http://192.168.1.20:8080/",
        "On this machine:      http://192.168.1.20:8080/",
        "The host's controls:  http://192.168.1.20:8080/?host=a%2Fb%20c",
    ]
    assert len(told_addresses("192.168.1.20", 8080, None)) == 2
    assert host_address("http://pi:80/", "x") == "http://pi:80/?host=x"
