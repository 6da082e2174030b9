"""Regions, rational functions, certificates and normal forms."""
