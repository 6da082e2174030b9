"""Claims of the ledger as Coq propositions, and the record of those that Coq has proved."""
