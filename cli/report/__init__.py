"""The report that `privboost report` writes: one HTML page with everything that privboost checks."""
