"""The report of the study: one page with tables and plots, and the numbers behind each as CSV."""

from __future__ import annotations

from privboost.pages import Html, Section, code, element, image, joined, page, table
from privboost.study.grid import FREE, MAIN_BOUND, MAIN_VALUES
from privboost.study.store import Store

from .plots import plots
from .results import Results
from .sheet import Sheet
from .tables import domains_sheet, result_sheets

LONGEST = 60
"""Maximum number of rows of a table on the page; the CSV file has all of them."""

LEARNERS = (
    ("noise_free", "the paper's ensemble without noise: best splits, pure leaves are not split"),
    ("as_printed", "the paper's private ensemble, literally; it is not private"),
    ("alpha_closed", "as_printed with α estimated with noise instead of computed from raw data"),
    ("leaf_closed", "as_printed with leaf values clamped before the noise instead of after"),
    ("beta_closed", "as_printed with coefficients 1 instead of those computed from raw data"),
    ("all_closed", "as_printed with all three changes"),
    ("sound", "the repaired learner: sharp sensitivity, budgets by level, noisy masses"),
    ("sound_net", "uniform splits and one noisy number per leaf, the default of privboost.fast"),
    ("rf_lap, rf_exp", "random forests of 21 trees, budget split evenly over leaves as printed"),
    ("…_tight", "the same forests with a tree's whole budget for each leaf, because leaves are disjoint"),
)


def report_files(store: Store) -> dict[str, bytes]:
    """Return the page and the files beside it by name."""
    results = Results.of(store)
    main = results.where(values=MAIN_VALUES, bound=(MAIN_BOUND, FREE))
    sheets = [*result_sheets(results), domains_sheet(results)]
    pictures = plots(results, main)
    files = {f"{sheet.name}.csv": sheet.to_csv() for sheet in sheets}
    files |= {f"{name}.svg": picture for name, _, picture in pictures}
    sections = [_learners_section(), *(_sheet_section(sheet) for sheet in sheets)]
    sections.insert(1, _plots_section(pictures))
    title = "The experiments of the paper, reproduced"
    whole = page(title, _introduction(results, title), sections)
    return {"study.html": whole.encode(), **files}


def _introduction(results: Results, title: str) -> Html:
    repeats = len(results.present("repeat"))
    tiles = [
        (f"{len(results):,}", "runs of ten folds"),
        (f"{10 * len(results):,}", "models"),
        (str(len(results.present("domain"))), "domains"),
        (str(repeats), "repeat" if repeats == 1 else "repeats"),
    ]
    return element(
        "header",
        element("h1", title),
        element(
            "p",
            "Errors are test errors in percent over ten stratified folds. How the domains were made binary "
            "is our choice. Bounds of features are often the minimum and maximum of the data, so nothing "
            "here is a private release. The same seed gives the same numbers.",
        ),
        element("ul", *(element("li", element("b", count), unit) for count, unit in tiles), class_="tiles"),
    )


def _learners_section() -> Section:
    rows = [(code(name), description) for name, description in LEARNERS]
    return Section(
        "learners", "Learners", table("Learners of the study", ("learner", "description"), rows, (20, 80))
    )


def _plots_section(pictures: list[tuple[str, str, bytes]]) -> Section:
    shown = (
        element("figure", image(picture, title), element("figcaption", title))
        for _, title, picture in pictures
    )
    note = element("p", "Black lines: the error of predicting the more frequent class.", class_="soft")
    return Section("plots", "Plots", joined((note, *shown)))


def _sheet_section(sheet: Sheet) -> Section:
    """Return the section of a table, with its first `LONGEST` rows."""
    rows = sheet.rows[:LONGEST]
    left = len(sheet.rows) - len(rows)
    caption = sheet.note + (f" The first {LONGEST} of {len(sheet.rows):,} rows." if left else "")
    width = 100 // len(sheet.columns)
    body = table(caption, sheet.columns, rows, (width,) * len(sheet.columns))
    file = element("p", "As a file: ", code(f"{sheet.name}.csv"), class_="soft")
    return Section(sheet.name, sheet.title, joined((body, file)))
