"""The writers of results, by the ending of a file, and for notebooks."""

from __future__ import annotations

from collections.abc import Callable

from privboost.auditor.replay.result import RecordReplayResult
from privboost.auditor.result import FRAGMENT, AuditResult
from privboost.auditor.stability.result import StabilityResult
from privboost.extras import is_installed
from privboost.pages import Html, element

from . import replay_report, stability_report
from .page import audit_fragment, audit_page
from .replay_page import replay_fragment, replay_page
from .report import to_json_text, to_text
from .stability_page import stability_fragment, stability_page

STYLE = """
.privboost-audit img{max-width:100%}
.privboost-audit .scroll{overflow-x:auto}
.privboost-audit figure{margin:0 0 1em;max-width:34em}
.privboost-audit .plots,.privboost-audit .tiles{display:flex;flex-wrap:wrap;gap:1em;padding:0;list-style:none}
.privboost-audit .tiles li{padding:.4em .8em;border:1px solid #8888}
.privboost-audit .tiles b{display:block;font-size:1.3em}
.privboost-audit .badge{padding:.1em .5em;border:1px solid;font-weight:bold}
.privboost-audit .bad{color:#a5122a}
.privboost-audit .good{color:#17693a}
.privboost-audit .warn{color:#8a5300}
"""


def draw_plots(result: AuditResult) -> dict[str, bytes]:
    """Return the plots by file name; without matplotlib there are none."""
    if not is_installed("matplotlib"):
        return {}
    from .plots import draw_all

    return draw_all(result)


def to_page(result: AuditResult) -> str:
    """Return the report as a page."""
    return audit_page(result, draw_plots(result), "")


def to_fragment(result: AuditResult) -> str:
    """Return the report as a part of a page, such as a notebook, whose own style it leaves alone."""
    return _with_style(audit_fragment(result, draw_plots(result)))


def _with_style(fragment: Html) -> str:
    return element("div", element("style", Html(STYLE)), fragment, class_="privboost-audit")


WRITERS = {".html": to_page, ".json": to_json_text, ".txt": to_text, FRAGMENT: to_fragment}
STABILITY_WRITERS: dict[str, Callable[[StabilityResult], str]] = {
    ".html": lambda result: stability_page(result, ""),
    ".json": stability_report.to_json_text,
    ".txt": stability_report.to_text,
    FRAGMENT: lambda result: _with_style(stability_fragment(result)),
}
REPLAY_WRITERS: dict[str, Callable[[RecordReplayResult], str]] = {
    ".html": lambda result: replay_page(result, ""),
    ".json": replay_report.to_json_text,
    ".txt": replay_report.to_text,
    FRAGMENT: lambda result: _with_style(replay_fragment(result)),
}
