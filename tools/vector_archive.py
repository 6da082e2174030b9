"""Write the vector files of a profile as one archive, and the starter set.

    python -m tools.vector_archive dist       # dist/privboost-vectors-mechanisms-2026.11.19.zip
    python -m tools.vector_archive --starter  # examples/starter/starter.json

The archive has a calendar version, which every report of the gate repeats. Its bytes depend on its files
alone.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from pathlib import Path

from privboost.gate.mechanisms.cases.starter import starter_set
from privboost.gate.profile import Profile
from privboost.gate.profiles import load_profile
from privboost.gate.vectors.files import FOLDER

from . import ROOT

PROFILE = "mechanisms"
STARTER = ROOT / "examples" / "starter"
SCHEMA = ROOT / "gate" / "protocol" / "schemas" / "vectors.json"
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive."""
README = """Test vectors for libraries of differential privacy, {release}

vectors/*.json   the cases of one operation each
schema.json      the JSON Schema of these files
starter/         20 cases in a simple form, and programs that run them
page.md          what every operation does, and how to judge each kind of case
"""


def archive_name(profile: Profile) -> str:
    """Return the name of the archive, with the calendar version."""
    return f"privboost-vectors-{profile.name}-{profile.vectors.release}.zip"


def archive_files(profile: Profile) -> dict[str, bytes]:
    """Return the files of the archive."""
    vectors = {
        f"vectors/{path.name}": path.read_bytes()
        for path in profile.folder(FOLDER).iterdir()
        if path.name.endswith(".json")
    }
    starter = {f"starter/{path.name}": path.read_bytes() for path in STARTER.iterdir() if path.is_file()}
    return {
        "README": README.format(release=profile.vectors.release).encode(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        "page.md": (ROOT / profile.page.path).read_bytes(),
        "schema.json": SCHEMA.read_bytes(),
        **dict(sorted((vectors | starter).items())),
    }


def archive(profile: Profile) -> bytes:
    """Return the archive."""
    folder = archive_name(profile).removesuffix(".zip")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, data in archive_files(profile).items():
            entry = zipfile.ZipInfo(f"{folder}/{name}", EARLIEST)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            file.writestr(entry, data)
    return content.getvalue()


def main() -> int:
    """Write the archive to a folder, or the starter set to its place."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("folder", nargs="?", type=Path, help="folder of the archive")
    action.add_argument("--starter", action="store_true", help="write the starter set")
    options = parser.parse_args()
    profile = load_profile(PROFILE)
    if options.starter:
        path, content = STARTER / "starter.json", starter_set(profile)
    else:
        options.folder.mkdir(parents=True, exist_ok=True)
        path, content = options.folder / archive_name(profile), archive(profile)
    path.write_bytes(content)
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
