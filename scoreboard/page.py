"""The pages of a scoreboard, made from its index: one of all libraries, and one for each."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

from privboost.auditor.numbers import count_with_noun
from privboost.gate.reports.tally import SIGNS, Verdict
from privboost.pages import Html, Section, badge, code, element, join, page

from .findings import REFUTED

KINDS = {"pass": "good", "fail": "bad", "known failures": "warn"}
TRIAL_KINDS = {
    "VIOLATION": ("bad", "✗"),
    "COUNTEREXAMPLE": ("bad", "✗"),
    "CONSISTENT": ("good", "✓"),
    "NONE FOUND": ("good", "✓"),
    "INCONCLUSIVE": ("warn", "?"),
}
"""Colour and sign of the verdicts of audits and checks of stability."""
FACTS = {
    "claim": "Claim",
    "stated_in": "Stated in",
    "confirmation": "Confirmed on fresh coins",
    "true_if": "True if",
    "issue": "Known",
}
"""What is told of a trial besides its result, with the words for it."""
LEGEND = (
    ("good", "✓", "every case that was asked is right, or nothing was refuted"),
    ("bad", "✗", "a case is wrong, or the claim is refuted"),
    ("warn", "!", "only known failures: listed in a file for this library, with its comment, if any"),
    ("warn", "?", "no verdict"),
)

STYLE = """
.page{max-width:84rem}
.board table{width:auto}
.board th[scope=col]{vertical-align:bottom}
.board td,.board th[scope=col]:not(:first-child){text-align:center}
.board .turned{writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;font-weight:600}
.board td{padding:.3rem .15rem;white-space:nowrap}
.board td a{text-decoration:none}
.board tbody th{white-space:nowrap}
.board button{all:unset;cursor:pointer;color:var(--accent)}
.board button:focus-visible{outline:2px solid var(--accent)}
.board .badge{font-size:.82rem;padding:.05rem .3rem}
.board .date{display:block;font-size:.75rem;color:var(--soft)}
.board td a{display:block;margin:.15rem 0}
p{overflow-wrap:anywhere}
.legend{list-style:none;padding:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);
padding:.6rem .8rem;border-radius:.5rem}
@media (max-width:44rem){.board td:empty,.wide{display:none}
.board td{text-align:left;padding:.3rem .8rem}
.board td a{display:inline;margin:0 .2rem 0 0}
.board .short td::before{flex:0 0 10rem}}
"""

SORTING = """
document.querySelectorAll(".board th button").forEach((button) => button.addEventListener("click", () => {
  const head = button.closest("th"), body = head.closest("table").tBodies[0];
  const index = [...head.parentNode.children].indexOf(head);
  const down = head.getAttribute("aria-sort") === "ascending";
  head.parentNode.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => row.children[index].dataset.key;
  const rows = [...body.rows].sort((a, b) => key(a).localeCompare(key(b), "en", {numeric: true}));
  body.append(...(down ? rows.reverse() : rows));
}));
"""
"""Sorts the table by the column whose head is pressed."""


def board_page(index: Mapping[str, Any]) -> str:
    """Return the page with one row for each library."""
    profile = index["profile"]
    introduction = element(
        "header",
        element("h1", "Scoreboard"),
        element(
            "p",
            "What libraries answered to the gate of privboost, ",
            f"profile {profile['name']} {profile['version']}, vectors {profile['vectors']}, ",
            "and to audits and checks of stability. ",
            f"Made on {index['date']} by privboost {index['privboost']}.",
        ),
        element(
            "p",
            "A verdict is about the cases that were asked; none proves that a library is private. ",
            "A cell opens to what is behind it. An empty cell is an operation that the library, ",
            "or its adapter, does not have.",
            class_="soft",
        ),
        element(
            "ul",
            *(element("li", badge(kind, sign, ""), f" {text}") for kind, sign, text in LEGEND),
            class_="legend",
        ),
    )
    section = Section("libraries", "Libraries", _board(index))
    return page("Scoreboard", introduction, [section], contents=False, script=SORTING, style=STYLE)


def _board(index: Mapping[str, Any]) -> Html:
    operations = [
        name for name in index["operations"] if any(_has(each, name) for each in index["libraries"])
    ]
    columns = ("Version", "Gate", *operations)
    head = element(
        "tr",
        element("th", element("button", "Library", type="button"), scope="col"),
        *(
            element(
                "th", element("button", name.replace("_", " "), type="button", class_="turned"), scope="col"
            )
            for name in columns
        ),
    )
    rows = (_row(each, operations) for each in index["libraries"])
    whole = element(
        "table",
        element(
            "caption",
            "A number is that of wrong cases. ",
            element("span", "Press a head to sort.", class_="wide"),
        ),
        element("thead", head),
        element("tbody", *rows),
    )
    return element("div", element("div", whole, class_="scroll stack short"), class_="board")


def _row(library: Mapping[str, Any], operations: list[str]) -> Html:
    name = library["name"]
    first = element("th", element("a", name, href=_address(library)), scope="row", data_key=name)
    date = library["gate"]["date"] if library["gate"] else ""
    version = join((library["version"], element("span", date, class_="date")))
    cells = [_cell("Version", version, library["version"])]
    if library["gate"] is None:
        why = library["problem"] or library["faults"].get("gate", "not run")
        link = element("a", badge("warn", "?", re.split("[:;]", why)[0]), href=_address(library), title=why)
        cells.append(_cell("Gate", link, ""))
    else:
        verdict = library["gate"]["verdict"]
        link = element("a", _sign(verdict, verdict), href=_address(library))
        cells.append(_cell("Gate", link, verdict))
    for operation in operations:
        parts = list(_parts(library, operation))
        key = "".join(sorted(str(part) for part in parts))
        cells.append(_cell(operation.replace("_", " "), join(parts), key))
    return element("tr", first, *cells)


def _cell(label: str, content: object, key: str) -> Html:
    return element("td", content, data_label=label, data_key=key)


def _parts(library: Mapping[str, Any], operation: str) -> Iterator[Html]:
    """Yield the verdicts on an operation of a library, each a link."""
    address = f"{_address(library)}#{operation}"
    counts = library["operations"].get(operation)
    if counts is not None:
        judged = counts["passed"] + counts["failed"] + counts["known"]
        wrong = counts["failed"] + counts["known"]
        title = (
            f"{counts['passed']} of {count_with_noun(judged, 'case')} right, {counts['skipped']} not asked"
        )
        yield element("a", _sign(counts["verdict"], str(wrong) if wrong else ""), href=address, title=title)
    for trial in library["trials"]:
        if trial["operation"] == operation:
            kind, sign = _kind(trial)
            title = f"{trial['tool']}, {trial['about']}: {trial['verdict']}"
            yield element("a", badge(kind, sign, trial["tool"]), href=address, title=title)


def _kind(trial: Mapping[str, Any]) -> tuple[str, str]:
    """Return colour and sign of a trial; a refuted claim with a public issue is a known failure."""
    return ("warn", "!") if trial["verdict"] in REFUTED and trial["issue"] else TRIAL_KINDS[trial["verdict"]]


def _has(library: Mapping[str, Any], operation: str) -> bool:
    return next(_parts(library, operation), None) is not None


def _sign(verdict: str, text: str) -> Html:
    sign = next((SIGNS[each] for each in Verdict if each.lower() == verdict), "?")
    return badge(KINDS.get(verdict, "warn"), sign, text)


def library_page(index: Mapping[str, Any], library: Mapping[str, Any]) -> str:
    """Return the page of a library: what is wrong with every operation, and how to see it again."""
    gate = library["gate"]
    lines = [element("p", element("a", "All libraries", href="index.html"))]
    if library["home"]:
        lines.append(element("p", element("a", library["home"], href=library["home"])))
    if library["requirements"]:
        installed = join(_between([code(each) for each in library["requirements"]], " "))
        lines.append(element("p", "Installed: ", installed))
    if gate is None:
        why = library["problem"] or library["faults"].get("gate", "not run")
        lines.append(element("p", badge("warn", "?", "no verdict"), " ", why))
    else:
        lines += [
            element("p", gate["headline"], "."),
            element("p", "In the folder of the adapters: ", code(gate["command"])),
            element(
                "p",
                element("a", "The whole report of the gate", href=gate["page"]),
                f", {gate['date']}; ",
                element("a", "its badge", href=gate["badge"]),
                ".",
            ),
        ]
    lines += [
        element("p", badge("warn", "?", name), " ", why)
        for name, why in library["faults"].items()
        if name != "gate"
    ]
    heading = element("h1", f"{library['name']} {library['version']}".strip())
    sections = [
        Section(name, name.replace("_", " "), _operation(library, name))
        for name in index["operations"]
        if _has(library, name)
    ]
    return page(f"Scoreboard: {library['name']}", element("header", heading, *lines), sections, style=STYLE)


def _operation(library: Mapping[str, Any], operation: str) -> Html:
    parts: list[Html] = []
    counts = library["operations"].get(operation)
    if counts is not None:
        judged = counts["passed"] + counts["failed"] + counts["known"]
        known = f", {counts['known']} of the others known" if counts["known"] else ""
        parts.append(
            element(
                "p",
                _sign(counts["verdict"], counts["verdict"]),
                f" {counts['passed']} of {count_with_noun(judged, 'case')} right{known}; ",
                f"{counts['skipped']} not asked.",
            )
        )
        parts += [_failure(each) for each in counts["failures"]]
        if more := counts["failed"] + counts["known"] - len(counts["failures"]):
            report = element("a", "the whole report of the gate", href=library["gate"]["page"])
            parts.append(element("p", f"{more:,} more in ", report, "."))
    parts += [_trial(each) for each in library["trials"] if each["operation"] == operation]
    return join(parts)


def _failure(failure: Mapping[str, Any]) -> Html:
    summary = element(
        "summary", code(failure["check"]), *([" ", badge("warn", "!", "known")] if failure["known"] else [])
    )
    lines = [element("p", failure["message"])]
    if failure["note"]:
        lines.insert(0, element("p", "Known: ", failure["note"]))
    if failure["request"]:
        lines += [element("p", "Request:"), element("pre", failure["request"])]
    lines += [
        element("p", "To ask it again, in the folder of the adapters:"),
        element("pre", failure["again"]),
    ]
    return element("details", summary, *lines)


def _trial(trial: Mapping[str, Any]) -> Html:
    kind, sign = _kind(trial)
    folder, lines = trial["page"].rpartition("/")[0], trial["reproduction"].strip()
    links = [element("a", "the report", href=trial["page"])]
    if trial["witness"]:
        links.append(element("a", "the witness", href=f"{folder}/witness.json"))
    return element(
        "details",
        element("summary", f"{trial['tool']}, {trial['about']} ", badge(kind, sign, trial["verdict"])),
        element("p", trial["reason"]),
        *(element("p", f"{words}: {trial[name]}") for name, words in FACTS.items() if trial[name]),
        element(
            "p",
            f"{count_with_noun(trial['calls'], 'call')} on {trial['date']}: ",
            *_between(links, ", "),
            ".",
        ),
        element("p", "To run it again, in the folder of the adapters:"),
        element("pre", trial["command"]),
        *([element("p", "Without privboost:"), element("pre", lines)] if lines else []),
    )


def _between(parts: list[Html], separator: str) -> Iterator[object]:
    for number, part in enumerate(parts):
        yield from ((separator, part) if number else (part,))


def _address(library: Mapping[str, Any]) -> str:
    return f"{urllib.parse.quote(library['name'])}.html"
