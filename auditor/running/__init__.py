"""Running an audit: registered coins, calls, the sequential test, the search for a pair."""
