"""Engines that check claims and report which tools their verdict relies on."""
