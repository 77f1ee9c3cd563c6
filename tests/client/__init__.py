"""Tests of the client, against small servers that misbehave on purpose."""
