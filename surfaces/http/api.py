"""What routes work with, and the dependencies that fetch it: the service, and who is calling."""

import asyncio
from typing import Annotated, NamedTuple, cast

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from models.errors import InvalidInput, Unauthenticated, Unavailable
from models.principals import Principal
from runtime.authentication.authenticator import Authenticator
from runtime.authentication.keys import ApiKeys
from runtime.bell import Bell
from runtime.readiness import Readiness
from runtime.service import Service
from surfaces.http.limits import Places, RateLimit


class Api(NamedTuple):
    """All that the routes need. `bell` rings for news, `inbox_bell` for what is due; `draining` is set at the end."""

    service: Service
    keys: ApiKeys
    authenticator: Authenticator
    rate: RateLimit
    streams: Places
    exports: Places
    bell: Bell
    inbox_bell: Bell
    readiness: Readiness
    draining: asyncio.Event


def api_of(request: Request) -> Api:
    """The one `Api` of the application."""
    return cast("Api", request.app.state.api)


_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    description="An API key (`kw_…`), or a token of the configured OpenID Connect provider.",
)


async def caller(
    request: Request, _documented: Annotated[object, Depends(_bearer)], api: Annotated[Api, Depends(api_of)]
) -> Principal:
    """The principal of a request, within its rate. It comes from the credential and from nowhere else."""
    sent = request.headers.getlist("authorization")
    if len(sent) > 1:
        raise InvalidInput("send one credential, not several", field="Authorization")
    principal = await api.authenticator.authenticate(sent[0] if sent else None)
    api.rate.require(principal)
    return principal


async def still_speaks(request: Request, api: Api, who: Principal) -> bool:
    """Whether the credential of a request that goes on and on still speaks for `who`.

    Where nobody can tell at the moment, it does.
    """
    try:
        return await api.authenticator.authenticate(request.headers.get("authorization")) == who
    except Unauthenticated:
        return False
    except Unavailable:
        return True


def refuse_unknown_parameters(request: Request) -> None:
    """A parameter that nobody reads is refused: it would look like a filter that lets everything through."""
    known = {field.alias for field in request.scope["route"].dependant.query_params}
    sent = [name for name, _ in request.query_params.multi_items()]
    if not known.issuperset(sent):
        names = ", ".join(sorted(known)) or "none"
        raise InvalidInput(f"unknown query parameter; this route knows {names}", field="query")
    if len(set(sent)) < len(sent):
        raise InvalidInput("a query parameter is given twice; keep one of them", field="query")


Caller = Annotated[Principal, Depends(caller)]
TheApi = Annotated[Api, Depends(api_of)]
