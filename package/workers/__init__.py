"""Processes that do work for this one."""
