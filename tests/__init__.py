"""Tests say what a user gets. The servers are real, and none of their answers is made up."""
