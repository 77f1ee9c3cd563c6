"""Secrets: what is one, what is masked, and that none of them is stored."""
