"""The experiments of the paper, run again, and what is left of them when the leaks are closed.

`grid` has the configurations, `data` the data sets and folds, `compiled` the models in loops for numba and
`models` what they mean; `store` and `running` keep outcomes whatever happens; `summaries` and `plots` make
the report.
"""
