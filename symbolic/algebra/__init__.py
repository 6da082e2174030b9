"""Regions, rational functions, certificates and normal forms for the derivations."""
