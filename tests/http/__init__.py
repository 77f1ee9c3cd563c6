"""The HTTP surface, asked as a caller asks it."""
