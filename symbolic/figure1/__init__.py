"""The paper's Figure 1: its numbers, its drawing, its files."""
