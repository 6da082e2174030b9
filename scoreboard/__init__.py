"""Libraries side by side: what the gate, audits and checks of stability say of each, on one page."""
