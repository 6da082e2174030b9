"""Look up the hashes of locked versions: `python -m tools.lock constraints.txt`.

Every pin gets the hashes of its source archive and of its wheels for CPython 3.11 or newer, on any system.
"""

from __future__ import annotations

import re
import sys
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INDEX = "https://pypi.org/simple"
OLDEST = 11
HEADER = """\
# Every version that `make` installs, with the hashes of its files for CPython 3.11 or newer.
# CONTRIBUTING.md says how to raise a version.
"""
LINK = re.compile(r'#sha256=([0-9a-f]{64})"[^>]*>([^<]+)<')
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([0-9][A-Za-z0-9.]*)", re.MULTILINE)


def pins(lock: str) -> dict[str, str]:
    """Return the versions of a lock file by name."""
    return dict(PIN.findall(lock))


def is_for_us(file: str) -> bool:
    """Return whether a file is a source archive, or a wheel that CPython 3.11 or newer can use."""
    if not file.endswith(".whl"):
        return file.endswith(".tar.gz")
    interpreters, abis = file.removesuffix(".whl").split("-")[-3:-1]
    if re.search(r"cp\d+t", abis):
        return False
    minors = [int(minor) for minor in re.findall(r"cp3(\d+)", interpreters)]
    return "py3" in interpreters.split(".") or any(minor >= OLDEST or "abi3" in abis for minor in minors)


def version_of(file: str) -> str:
    """Return the version in the name of a wheel or of a source archive."""
    return file.split("-")[1] if file.endswith(".whl") else file.removesuffix(".tar.gz").rpartition("-")[2]


def hashes(name: str, version: str) -> list[str]:
    """Ask the package index for the hashes of a version."""
    address = f"{INDEX}/{re.sub(r'[-_.]+', '-', name).lower()}/"
    with urllib.request.urlopen(address, timeout=60) as answer:
        files = LINK.findall(answer.read().decode("utf-8"))
    return sorted(digest for digest, file in files if is_for_us(file) and version_of(file) == version)


def locked(entries: Iterable[tuple[str, str, list[str]]]) -> str:
    """Return the text of a lock file.

    Ensures: ValueError if a version has no file.
    """
    blocks = [HEADER]
    for name, version, digests in entries:
        if not digests:
            raise ValueError(f"{name}=={version}: expected files on the package index, got none")
        blocks.append(f"{name}=={version}" + "".join(f" \\\n    --hash=sha256:{h}" for h in digests) + "\n")
    return "".join(blocks)


def main(path: Path) -> None:
    """Write the lock file again, with the hashes of its versions."""
    wanted = pins(path.read_text("utf-8"))
    with ThreadPoolExecutor(8) as threads:
        known = threads.map(hashes, wanted, wanted.values())
        path.write_text(locked(zip(wanted, wanted.values(), known, strict=True)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
