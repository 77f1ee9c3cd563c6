"""Embedders: the bundled one, and any server that speaks OpenAI's protocol."""
