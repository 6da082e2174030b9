"""Build the site: `python -m tools.site build/site`.

The tutorials are run and compared with what they show, Sphinx makes the pages, and every link is followed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from . import ROOT
from .sessions import differences

DOCS = ROOT / "docs"
TUTORIALS = tuple(sorted(DOCS.glob("tutorial_*.md")))
RUN = (*TUTORIALS, *(DOCS / f"{name}.md" for name in ("stability", "calibrate", "card", "replay")))
"""Pages whose commands are run from top to bottom."""
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""Elements whose addresses a browser loads by itself."""
NOT_LOADED = ("canonical", "index", "search", "next", "prev")
"""Relations of a link element that only name another page."""
NETWORK = re.compile(r"(?:https?:)?//", re.IGNORECASE)
LOADED_BY_STYLE = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\"')\s]+", re.IGNORECASE)


class Page(HTMLParser):
    """The anchors and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element has."""
        values = {name: value for name, value in attrs if value is not None}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self.links += [values[name] for name in ("href", "src") if name in values]
        if LOADED.get(tag) in values and values.get("rel") not in NOT_LOADED:
            self.loaded.append(values[LOADED[tag]])


def read_pages(site: Path) -> dict[Path, Page]:
    """Return the pages of a site by their paths."""
    pages = {path.resolve(): Page() for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        page.feed(path.read_text("utf-8"))
    return pages


def dead_links(site: Path) -> list[str]:
    """Return the links to files of the site, and to anchors in them, that do not exist."""
    pages = read_pages(site)
    return [
        f"{path.name}: {link}"
        for path, page in pages.items()
        for link in dict.fromkeys(page.links)
        if not _leads_somewhere(link, path, pages)
    ]


def _leads_somewhere(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    anchor = unquote(parts.fragment)
    return target.is_file() and (not anchor or target not in pages or anchor in pages[target].anchors)


def loaded_from_network(site: Path) -> Iterator[str]:
    """Yield what a browser would load from elsewhere to show a page."""
    for path, page in read_pages(site).items():
        yield from (f"{path.name}: {address}" for address in page.loaded if NETWORK.match(address))
    for path in site.rglob("*.css"):
        yield from (f"{path.name}: {address}" for address in LOADED_BY_STYLE.findall(path.read_text("utf-8")))


def build(site: Path, source: Path = DOCS) -> str:
    """Make the pages and return the warnings of Sphinx, an empty string if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-q", "-E", "-b", "html", "-d", folder]
        command = [sys.executable, "-m", "sphinx", *options, str(source), str(site)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr or ("" if done.returncode == 0 else f"Sphinx: exit code {done.returncode}\n")


def problems(site: Path) -> Iterator[str]:
    """Build the site and yield everything that is wrong with it."""
    for page in RUN:
        print(f"site: run {page.name}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            yield from (f"{page.name}: {each}" for each in differences(page.read_text("utf-8"), Path(folder)))
    print("site: build", file=sys.stderr)
    yield from build(site).splitlines()
    yield from (f"dead link in {each}" for each in dead_links(site))
    yield from (f"loaded from the network by {each}" for each in loaded_from_network(site))


def main(site: Path) -> int:
    """Build the site and return the exit code."""
    wrong = list(problems(site))
    print("\n".join(wrong), file=sys.stderr)
    pages = read_pages(site)
    links = sum(len(page.links) for page in pages.values())
    print(f"{site / 'index.html'}: {len(pages)} pages, {links:,} links, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
