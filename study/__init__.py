"""The experiments of the paper, reproduced as printed and with the privacy leaks closed.

`grid` lists the configurations, `data` loads data sets and folds, `models` computes the parameters of each
configuration and `simulation` fits it. `run` runs configurations, `store` keeps their outcomes, and `report`
makes tables, plots and the page.
"""
