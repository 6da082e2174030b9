"""What the reference answers to a request, exactly."""
