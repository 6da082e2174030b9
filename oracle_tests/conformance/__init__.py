"""The gate as tests of any implementation."""
