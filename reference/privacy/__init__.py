"""Mechanisms, samplers, sensitivities, budgets and accounting."""
