"""Self-contained HTML pages: content is escaped, styles are inline, and nothing is loaded."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import __version__
from .printing import make_printable

STYLE = """
:root{color-scheme:light dark;--ink:#1d2330;--soft:#5a6273;--paper:#fff;--panel:#f5f6f9;--line:#dcdfe6;
--accent:#3b3fb6;--good:#116b3c;--good-bg:#e2f4e9;--warn:#8a4b00;--warn-bg:#fdf0d9;--bad:#a3182b;
--bad-bg:#fde6e8}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7ee;--soft:#a2aabb;--paper:#14171d;--panel:#1d2129;
--line:#343a46;
--accent:#a5abff;--good:#7fdca4;--good-bg:#16301f;--warn:#f4c473;--warn-bg:#372a12;--bad:#ff9aa6;
--bad-bg:#3a181d}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.page{max-width:68rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
header{border-bottom:1px solid var(--line);padding-bottom:1.25rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.45rem;margin:3rem 0 .6rem;padding-top:.4rem;line-height:1.25}
h3{font-size:1.1rem;margin:2.2rem 0 .3rem}
p{margin:.5rem 0 1rem;max-width:46rem}
a{color:var(--accent)}
.soft,figcaption,caption{color:var(--soft)}
nav{background:var(--panel);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1.2rem;
margin:1.5rem 0}
nav h2{font-size:1rem;margin:0;padding:0}
nav ol{margin:.3rem 0 0;padding-left:1.4rem}
nav li{padding:.12rem 0}
.tiles{display:flex;flex-wrap:wrap;gap:.75rem;list-style:none;padding:0;margin:1.25rem 0}
.tiles li{flex:1 1 8rem;border:1px solid var(--line);border-radius:.6rem;padding:.6rem .9rem;
background:var(--panel)}
.tiles b{display:block;font-size:1.6rem;line-height:1.25}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.25rem;
margin:1.25rem 0}
.figures figure{margin:0 0 1.25rem}
figure{margin:0;border:1px solid var(--line);border-radius:.6rem;overflow:hidden;background:var(--panel)}
figure img{display:block;width:100%;height:auto;background:#fff;padding:.5rem}
figcaption{padding:.6rem .9rem .8rem;font-size:.9rem}
.scroll{overflow-x:auto;margin:.75rem 0 1.5rem}
table{border-collapse:collapse;width:100%;font-size:.93rem}
caption{text-align:left;padding:0 0 .5rem;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.55rem .75rem;border-bottom:1px solid var(--line);
overflow-wrap:break-word}
thead th{border-bottom:2px solid var(--line);font-size:.82rem;color:var(--soft)}
tbody th{font-weight:600}
code{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--panel);
border-radius:.25rem;
padding:.08em .3em;overflow-wrap:break-word}
.badge{display:inline-block;border-radius:1rem;padding:.05rem .6rem;font-size:.78rem;font-weight:700;
white-space:nowrap}
h1 .badge{font-size:1em;border-radius:.6rem}
.good{color:var(--good);background:var(--good-bg)}
.warn{color:var(--warn);background:var(--warn-bg)}
.bad{color:var(--bad);background:var(--bad-bg)}
.math{font-family:"STIX Two Text","STIX Two Math","Cambria Math",Cambria,Georgia,"Times New Roman",serif;
font-size:1.08em}
math{font-family:"STIX Two Math","Cambria Math","Latin Modern Math","DejaVu Math TeX Gyre",math}
.facts{margin:0 0 .3rem;padding-left:1.1rem}
.place{font-weight:400;font-size:.88rem;color:var(--soft)}
.value{display:block;overflow-wrap:break-word}
.verdict{font-size:1.08rem}
details{border:1px solid var(--line);border-radius:.6rem;margin:.75rem 0;padding:.2rem .9rem}
summary{cursor:pointer;padding:.4rem 0;font-weight:600}
summary .place{margin-left:.4rem}
input[type=search]{font:inherit;width:100%;max-width:30rem;padding:.45rem .7rem;color:inherit;
background:var(--paper);border:1px solid var(--soft);border-radius:.5rem}
[hidden]{display:none!important}
footer{border-top:1px solid var(--line);margin-top:3rem;padding-top:1rem;font-size:.9rem;color:var(--soft)}
@media (max-width:44rem){
body{font-size:15px}.page{padding-top:1.5rem}h1{font-size:1.6rem}
.stack thead{display:none}math{font-size:.82em}
.stack table,.stack caption,.stack tbody,.stack tr,.stack td,.stack tbody th{display:block}
.stack tr{border:1px solid var(--line);border-radius:.6rem;margin:0 0 .9rem;padding:.3rem 0}
.stack td,.stack tbody th{border:0;padding:.3rem .8rem}
.stack td::before{content:attr(data-label);display:block;font-size:.78rem;color:var(--soft)}
.short td{display:flex;align-items:baseline;gap:.8rem}.short td::before{flex:0 0 6rem}
}
@media print{
:root{--ink:#000;--soft:#444;--paper:#fff;--panel:#fff;--line:#bbb;--accent:#000}
body{font-size:10.5pt}table{font-size:9pt}.page{max-width:none;padding:0}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}
.plots{grid-template-columns:1fr 1fr}nav,.screen{display:none}.scroll{overflow:visible}
}
"""


class Html(str):
    """A string of HTML markup; all other strings are escaped before they reach the page."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page."""

    anchor: str
    title: str
    body: Html


