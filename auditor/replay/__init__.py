"""Record every draw and release of a run on one input, and freeze them in a run on its neighbour."""
