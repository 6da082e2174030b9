"""Links between entries of the ledger and theorems in Coq: the proofs, and the files that Coq compiles."""
