"""HTTP as it comes off the wire: the head of a request has an end, and what is no HTTP gets a problem as well."""

from http import HTTPStatus
from uuid import uuid4

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from surfaces.http.limits import MAX_HEAD_BYTES
from surfaces.http.problems import REQUEST_ID, told


class Protocol(HttpToolsProtocol):
    """The server's protocol, whose parser by itself would read a head of any length, ever more slowly."""

    _head: int | None = None
    """Bytes of a head that has begun and has no end yet, without those that came together with its beginning."""

    def data_received(self, data: bytes) -> None:
        """Read on, and refuse a head that goes on for too long."""
        begun = self._head
        super().data_received(data)
        if begun is None or self._head is None:
            return
        self._head = begun + len(data)
        if self._head > MAX_HEAD_BYTES:
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                f"the headers have more than {MAX_HEAD_BYTES // 1024} KB; send what is meant, and nothing beside it",
            )

    def on_message_begin(self) -> None:
        """A head begins."""
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """A head ends."""
        self._head = None
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be read."""
        self._head = None
        self._refuse(HTTPStatus.BAD_REQUEST, "this cannot be read as an HTTP request")

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        request_id = uuid4().hex
        answer = told(status, "invalid_request", detail, request_id, retryable=False)
        headers = [
            *self.server_state.default_headers,
            *answer.raw_headers,
            (REQUEST_ID.encode(), request_id.encode()),
            (b"connection", b"close"),
        ]
        head = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
        self.transport.write(STATUS_LINE[status] + head + b"\r\n" + bytes(answer.body))
        self.transport.close()
