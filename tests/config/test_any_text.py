"""Whatever stands in a table's file: it loads, or the error is one of ours."""

from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from config.errors import ConfigError
from config.loader import load_table

DEFAULTS = [
    line
    for line in (resources.files("config") / "defaults.toml").read_text().splitlines()
    if line and not line.startswith("#")
]
VALUES = st.sampled_from(
    [
        "",
        "1",
        "-1",
        "1e400",
        "nan",
        '""',
        '"x"',
        "true",
        "[]",
        "[[]]",
        "{}",
        "{x = 1}",
        "1979-05-27",
        "12:00:00",
        '"\\u0000"',
    ]
)
SCALARS = st.builds(lambda line, value: f"{line.split('=')[0]} = {value}", st.sampled_from(DEFAULTS), VALUES)
LINES = st.lists(st.one_of(st.sampled_from(DEFAULTS), SCALARS, st.text(max_size=20)), max_size=6)


@given(LINES)
@settings(max_examples=300, deadline=None)
def test_any_text_loads_or_is_refused(lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.toml"
        path.write_text("\n".join(lines), encoding="utf-8")
        try:
            load_table([path])
        except ConfigError as error:
            assert str(error)  # noqa: PT017 most texts are refused, some are not
