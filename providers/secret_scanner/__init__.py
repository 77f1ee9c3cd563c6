"""The bundled secret scanner. `SecretScanner` is all that the rest of Keepwell needs to know."""

from providers.secret_scanner.scanner import SecretScanner

__all__ = ["SecretScanner"]
