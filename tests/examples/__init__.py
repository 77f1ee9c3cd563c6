"""The examples, played as tests."""
