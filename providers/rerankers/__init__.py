"""Rerankers: none is bundled; any server that has `/rerank` in the form of Cohere's or of TEI's."""
