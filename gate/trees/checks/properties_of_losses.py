"""The properties of losses: risks, partial losses, links, surrogates, perspectives."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from privboost.gate.trees.operations.ranges import LOSSES

from .property import Asker, Drawn, Property, differ, exceed, first, property_of

HALF = Fraction(1, 2)
PROBABILITY, ALPHA, MARGIN = (1, 63, 64), (0, 8, 8), (-256, 256, 64)
POSITIVE = (1, 256, 64)


def loss_properties() -> Iterator[Property]:
    """Yield the properties of all losses."""
    for loss in LOSSES:
        yield from _properties_of(loss)


def _properties_of(loss: str) -> Iterator[Property]:
    alpha = {"alpha": ALPHA} if loss == "m_alpha" else {}

    def of(drawn: Drawn) -> dict[str, str]:
        return {"loss": loss} | ({"alpha": str(drawn["alpha"])} if alpha else {})

    def symmetric(ask: Asker, drawn: Drawn) -> str:
        left, right = (ask.number("bayes_risk", **of(drawn), u=u) for u in (drawn["u"], 1 - drawn["u"]))
        return differ("L(u) and L(1 - u)", left, right)

    def concave(ask: Asker, drawn: Drawn) -> str:
        u, v = drawn["u"], drawn["v"]
        left, right, middle = (ask.number("bayes_risk", **of(drawn), u=at) for at in (u, v, (u + v) / 2))
        return exceed("concavity: (L(u) + L(v)) / 2 and L((u + v) / 2)", (left + right) / 2, middle)

    def proper(ask: Asker, drawn: Drawn) -> str:
        u, v = drawn["u"], drawn["v"]
        best, other = (
            sum(
                share * ask.number("partial_loss", **of(drawn), y=y, u=at)
                for y, share in (("1", u), ("-1", 1 - u))
            )
            for at in (u, v)
        )
        risk = ask.number("bayes_risk", **of(drawn), u=u)
        expected = "properness: the expected loss at u of the prediction u, and of the prediction v"
        return first(
            differ("u loss(1, u) + (1 - u) loss(-1, u) and L(u)", Fraction(best), risk),
            exceed(expected, Fraction(best), Fraction(other)),
        )

    def odd_and_monotone(ask: Asker, drawn: Drawn) -> str:
        u, v = sorted((drawn["u"], drawn["v"]))
        if u == v or HALF in (u, v):
            return ""
        low, high = (ask.number("link", **of(drawn), u=at) for at in (u, v))
        mirrored = ask.number("link", **of(drawn), u=1 - u)
        return first(
            exceed("the link increases: link(u) and link(v)", low, high),
            differ("link(1 - u) and -link(u)", mirrored, -low),
        )

    def inverse(ask: Asker, drawn: Drawn) -> str:
        u = drawn["u"]
        z = ask.number("link", **of(drawn), u=u)
        back = ask.number("inverse_link", **of(drawn), z=z)
        return differ("the inverse link of link(u), and u", back, u)

    def inverse_monotone(ask: Asker, drawn: Drawn) -> str:
        z, t = sorted((drawn["z"], drawn["t"]))
        low, high = (ask.number("inverse_link", **of(drawn), z=at) for at in (z, t))
        return first(
            exceed("a probability and 1", high, Fraction(1)),
            exceed("0 and a probability", Fraction(0), low),
            exceed("the inverse link increases: its values at z and t", low, high) if z != t else "",
        )

    def convex(ask: Asker, drawn: Drawn) -> str:
        z, t = drawn["z"], drawn["t"]
        left, right, middle, back = (
            ask.number("surrogate", **of(drawn), z=at) for at in (z, t, (z + t) / 2, -z)
        )
        return first(
            exceed("convexity: F((z + t) / 2) and (F(z) + F(t)) / 2", middle, (left + right) / 2),
            differ("F(-z) and F(z) + z", back, left + z),
        )

    def homogeneous(ask: Asker, drawn: Drawn) -> str:
        u, v, c = drawn["share"] * drawn["v"], drawn["v"], drawn["c"]
        at_one, scaled = (ask.number("perspective", **of(drawn), u=f * u, v=f * v) for f in (Fraction(1), c))
        statement = "c times the perspective at (u, v), and the perspective at (c u, c v)"
        return differ(statement, c * at_one, scaled)

    flags = {"log": ("log-base",), "m_alpha": ("factor-two", "plateau")}.get(loss, ("normalisation",))
    two = {"u": PROBABILITY, "v": PROBABILITY} | alpha
    margins = {"z": MARGIN, "t": MARGIN} | alpha
    scaled = {"share": PROBABILITY, "v": POSITIVE, "c": POSITIVE} | alpha
    yield property_of(f"risk-symmetric/{loss}", "pbr", symmetric, ("symmetry",), u=PROBABILITY, **alpha)
    yield property_of(f"risk-concave/{loss}", "pbr", concave, flags, **two)
    yield property_of(f"loss-proper/{loss}", "eqpartialloss", proper, ("properness", "normalisation"), **two)
    yield property_of(f"link-odd-monotone/{loss}", "f-alphaM", odd_and_monotone, ("symmetry",), **two)
    if loss != "zero_one":
        # At alpha = 0 the inverse link has two values and jumps.
        steep = {"alpha": (1, 8, 8)} if alpha else {}
        yield property_of(f"link-inverse/{loss}", "f-alphaM", inverse, flags, u=PROBABILITY, **steep)
    yield property_of(f"inverse-link-monotone/{loss}", "f-alphaM", inverse_monotone, flags, **margins)
    yield property_of(f"surrogate-convex/{loss}", "f-alphaM", convex, ("margin-sign",), **margins)
    yield property_of(f"perspective-homogeneous/{loss}", "defpt", homogeneous, ("homogeneity",), **scaled)
