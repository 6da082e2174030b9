"""Other auditors, judged on mechanisms of known privacy loss: how often their lower bounds are false."""
