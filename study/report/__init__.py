"""Tables, plots and the page of the study."""
