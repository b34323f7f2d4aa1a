"""The pages that browsers open."""

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path

from fastapi.responses import HTMLResponse

STATIC = Path(__file__).parent / "static"
_WHOLE = (STATIC / "whole.js").read_text("utf-8")
_BEFORE = "<head>\n"
WHOLE_HASH = "sha256-" + base64.b64encode(hashlib.sha256(_WHOLE.encode()).digest()).decode()
"""Lets that script run: a hash-source of CSP Level 3."""


def page_text(name: str) -> str:
    """A page of `static/`, with the script that loads it anew where one of its files did not come; in the page itself,
    as that script may not come either."""
    text = (STATIC / name).read_text("utf-8")
    return text.replace(_BEFORE, f"{_BEFORE}<script>{_WHOLE}</script>\n", 1)


def page_response(name: str, headers: Mapping[str, str]) -> HTMLResponse:
    """A page of `static/`."""
    return HTMLResponse(page_text(name), headers=dict(headers))
