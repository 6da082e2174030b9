"""Figure 1 of the paper: its tables, plots and files."""
