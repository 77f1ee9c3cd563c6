"""Tests of what measures Keepwell."""