def to_html(content: object) -> Html:
    """Return content as HTML, escaped unless it is HTML already."""
    return content if isinstance(content, Html) else Html(html.escape(make_printable(str(content))))


def join(parts: Iterable[object]) -> Html:
    """Return the concatenation of the parts as HTML."""
    return Html("".join(to_html(part) for part in parts))


def element(tag: str, *content: object, **attributes: str) -> Html:
    """Return an element; write `class_` for the attribute class, and underscores for hyphens."""
    names = ((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    opening = "".join(f' {name}="{html.escape(make_printable(value))}"' for name, value in names)
    return Html(f"<{tag}{opening}>{join(content)}</{tag}>")


def code(source: str, **attributes: str) -> Html:
    """Return a code element that may break after a dot, a colon or an underscore."""
    return element("code", Html(re.sub(r"([._:])(?=\w)", r"\1<wbr>", to_html(source))), **attributes)


def table(
    caption: object,
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    widths: Sequence[int],
    *,
    short: bool = False,
) -> Html:
    """Return a table with column widths in percent; the first cell of a row is its header.

    Ensures: on a narrow screen each row becomes a card, and each cell names its column, above its content or,
        if cells are short, before it.
    """
    head = element("tr", *(element("th", name, scope="col") for name in headers))
    body = join(
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(element("td", cell, data_label=name) for name, cell in zip(headers[1:], row[1:], strict=True)),
        )
        for row in rows
    )
    columns = Html("".join(f'<col style="width:{width}%">' for width in widths))
    whole = element(
        "table",
        element("caption", caption),
        element("colgroup", columns),
        element("thead", head),
        element("tbody", body),
    )
    return element("div", whole, class_="scroll stack short" if short else "scroll stack")


def data_uri(media_type: str, content: bytes) -> str:
    """Return content as a data URI."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def image(svg: bytes, description: str) -> Html:
    """Return an image that is embedded in the page."""
    return Html(
        f'<img src="{data_uri("image/svg+xml", svg)}" alt="{html.escape(make_printable(description))}">'
    )


def badge(kind: str, sign: str, label: str) -> Html:
    """Return a symbol and a label in the colours of a kind: good, warn or bad."""
    return element("span", f"{sign} {label}", class_=f"badge {kind}")


def page(
    title: str,
    introduction: Html,
    sections: Sequence[Section],
    *,
    contents: bool = True,
    script: str = "",
    style: str = "",
) -> str:
    """Return the whole page, with a table of contents and a footer that names the version of privboost.

    No script runs but the given one, which is inline. `style` is added to that of all pages.
    """
    footer = f"Written by privboost {__version__}. This page is complete in itself and loads nothing."
    entries = (element("li", element("a", part.title, href=f"#{part.anchor}")) for part in sections)
    listed = element("nav", element("h2", "Contents"), element("ol", *entries), aria_label="Contents")
    parts = (element("section", element("h2", part.title), part.body, id=part.anchor) for part in sections)
    body = element(
        "div",
        introduction,
        listed if contents else Html(""),
        element("main", *parts),
        element("footer", footer),
        class_="page",
    )
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        policy += f"; script-src 'sha256-{digest}'"
    running = f"<script>{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{html.escape(make_printable(title))}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n{body}\n{running}</body>\n</html>\n"
    )
