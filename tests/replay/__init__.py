"""Recorded histories: what runs for months on one version of the code must go on under the next."""
