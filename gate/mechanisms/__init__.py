"""The profile `mechanisms`: what every library of differential privacy has."""
