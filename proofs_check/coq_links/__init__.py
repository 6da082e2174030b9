"""The links of entries to Coq theorems: exported statements, tactics, the record of what Coq has proved."""
