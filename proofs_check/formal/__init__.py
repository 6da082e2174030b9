"""Claims of the ledger as Coq propositions, with proofs that Coq checks."""
