"""Intentions under distraction: scripted runs, what has to fire in each, and what did."""
