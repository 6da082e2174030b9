"""The questions of a card: about the guarantee, the pyramid of NIST SP 800-226, the registry of deployments.

The parts of the pyramid are those of Figure 1 of NIST SP 800-226, Guidelines for Evaluating Differential
Privacy Guarantees; the fields and their tiers are those of `schemas/deployments-schema.yaml` of the
repository opendp/deployments-registry-data, as of July 2026. The questions are in our words.
"""

from __future__ import annotations

from dataclasses import dataclass

GUARANTEE = {
    "statement": "What is guaranteed?",
    "epsilon": "ε",
    "delta": "δ",
    "relation": "Which data sets are neighbours?",
    "unit": "Whose data, and how much of it, is one unit of privacy?",
    "composition": "How do several releases add up to ε and δ?",
    "mechanisms": "Which mechanisms add the noise?",
    "public_inputs": "What is taken to be public?",
    "stated_in": "Where is the guarantee stated or proved?",
}
"""Questions about the guarantee; no test answers one of them."""

TOP, MIDDLE, BOTTOM = "top: strength", "middle: algorithms", "bottom: deployment"
PYRAMID = {
    "epsilon": (TOP, "How large are ε and the other privacy parameters?"),
    "unit": (TOP, "What is the unit of privacy?"),
    "algorithms": (MIDDLE, "Which algorithms are used, and why is their implementation correct?"),
    "utility": (MIDDLE, "How accurate are the results, and for which use?"),
    "bias": (MIDDLE, "For which groups does the noise make results worse?"),
    "query_model": (BOTTOM, "Who may ask what, how often, and how is the budget shared?"),
    "threat_model": (BOTTOM, "Who is trusted, and against whom does the guarantee hold?"),
    "side_channels": (BOTTOM, "What else may reveal data: time, memory, errors, rounding?"),
    "security": (BOTTOM, "How are the raw data and the randomness protected?"),
    "access_control": (BOTTOM, "Who may read the raw data?"),
    "data_collection": (BOTTOM, "What may be exposed while data are collected?"),
}
"""The parts of the pyramid with their levels; each protects only as well as those below it."""


@dataclass(frozen=True, slots=True)
class RegistryField:
    """A field of the registry: its tier, what it asks, and its words if it has a list of them."""

    path: str
    tier: int
    question: str
    words: tuple[str, ...] = ()
    is_list: bool = False

    @property
    def group(self) -> str:
        """Return the object that has the field."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """Return the name of the field in its object."""
        return self.path.rpartition(".")[2]


PRODUCTS = (
    "Summary statistics",
    "Machine learning model",
    "Dataset",
    "Synthetic data",
    "Interactive API",
    "SQL queries",
)
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")
VARIANTS = ("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom")
MODELS = ("Local", "Central", "Shuffle", "Federated", "Varies")
REGISTRY = (
    RegistryField("basic.name", 1, "Name of the data product"),
    RegistryField("basic.data_curators", 1, "Who publishes it", is_list=True),
    RegistryField("basic.intended_use", 1, "What it is for"),
    RegistryField("basic.data_product_type", 1, "Type", PRODUCTS),
    RegistryField("basic.data_product_region", 1, "Region of the data or of the law"),
    RegistryField("basic.description", 1, "Description"),
    RegistryField("basic.publication_date", 1, "Date of publication"),
    RegistryField("basic.data_product_sector", 1, "Sector", SECTORS),
    RegistryField("dp_variant.variant_name", 2, "Variant of differential privacy", VARIANTS),
    RegistryField("dp_variant.data_domain", 3, "Data sets that are protected"),
    RegistryField("dp_variant.unprotected_quantities", 3, "Quantities released without protection"),
    RegistryField("privacy_loss.privacy_unit", 2, "Unit of privacy"),
    RegistryField("privacy_loss.privacy_unit_details", 3, "Which data sets are adjacent, precisely"),
    RegistryField("privacy_loss.privacy_parameters.epsilon", 2, "ε"),
    RegistryField("privacy_loss.privacy_parameters.delta", 2, "δ"),
    RegistryField("privacy_loss.privacy_parameters.rho", 2, "ρ, if concentrated"),
    RegistryField("privacy_loss.privacy_parameters_details", 3, "More on the parameters"),
    RegistryField("deployment_model.model_name", 2, "Deployment model", MODELS),
    RegistryField("deployment_model.model_name_details", 3, "More on the deployment model"),
    RegistryField("deployment_model.actors", 3, "Who is involved, and what is assumed of them"),
    RegistryField("deployment_model.release_type", 2, "Releases", ("One release", "Many releases")),
    RegistryField("deployment_model.release_type_details", 3, "Further releases from the same data"),
    RegistryField("deployment_model.data_source_type", 2, "Data", ("Static", "Dynamic")),
    RegistryField("deployment_model.data_source_type_details", 3, "More on the data"),
    RegistryField("deployment_model.access_type", 2, "Access", ("Interactive", "Non-interactive")),
    RegistryField("deployment_model.access_type_details", 3, "How the budget is shared among analysts"),
    RegistryField("accounting.post_processing", 3, "What is done to the protected results"),
    RegistryField("accounting.composition", 3, "How losses of several queries are added up"),
    RegistryField(
        "implementation.preprocessing_and_hyperparameter_tuning",
        3,
        "Steps before, and whether they are accounted for",
    ),
    RegistryField("implementation.mechanisms", 3, "Mechanisms, libraries, protection of the implementation"),
    RegistryField("implementation.justification", 3, "Why these choices were made"),
    RegistryField("administrative.sources", 1, "Documents about the deployment"),
    RegistryField("administrative.notes", 1, "Notes"),
    RegistryField("administrative.registry_authors", 1, "Who fills in the record", is_list=True),
)
"""The fields of a record of the registry, below `deployment`."""

SHARED = {
    "basic.name": "name",
    "dp_variant.variant_name": "variant",
    "dp_variant.unprotected_quantities": "public_inputs",
    "dp_variant.data_domain": "data_domain",
    "basic.data_product_type": "data_product_type",
    "privacy_loss.privacy_unit": "unit",
    "privacy_loss.privacy_unit_details": "relation",
    "privacy_loss.privacy_parameters.epsilon": "epsilon",
    "privacy_loss.privacy_parameters.delta": "delta",
    "privacy_loss.privacy_parameters.rho": "rho",
    "accounting.composition": "composition",
    "implementation.mechanisms": "mechanisms",
}
"""Fields of the registry that other parts of the card answer as well; an answer of the owner comes first."""
