"""Measure pages in a real browser, at the width of a computer and at that of a phone."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEIGHT = 850
"""Height of the first screen."""
PROGRAM = """
const measured = [];
for (const frame of document.querySelectorAll("iframe")) {
  const inner = frame.contentDocument, root = inner.documentElement;
  for (const group of inner.querySelectorAll("details")) group.open = true;
  const badge = inner.querySelector("header .badge, article h1");
  const box = badge && badge.getBoundingClientRect();
  const cut = [...inner.querySelectorAll(".scroll, .table-wrapper, article math")].filter(
    part => part.scrollWidth > part.clientWidth + 1);
  const wrapped = [...inner.querySelectorAll("article pre")].filter(
    part => frame.contentWindow.getComputedStyle(part).whiteSpace !== "pre");
  const copied = [];
  Object.defineProperty(frame.contentWindow.navigator, "clipboard",
    { value: { writeText: text => { copied.push(text); } } });
  for (const button of inner.querySelectorAll("button.copy")) button.click();
  const query = inner.getElementById("query"), hits = [];
  for (const words of query ? WORDS : []) {
    query.value = words;
    query.dispatchEvent(new Event("input"));
    const rows = [...inner.querySelectorAll("#ledger tbody tr, .ledger tbody tr")];
    hits.push(rows.filter(row => row.checkVisibility()).length);
  }
  measured.push({
    hits: hits,
    page: frame.dataset.page, width: frame.clientWidth, scroll_width: root.scrollWidth,
    verdict: badge ? badge.textContent : "", verdict_bottom: box ? Math.ceil(box.bottom) : -1,
    cut: cut.map(part => (part.querySelector("caption") || part).textContent.slice(0, 80)),
    wrapped: wrapped.map(part => part.textContent.slice(0, 80)), copied: copied,
  });
}
document.getElementById("measured").textContent = JSON.stringify(measured);
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """A page in a window of some width; lengths are in pixels."""

    page: str
    width: int
    scroll_width: int
    verdict: str
    """The first badge in the header; the title of a page of the site."""
    verdict_bottom: int
    """Lower edge of the verdict, from the top of the page; -1 if there is none."""
    cut: list[str]
    """Beginnings of tables and formulas that do not fit and have to be scrolled."""
    wrapped: list[str]
    """Beginnings of blocks of code whose lines are wrapped, which costs them their indentation."""
    copied: list[str]
    """What the button of each block of code copies."""
    hits: list[int]
    """Number of claims that are visible after each search, on a page with a ledger."""

    @property
    def fits(self) -> bool:
        """Return whether the page does not scroll sideways."""
        return self.scroll_width <= self.width

    @property
    def opens_with_verdict(self) -> bool:
        """Return whether the verdict is on the first screen."""
        return 0 < self.verdict_bottom <= HEIGHT


def find_browser() -> str | None:
    """Return the path of an installed browser."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def measure(
    browser: str,
    pages: Mapping[str, str | Path],
    widths: Sequence[int],
    folder: Path,
    words: Sequence[str] = (),
) -> list[Measured]:
    """Return the measurements of pages with everything unfolded, in frames of one document.

    A page is given by its markup or by its file. Then every one of `words` is searched for in the ledger of a
    page that has one.
    """
    frames = "".join(
        f'<iframe data-page="{name}" style="border:0;width:{width}px;height:{HEIGHT}px" '
        f"{_source(page)}></iframe>"
        for name, page in pages.items()
        for width in widths
    )
    program = f"const WORDS = {json.dumps(list(words))};{PROGRAM}"
    script = f"<script>addEventListener('load', () => {{{program}}})</script>"
    document = folder / "frames.html"
    markup = f'<!DOCTYPE html><meta charset="utf-8"><pre id="measured"></pre>{frames}{script}'
    document.write_text(markup, "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    options.append("--allow-file-access-from-files")
    done = subprocess.run(
        [browser, *options, "--window-size=1400,2000", "--dump-dom", document.as_uri()],
        capture_output=True,
        text=True,
        check=False,
    )
    match = re.search(r'<pre id="measured">(\[.*?\])</pre>', done.stdout, re.DOTALL)
    assert match, f"the browser measured nothing: {done.stderr[-2000:]}"
    return [Measured(**entry) for entry in json.loads(html.unescape(match[1]))]


def _source(page: str | Path) -> str:
    """Return the attribute of a frame that shows a page."""
    return f'src="{page.resolve().as_uri()}"' if isinstance(page, Path) else f'srcdoc="{html.escape(page)}"'
