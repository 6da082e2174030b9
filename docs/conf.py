"""Settings of Sphinx for the site, which `make site` builds offline.

The pages are plain Markdown that also reads well on a code host. What only a site has is added here: the
list of pages, the docstrings of the public packages, formulas as MathML, and links between the claims of the
ledger, their witnesses and their corrections.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.util.nodes import make_id, make_refnode

import privboost
from privboost.proofs_check.claims import SECTIONS
from privboost.proofs_check.entry import Severity, Verdict
from privboost.proofs_check.pages.book import book_page

PAGES = {
    "Tutorials": ("tutorial_gate", "tutorial_audit", "tutorial_model", "tutorial_theorem"),
    "How to": (
        "gate",
        "starter",
        "scoreboard",
        "audit",
        "one_run",
        "calibrate",
        "card",
        "replay",
        "stability",
        "inputs",
        "fast",
        "proofs",
        "study",
    ),
    "Limits and trust": ("sharp_edges", "verification", "formal", "kills", "mutation"),
    "The paper": ("Errata <ERRATA>", "LEDGER", *(f"book/{section}" for section in SECTIONS)),
    "Results": (
        "gate_results",
        "scoreboard_results",
        "findings",
        "audit_results",
        "fast_results",
        "study_results",
        "faulty",
        "mechanisms_faulty",
    ),
    "Reference": (
        "gate_protocol",
        "mechanisms_protocol",
        "audit_protocol",
        "api_fast",
        "api_auditor",
        "api_reference",
        "architecture",
    ),
}
API = {
    "api_fast": ("privboost.fast",),
    "api_auditor": ("privboost.auditor",),
    "api_reference": (
        "privboost.reference.exact",
        "privboost.reference.losses",
        "privboost.reference.data",
        "privboost.reference.transcripts",
        "privboost.errors",
    ),
}
"""Pages to which the docstrings of packages are added."""

BOOK = "book/"
"""The folder of links to the book of claims, which the site shows with the verdicts."""
VERDICTS = {str(verdict) for verdict in Verdict}
SMALL_ERRORS = {str(severity).capitalize() for severity in (Severity.SLIP, Severity.PEDANTRY)}
"""Sections of the errata with one row of a table for each error."""

project = "privboost"
author = "The privboost authors"
version = release = privboost.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_site"]
myst_enable_extensions = ["dollarmath", "fieldlist"]
myst_heading_anchors = 4
default_role = "code"
smartquotes = False
suppress_warnings = ["myst.header"]
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"exclude-members": "set_fit_request, set_score_request"}
napoleon_use_ivar = True
html_theme = "furo"
html_title = "privboost"
html_static_path = ["_site"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_math_renderer = "mathml"
html_theme_options = {"footer_icons": []}


def add_to_page(_: Sphinx, page: str, source: list[str]) -> None:
    """Add the list of pages to the first page, and the docstrings to the page of the API."""
    if page == "index":
        source[0] += "".join(
            f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(names) + "\n```\n"
            for title, names in PAGES.items()
        )
    if page.startswith(BOOK):
        source[0] = book_page(page.removeprefix(BOOK))
    source[0] += "".join(
        f"\n## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n   :imported-members:\n```\n"
        for name in API.get(page, ())
    )


def add_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Give every claim of the ledger and every error an anchor and its key to the search; mark verdicts."""
    for cell in doctree.findall(nodes.entry):
        if cell.astext() in VERDICTS:
            cell["classes"] += ["verdict", f"verdict-{cell.astext().lower()}"]
    if app.env.docname == "LEDGER":
        (table,) = doctree.findall(nodes.table)
        table["classes"].append("ledger")
        for row in table.findall(nodes.row):
            row["ids"] += [f"row-{key.astext()}" for key in row.children[1].findall(nodes.literal)]
    if app.env.docname.startswith(BOOK):
        for section in doctree.findall(nodes.section):
            _note(app, doctree, "claim", section, section.children[0])
    if app.env.docname == "ERRATA":
        for section in doctree.findall(nodes.section):
            _note(app, doctree, "error", section, section.children[0])
        for row in doctree.findall(nodes.row):
            if _section_title(row) in SMALL_ERRORS:
                _note(app, doctree, "error", row, row.children[0])


def _section_title(node: nodes.Node) -> str:
    """Return the title of the section of a node."""
    while not isinstance(node, nodes.section):
        node = node.parent
    return node.children[0].astext()


def _note(app: Sphinx, doctree: nodes.document, kind: str, target: nodes.Element, name: nodes.Node) -> None:
    """Make an element the target of the key that its name is; nothing if the name is no key."""
    domain = app.env.get_domain("std")
    assert isinstance(domain, StandardDomain)
    keys = [key.astext() for key in name.findall(nodes.literal)]
    if [name.astext()] == keys:
        target["ids"].append(make_id(app.env, doctree, kind, keys[0]))
        domain.note_object(kind, keys[0], target["ids"][-1], location=target)


def link_claims(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Make every key of the ledger a link to its claim, and lead from a refuted claim to its witness."""
    domain = app.env.get_domain("std")
    assert isinstance(domain, StandardDomain)

    def link(kind: str, key: str, content: nodes.Node) -> nodes.reference:
        target, anchor = domain.objects[kind, key]
        return make_refnode(app.builder, page, target, anchor, content)

    for literal in list(doctree.findall(nodes.literal)):
        key = literal.astext()
        if ("claim", key) in domain.objects and not isinstance(literal.parent, nodes.reference):
            literal.replace_self(link("claim", key, literal.deepcopy()))
    for row in doctree.findall(nodes.row):
        if page == "LEDGER" and row.children[0].astext() == "REFUTED":
            witness = link("error", row.children[1].astext(), nodes.Text("Witness"))
            row.children[3].children[0].extend([nodes.Text(" "), witness, nodes.Text(".")])


def mathml(translator: Any, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers show without a script."""
    is_block = isinstance(node, nodes.math_block)
    translator.body.append(latex2mathml.tex2mathml(node.astext(), as_block=is_block))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the functions of this file."""
    app.connect("source-read", add_to_page)
    app.connect("doctree-read", add_anchors)
    app.connect("doctree-resolved", link_claims)
    app.add_object_type("claim", "claim", objname="claim of the ledger")
    app.add_object_type("error", "error", objname="error of the paper")
    app.add_html_math_renderer("mathml", (mathml, None), (mathml, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
