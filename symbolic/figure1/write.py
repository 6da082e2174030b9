"""Write the plots of Figure 1 and their tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from privboost.files import prepare_directory, write_files

from .draw import draw_all, draw_one
from .tables import TABLES

Progress = Callable[[str], None]


def write_figure1(directory: Path, progress: Progress | None = None) -> list[Path]:
    """Write the four plots and a combined plot as PNG and SVG, and the data of each plot as CSV.

    Paper: f-alphaM.
    Ensures: the bytes are the same on every run; all plots are drawn before any file is written.
    """
    report = progress or (lambda _: None)
    prepare_directory(directory)
    tables = []
    contents: dict[str, bytes] = {}
    for index, build in enumerate(TABLES, start=1):
        table = build()
        report(f"figure 1: plot {index} of {len(TABLES)}, {table.key.replace('_', ' ')}")
        contents[f"{table.name}.csv"] = table.to_csv()
        contents |= {f"{table.name}.{form}": draw_one(table, form) for form in ("png", "svg")}
        tables.append(table)
    report("figure 1: all plots together")
    contents |= {f"figure1.{form}": draw_all(tables, form) for form in ("png", "svg")}
    return write_files(directory, contents)
