"""Make the card of a release: what is guaranteed, what was tested, what nobody has said.

MODEL_OR_FOLDER is a model of privboost as JSON, or a folder with a model or a release.toml, in which the
owner states what no other file says, and with reports of audits, gates and checks of stability. Every answer
names the file and the member that it comes from; a question without one is marked as not addressed.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from privboost.cli.arguments import add_output
from privboost.cli.exit_codes import CONFORMING, NOT_CONFORMING
from privboost.files import prepare_directory, write_files
from privboost.tables import Table

EPILOG = """
With -o DIR the page DIR/card.html and the document DIR/card.json are written. For the members of
release.toml see docs/card.md.

Exit codes: 0 no report contradicts the guarantee, 1 a report contradicts it, 2 bad command line, or a file
that cannot be read or is not as expected, 3 privboost is broken, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files of the release and the output folder."""
    parser.epilog = EPILOG.strip()
    parser.add_argument(
        "given", type=Path, metavar="MODEL_OR_FOLDER", help="a model as JSON, or a folder with a release"
    )
    add_output(parser, required=False)


def run(options: argparse.Namespace) -> Table:
    """Return the lines of the card as a table."""
    from privboost.cli.card.making import make_card
    from privboost.cli.card.rendering import card_document, card_json, card_page, card_rows, count_answers

    if options.output is not None:
        prepare_directory(options.output)
    card = make_card(options.given)
    made = datetime.now(UTC).date()
    contradictions = [f"CONTRADICTED: {each.contradiction} ({each.source})" for each in card.contradictions]
    summary = "\n".join([*contradictions, f"{card.name}: {card.headline}", count_answers(card)])
    write = None
    if options.output is not None:
        contents = {
            "card.html": card_page(card, made).encode(),
            "card.json": card_json(card, made).encode(),
        }
        write = partial(write_files, options.output, contents)
    return Table(
        "card",
        ("section", "question", "answer", "source"),
        tuple(card_rows(card)),
        not contradictions,
        summary,
        NOT_CONFORMING if contradictions else CONFORMING,
        document={"card": card_document(card, made)},
        write=write,
    )
