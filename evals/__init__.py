"""Measurements of the service as a caller sees it. What is bad is reported as plainly as what is good."""
