"""The Model Context Protocol: tools and resources for models, mounted at `/mcp` of the HTTP application.

What calls here is a model, whoever owns the connection: it recalls, it proposes, and it sets intentions for itself.
It confirms nothing, and sets nothing for anybody else.
"""
