"""The writers of results, by the ending of a file, and for notebooks, loaded when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from privboost.auditor.result import FRAGMENT, AuditResult, Writers
from privboost.extras import is_installed
from privboost.pages import Html, element

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


def _show(fragment: Html) -> str:
    """Return a report as a part of a page, such as a notebook, whose own style it leaves alone."""
    return element("div", element("style", Html(STYLE)), fragment, class_="privboost-audit")


def _audit_writers() -> Writers:
    from . import page, report

    return {
        ".html": lambda result: page.audit_page(result, draw_plots(result), ""),
        ".json": report.to_json_text,
        ".txt": report.to_text,
        FRAGMENT: lambda result: _show(page.audit_fragment(result, draw_plots(result))),
    }


def _stability_writers() -> Writers:
    from . import stability_page, stability_report

    return {
        ".html": lambda result: stability_page.stability_page(result, ""),
        ".json": stability_report.to_json_text,
        ".txt": stability_report.to_text,
        FRAGMENT: lambda result: _show(stability_page.stability_fragment(result)),
    }


def _replay_writers() -> Writers:
    from . import replay_page, replay_report

    return {
        ".html": lambda result: replay_page.replay_page(result, ""),
        ".json": replay_report.to_json_text,
        ".txt": replay_report.to_text,
        FRAGMENT: lambda result: _show(replay_page.replay_fragment(result)),
    }


def _one_run_writers() -> Writers:
    from . import one_run_page, one_run_report

    return {
        ".html": lambda result: one_run_page.one_run_page(result, ""),
        ".json": one_run_report.to_json_text,
        ".txt": one_run_report.to_text,
        FRAGMENT: lambda result: _show(one_run_page.one_run_fragment(result)),
    }


WRITERS: Mapping[str, Callable[[], Writers]] = {
    "AuditResult": _audit_writers,
    "StabilityResult": _stability_writers,
    "RecordReplayResult": _replay_writers,
    "OneRunResult": _one_run_writers,
}
"""What loads the writers of a class of results; few programs need all of them."""
