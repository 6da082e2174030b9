"""Common mechanisms of differential privacy: their exact laws, and the numbers of accounting.

Every function names the statement that it computes. No function rounds: laws are exact numbers, and solutions
of equations are certified enclosures.
"""
