"""What is expected of the operations, computed by the reference."""
