"""The computations of `section4_m_alpha.md`, by name in `computed`."""
