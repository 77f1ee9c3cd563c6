"""Examples that play a whole story against a running service, by its client alone."""
