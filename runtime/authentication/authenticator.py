"""Who is calling: a bearer token, which is an API key or comes from the identity provider. Nothing else says so."""

from models.api_keys import looks_like_a_key
from models.errors import Unauthenticated
from models.principals import Principal
from runtime.authentication.keys import ApiKeys
from runtime.authentication.oidc import OidcVerifier


class Authenticator:
    """Turns an `Authorization` header into a principal. `oidc` is None where no provider is configured."""

    def __init__(self, keys: ApiKeys, oidc: OidcVerifier | None) -> None:
        self._keys = keys
        self._oidc = oidc

    async def authenticate(self, authorization: str | None) -> Principal:
        """The principal behind the header; raises `Unauthenticated`, and `Unavailable` where nobody can tell."""
        if authorization is None:
            raise Unauthenticated("send a key or a token: Authorization: Bearer …")
        scheme, _, token = authorization.strip().partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("the scheme is Bearer: Authorization: Bearer …")
        if looks_like_a_key(token):
            return await self._keys.recognise(token)
        if self._oidc is None:
            raise Unauthenticated("this is not an API key, and no identity provider is configured here")
        return await self._oidc.verify(token)
