"""Ways in: thin, each a translation between a caller's form and the service's."""
