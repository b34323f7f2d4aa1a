"""`pizzatable referee`: the rules for other programs, over standard input and output."""

import sys
from importlib.metadata import version
from typing import BinaryIO

import click

from controller.protocol import LONGEST_REQUEST, Session


@click.command(
    epilog="""Example:  pizzatable referee < requests.jsonl

    \b
    {"do": "new", "game": "new_york_slice", "players": 3, "seed": 1}
    {"do": "legal"}
    {"do": "play", "notation": "stack 2"}
    {"do": "quit"}
    """
)
def command() -> None:
    """Judge games for another program: one JSON request a line in, one JSON answer a line out.

    docs/referee-protocol.md describes the requests. It ends with the input or with the request "quit".
    """
    serve(Session(version("pizzatable")), sys.stdin.buffer, sys.stdout.buffer)


def serve(session: Session, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line; each answer is flushed before the next request is read. Empty lines are skipped."""
    while not session.over and (line := requests.readline(LONGEST_REQUEST + 2)):
        if len(line) > LONGEST_REQUEST + 1:
            _skip_rest(requests, line)
        # What is no UTF-8 stays visible, and wrong, as escapes that no JSON has.
        text = line.decode("utf-8", "backslashreplace").strip("\r\n")
        if text.strip():
            answers.write(session.answer(text).encode() + b"\n")
            answers.flush()


def _skip_rest(requests: BinaryIO, line: bytes) -> None:
    """Pass over what is left of a line that is too long, without keeping it."""
    while line and not line.endswith(b"\n"):
        line = requests.readline(LONGEST_REQUEST)
