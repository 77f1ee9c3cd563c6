"""The version of this client, as it is published and as it introduces itself to the service."""

__version__ = "0.1.0"
