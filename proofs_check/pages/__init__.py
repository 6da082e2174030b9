"""The pages that are generated from the ledger: errata and all claims."""
