"""Settings of Sphinx for the site, which `make site` builds offline.

The pages are plain Markdown that also reads well on a code host. What only a site has is added here: the
list of pages, the docstrings of the public packages, formulas as MathML, and an anchor for every claim of the
ledger.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.util.nodes import make_id

import privboost

PAGES = {
    "Tutorials": ("tutorial_gate", "tutorial_audit", "tutorial_model", "tutorial_theorem"),
    "How to": ("gate", "audit", "fast", "proofs", "study"),
    "Limits and trust": ("sharp_edges", "verification", "formal", "kills", "mutation"),
    "The paper": ("Errata <ERRATA>", "LEDGER"),
    "Results": ("gate_results", "audit_results", "fast_results", "study_results", "faulty"),
    "Reference": (
        "gate_protocol",
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

project = "privboost"
author = "The privboost authors"
version = release = privboost.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_site"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
default_role = "code"
smartquotes = False
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
    source[0] += "".join(
        f"\n## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n   :imported-members:\n```\n"
        for name in API.get(page, ())
    )


def add_claims(app: Sphinx, doctree: nodes.document) -> None:
    """Give every row of the ledger an anchor, and its key to the search."""
    if app.env.docname != "LEDGER":
        return
    domain = app.env.get_domain("std")
    assert isinstance(domain, StandardDomain)
    (table,) = doctree.findall(nodes.table)
    table["classes"].append("ledger")
    for row in table.findall(nodes.row):
        for key in row.children[1].findall(nodes.literal):
            row["ids"].append(make_id(app.env, doctree, "claim", key.astext()))
            domain.note_object("claim", key.astext(), row["ids"][0], location=row)


def mathml(translator: Any, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers show without a script."""
    is_block = isinstance(node, nodes.math_block)
    translator.body.append(latex2mathml.tex2mathml(node.astext(), as_block=is_block))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the functions of this file."""
    app.connect("source-read", add_to_page)
    app.connect("doctree-read", add_claims)
    app.add_object_type("claim", "claim", objname="claim of the ledger")
    app.add_html_math_renderer("mathml", (mathml, None), (mathml, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
