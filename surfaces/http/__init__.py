"""The HTTP surface: routes under `/v1`, thin over the service. Nothing is decided here."""
