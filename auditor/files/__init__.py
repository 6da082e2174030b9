"""What an audit writes: report, page, plots, witness files, and their replay."""
