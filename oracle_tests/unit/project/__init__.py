"""Tests of the project itself: layers, packaging, pages, benchmarks."""
