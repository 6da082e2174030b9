"""Outputs and data sets as plain values, and as JSON that keeps types and bits."""
