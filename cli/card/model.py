"""What a model of privboost says of itself, for a card."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from privboost.errors import PreconditionError, UsageError
from privboost.fast.budgets import Guarantee, PrivacyLedger
from privboost.fast.domain import Domain
from privboost.fast.features import Categorical, Date, Feature
from privboost.fast.files.model_json import (
    BoostedModel,
    ForestModel,
    Kind,
    boosted_from_json,
    forest_from_json,
)
from privboost.fast.protocol import AlphaRule, LeafMechanism, LeafRule, SplitLaw
from privboost.limits import EXCHANGE
from privboost.strict_json import JsonValue

from .answers import AnswerKind, AnswerSource, CardAnswer

MOST_FEATURES = 20
RELATIONS = {
    "exchange": "exchange: one row is replaced by another; the number of rows is public",
    "add_remove": "add_remove: one row is added or removed",
}

NOISY = {
    LeafRule.NOISY_NET: "the net weight of each leaf: the weight of one class minus that of the other",
    LeafRule.NOISY_MASSES: "the weights of both classes in each leaf",
    LeafRule.LINK_CLAMP_NOISE: "the value of each leaf, which is clamped before",
    LeafRule.LINK_NOISE_CLAMP: (
        "the value of each leaf, as printed: for a sensitivity that values before the clamp exceed"
    ),
}
OF_SPLITS = {
    SplitLaw.EXPONENTIAL: "splits by the exponential mechanism",
    SplitLaw.PERMUTE_AND_FLIP: "splits by permute-and-flip",
    SplitLaw.UNIFORM: "splits are drawn independently of the data",
}
OF_FOREST = {
    LeafMechanism.LAPLACE: "discrete Laplace noise on the counts of both classes in each leaf",
    LeafMechanism.EXPONENTIAL: "the class of each leaf is drawn by the exponential mechanism",
}


def read_model(document: JsonValue, text: str, file: str) -> BoostedModel | ForestModel:
    """Return the model that a JSON document describes; its ledger is computed again.

    Ensures: UsageError with the path of the first value that is not as expected.
    """
    try:
        kind = JsonValue(document.value, "model").member("kind").among(Kind)
        return forest_from_json(text) if kind == Kind.FOREST else boosted_from_json(text)
    except PreconditionError as error:
        raise UsageError(f"{file}: {error.label}: expected {error.expected}, got {error.got}") from None


def model_answers(model: BoostedModel | ForestModel, file: str) -> dict[str, CardAnswer]:
    """Return the answers of a model to the questions about the guarantee, and some others."""
    ledger = model.ledger

    def answer(text: str, member: str, value: object = None) -> CardAnswer:
        return CardAnswer(text, AnswerKind.COMPUTED, AnswerSource(file, member), value)

    guaranteed = ledger.guarantee is not Guarantee.NONE
    total = format_epsilon(ledger.total)
    has_protocol = isinstance(model, BoostedModel)
    has_size = isinstance(model, BoostedModel) and ledger.relation.value == EXCHANGE
    rows = f"; the number of rows, {model.size:,}" if isinstance(model, BoostedModel) and has_size else ""
    public = ("domain.provenance", "classes", "parameters", *(("size",) if has_size else ()))
    answers = {
        "statement": answer(ledger.statement, "ledger.guarantee"),
        "relation": answer(RELATIONS[ledger.relation.value], "ledger.relation"),
        "unit": answer("one row", "ledger.relation"),
        "composition": answer(_describe_composition(ledger), "ledger.expenses"),
        "mechanisms": answer(
            _describe_mechanisms(model), "protocol, parameters" if has_protocol else "parameters"
        ),
        "public_inputs": answer(
            f"the domain ({model.domain.provenance}); the classes {model.classes.negative!r} and "
            f"{model.classes.positive!r}; the parameters{rows}",
            ", ".join(public),
        ),
        "data_domain": answer(describe_domain(model.domain), "domain.features"),
        "data_product_type": answer("Machine learning model", "kind"),
        "stated_in": answer(
            "the ledger of the model, which is computed again from its protocol and parameters", "ledger"
        ),
    }
    if guaranteed:
        answers["epsilon"] = answer(total, "ledger.expenses", float(ledger.total))
        answers["delta"] = answer(format_epsilon(ledger.delta), "ledger.expenses", float(ledger.delta))
        if ledger.rho:
            text = f"{_format_exact(ledger.rho)} in total, from which ε and δ follow"
            answers["rho"] = answer(text, "ledger.expenses", float(ledger.rho))
        answers["variant"] = answer("Approximate DP" if ledger.delta else "Pure DP", "ledger.expenses")
    else:
        answers["epsilon"] = answer(
            f"none is guaranteed; the listed expenses add up to {total}"
            + (f" with delta {format_epsilon(ledger.delta)}" if ledger.delta else ""),
            "ledger.guarantee",
        )
    return answers


def _describe_composition(ledger: PrivacyLedger) -> str:
    """Return how the expenses of a ledger add up; the conversion of rho is no further expense."""
    listed = [each for each in ledger.expenses if each.rho or (each.epsilon and not each.delta)]
    costs = (
        (f"ρ ≈ {float(each.rho):.6g}" if each.rho else str(each.epsilon), each.group or each.what)
        for each in listed
    )
    sums = "; ".join(f"{count} × {cost} for {what}" for (cost, what), count in Counter(costs).items())
    text = f"sequential composition of all expenses: {sums or 'none'}"
    if not ledger.delta:
        return text
    return (
        f"{text}; together ρ = {_format_exact(ledger.rho)} (zero-concentrated DP), converted to "
        f"ε = {format_epsilon(ledger.total)} at δ = {format_epsilon(ledger.delta)}"
    )


def _describe_mechanisms(model: BoostedModel | ForestModel) -> str:
    """Return the mechanisms of a model and what each makes private."""
    if isinstance(model, ForestModel):
        return OF_FOREST[model.parameters.mechanism]
    protocol, parameters = model.protocol, model.parameters
    noise = "discrete Gaussian noise" if parameters.delta else "discrete Laplace noise"
    parts = [f"{noise} on {NOISY[protocol.leaf]}", OF_SPLITS[protocol.split_law]]
    if protocol.alpha is AlphaRule.NOISY_MINORITY and parameters.depth > 1:
        parts.append(f"{noise} on the weight of the rarer class, once for each level below the root")
    return "; ".join(parts)


def _format_exact(value: Fraction) -> str:
    """Return a fraction as a decimal with all its digits, if those of a float suffice."""
    decimal = repr(float(value))
    return decimal if Fraction(decimal) == value else format_epsilon(value)


def format_epsilon(value: Fraction) -> str:
    """Return a fraction as a decimal if that is exact, and as both if not."""
    decimal = f"{float(value):.6g}"
    return decimal if Fraction(decimal) == value else f"{value} (about {decimal})"


def describe_domain(domain: Domain) -> str:
    """Return the features of a domain in one line."""
    listed = [_describe(feature) for feature in domain.features[:MOST_FEATURES]]
    more = len(domain.features) - len(listed)
    return "; ".join(listed) + (f"; and {more} more" if more > 0 else "")


def _describe(feature: Feature) -> str:
    if isinstance(feature, Categorical):
        return f"{feature.name}: one of {len(feature.categories)} categories"
    ends = (feature.first, feature.last) if isinstance(feature, Date) else (feature.lo, feature.hi)
    return f"{feature.name}: {ends[0]} to {ends[1]} in {feature.values} values"
