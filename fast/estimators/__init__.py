"""The scikit-learn estimators, what they accept, and how fitted models are shown."""
