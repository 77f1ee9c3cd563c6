"""Importers: what is read, what is refused, and that nothing is stored by halves or twice."""
