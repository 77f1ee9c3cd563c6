"""The Model Context Protocol: tools and resources for models, mounted at `/mcp` of the HTTP application.

What calls here is a model, whoever owns the connection: it recalls, and it proposes. It confirms nothing.
"""
