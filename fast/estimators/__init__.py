"""The scikit-learn estimators, the checks of their inputs, and the display of fitted models."""
