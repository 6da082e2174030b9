"""Cases of the six operations on losses: every loss at every point.

Points are exact in double precision, or far from where a formula magnifies their rounding, so that an
implementation in doubles can meet the tolerances.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from privboost.gate.profile import VectorCase

from .points import InputPoint, named_point, points

ULP = Fraction(1, 1 << 53)
HALF = Fraction(1, 2)
LEAST = Fraction(1, 1 << 1000)
ALPHAS = ("0", "1/1048576", "1/10", "1/4", "1/2", "9/10", "1")

ENDS = (*points("0", "1", flags=["pure-leaf"]),)
INNER = points("1/1024", "1/10", "1/4", "1/3", "31/64", "33/64", "3/5", "3/4", "9/10", "1023/1024")
MIDDLE = (InputPoint("1/2", "1/2", ("tie-at-half",)), InputPoint("0.5", "0.5", ("tie-at-half",)))
NEAR_HALF = (
    named_point("1/2-ulp", HALF - ULP / 2, "ulp-near-half"),
    named_point("1/2+ulp", HALF + ULP, "ulp-near-half"),
    named_point("1/2+2^-30", HALF + Fraction(1, 1 << 30), "ulp-near-half"),
)
NEAR_ENDS = (
    named_point("2^-1000", LEAST, "ulp-near-zero", "tiny"),
    named_point("2^-53", ULP, "ulp-near-zero"),
    named_point("1-2^-53", 1 - ULP, "ulp-near-one"),
)
MARGINS = points("-100", "-5", "-4", "-2", "-1", "-1/2", "-1/5", "0", "1/5", "1/2", "1", "2", "4", "5", "100")
FAR_MARGINS = points("-2000", "-1200", "1200", "2000", flags=["far-margin"])
VAST_MARGINS = tuple(
    named_point(f"{sign}{name}", Fraction(f"{sign}{z}"), "huge")
    for sign in ("-", "")
    for name, z in (("10^6", 10**6), ("2^40", 1 << 40), ("2^600", 1 << 600))
)
"""Margins beyond integers of 32 bits, and with a square beyond doubles."""
VAST_MARGINS_OF_LOG = points("-8000", "8000", flags=["far-margin"])
INFINITE_MARGINS = points("-infinity", "infinity", flags=["infinite-margin"])
STEEP_MARGINS = (
    named_point("-2^-40", -Fraction(1, 1 << 40), "tiny"),
    named_point("2^-40", Fraction(1, 1 << 40), "tiny"),
)
RATIOS = (
    ("0", "1"),
    ("1", "1"),
    ("1", "2"),
    ("1", "3"),
    ("2", "3"),
    ("1", "128"),
    ("127", "128"),
    ("7/3", "5/2"),
    ("1/8", "1/2"),
    ("12", "16"),
)
PAIRS = (
    *((InputPoint(u, u), InputPoint(v, v)) for u, v in RATIOS),
    (InputPoint("0", "0", ("empty-leaf",)), InputPoint("0", "0")),
    (named_point("2^300", Fraction(1 << 300), "huge"), named_point("2^302", Fraction(1 << 302))),
    (named_point("2^-302", Fraction(1, 1 << 302), "tiny"), named_point("2^-300", Fraction(1, 1 << 300))),
)
OUTSIDE_PAIRS = (("1", "0"), ("2", "1"), ("-1", "1"), ("0", "-1"))

LOSS_FLAGS = {
    "square": ("normalisation",),
    "log": ("log-base", "normalisation"),
    "zero_one": ("factor-two", "alpha-zero"),
    "matsushita": ("factor-two", "alpha-one"),
}
"""The losses without a parameter, each with the flags of its cases."""


def losses() -> Iterator[tuple[str, dict[str, str], tuple[str, ...]]]:
    """Yield every loss: its name in ids, its arguments, its flags."""
    for name, flags in LOSS_FLAGS.items():
        yield f"loss={name}", {"loss": name}, flags
    for alpha in ALPHAS:
        special = {"0": ("alpha-zero",), "1": ("alpha-one",)}.get(alpha, ("factor-two",))
        alpha_name = "2^-20" if alpha == "1/1048576" else alpha
        yield f"loss=m_alpha alpha={alpha_name}", {"loss": "m_alpha", "alpha": alpha}, special


def loss_cases() -> Iterator[VectorCase]:
    """Yield all cases of the operations on losses."""
    for name, loss, flags in losses():
        yield from _risks(name, loss, flags)
        yield from _links(name, loss, flags)
        yield from _margins(name, loss, flags)
        yield from _perspectives(name, loss, flags)


def _risks(name: str, loss: dict[str, str], flags: tuple[str, ...]) -> Iterator[VectorCase]:
    for u in (*ENDS, *INNER, *MIDDLE, *NEAR_HALF, *NEAR_ENDS):
        yield VectorCase("bayes_risk", f"{name} u={u.name}", loss | {"u": u.string}, (*flags, *u.flags))
    for y in ("1", "-1"):
        for u in (*ENDS, *INNER, *MIDDLE[:1], *NEAR_HALF, *NEAR_ENDS[1:]):
            all_flags = (*flags, "properness", *u.flags)
            yield VectorCase(
                "partial_loss", f"{name} y={y} u={u.name}", loss | {"y": y, "u": u.string}, all_flags
            )


def _links(name: str, loss: dict[str, str], flags: tuple[str, ...]) -> Iterator[VectorCase]:
    for u in (*INNER, *MIDDLE, *NEAR_HALF, *NEAR_ENDS):
        all_flags = (*flags, "symmetry", *u.flags)
        yield VectorCase("link", f"{name} u={u.name}", loss | {"u": u.string}, all_flags)
    for u in ENDS:
        yield VectorCase("link", f"{name} u={u.name}", loss | {"u": u.string}, (*flags, "infinite-link"))


def _margins(name: str, loss: dict[str, str], flags: tuple[str, ...]) -> Iterator[VectorCase]:
    vast = VAST_MARGINS_OF_LOG if loss["loss"] == "log" else VAST_MARGINS
    for z in (*MARGINS, *FAR_MARGINS, *INFINITE_MARGINS, *STEEP_MARGINS, *_plateau_ends(loss), *vast):
        plateau = ("plateau",) if loss["loss"] == "m_alpha" else ()
        args = loss | {"z": z.string}
        yield VectorCase("inverse_link", f"{name} z={z.name}", args, (*flags, *plateau, *z.flags))
        yield VectorCase("surrogate", f"{name} z={z.name}", args, (*flags, "margin-sign", *z.flags))


def _plateau_ends(loss: dict[str, str]) -> list[InputPoint]:
    """Return the ends of the plateau of a loss, and points just inside and outside."""
    if loss["loss"] not in ("m_alpha", "zero_one"):
        return []
    end = 2 * (1 - Fraction(loss.get("alpha", "0")))
    step = Fraction(1, 1 << 20)
    names = {str(point.string) for point in MARGINS}
    ends = []
    for sign in (1, -1):
        for name, z in (("end", end), ("end-2^-20", end - step), ("end+2^-20", end + step)):
            # At alpha = 1 there is no plateau: its end is 0, and no point is inside.
            if str(sign * z) not in names and z >= 0:
                point_name = f"{'' if sign > 0 else '-'}({name})"
                ends.append(InputPoint(point_name, str(sign * z), ("plateau-end",)))
    return ends


def _perspectives(name: str, loss: dict[str, str], flags: tuple[str, ...]) -> Iterator[VectorCase]:
    for u, v in PAIRS:
        all_flags = (*flags, "homogeneity", *u.flags, *v.flags)
        args = loss | {"u": u.string, "v": v.string}
        yield VectorCase("perspective", f"{name} u={u.name} v={v.name}", args, all_flags)
    for left, right in OUTSIDE_PAIRS:
        args = loss | {"u": left, "v": right}
        yield VectorCase("perspective", f"{name} u={left} v={right}", args, ("outside-is-infinite",))
