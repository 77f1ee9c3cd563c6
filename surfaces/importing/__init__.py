"""Bring in what happened elsewhere: a file is read to its end and checked, and only then published."""
