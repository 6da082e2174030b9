"""Common mechanisms of differential privacy: their exact laws, and the numbers of accounting."""
