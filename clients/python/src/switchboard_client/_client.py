"""The transport: credentials, retries and pages."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from . import types
from ._operations import Operations

VERSION = "0.1.0"


class ApiError(Exception):
    """An answer of the API that is an error.

    `status` is the HTTP status, `code` the machine-readable code, `request_id` the id to quote to support, and `body`
    the whole answer. A 422 has its faults in `details`.
    """

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None) -> None:
        self.status = status
        self.body = body
        self.code: str = body.get("code", "")
        self.request_id: str = body.get("request_id", "")
        self.details: Any = body.get("details", [])
        self.retry_after = retry_after
        super().__init__(f"{body.get('error', 'the answer is not JSON')} ({status} {self.code}, {self.request_id})")


class _NoRedirects(HTTPRedirectHandler):
    """A redirect would send the credentials to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


def http_call(request: Request, timeout: float) -> tuple[int, dict[str, str], bytes]:
    """Makes one call. Raises `OSError` or `HTTPException` if there is no answer."""
    try:
        with _opener.open(request, timeout=timeout) as answer:
            return answer.status, _lower(answer.headers), answer.read()
    except HTTPError as error:
        with error:
            return error.code, _lower(error.headers), error.read()
    except URLError as error:
        raise OSError(str(error.reason)) from error


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class Switchboard(Operations):
    """The API of a Switchboard server, with the credentials of a key.

    A call is repeated up to `max_retries` times after a lost connection, a 429 and a 5xx: after the time in
    `Retry-After`, or else after a growing pause. A POST carries an `Idempotency-Key`, so that it is done once. A wait
    that is longer than `max_wait` seconds raises the error instead.
    """

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        *,
        timeout: float = 30,
        max_retries: int = 3,
        max_wait: float = 60,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._credentials = {"x-client-id": client_id, "x-client-secret": client_secret}
        self._timeout = timeout
        self._max_retries = max_retries
        self._max_wait = max_wait
        self._sleep = sleep

    @classmethod
    def from_connection(cls, base_url: str, connection: types.Connection, **options: Any) -> Switchboard:
        """Returns a client with the key that a handshake created."""
        return cls(base_url, connection["client_id"], connection["client_secret"], **options)

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        is_idempotent: bool = False,
        idempotency_key: str | None = None,
        is_file: bool = False,
    ) -> Any:
        pairs = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path + (f"?{urlencode(pairs)}" if pairs else "")
        headers = {**self._credentials, "accept": "application/json", "user-agent": f"switchboard-client-python/{VERSION}"}
        if is_idempotent:
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        attempt = 0
        while True:
            wait = min(0.5 * 2**attempt, 8) * (0.5 + random.random() / 2)
            request = Request(url, data=content, headers=headers, method=method)
            try:
                status, answered, text = http_call(request, self._timeout)
            except (OSError, HTTPException):
                if attempt >= self._max_retries:
                    raise
            else:
                if 200 <= status < 300:
                    return text if is_file else json.loads(text)
                error = _error(status, answered, text)
                wait = wait if error.retry_after is None else error.retry_after
                if attempt >= self._max_retries or not _is_temporary(error) or wait > self._max_wait:
                    raise error
            self._sleep(wait)
            attempt += 1

    def _pages(self, parameter: str, path: str, query: dict[str, Any]) -> Iterator[Any]:
        while True:
            page = self._request("GET", path, query=query)
            yield from page["data"]
            position = page.get("pagination", page)
            if not position["has_more"]:
                return
            query = {**query, parameter: position[f"next_{parameter}"]}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _error(status: int, headers: dict[str, str], text: bytes) -> ApiError:
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    seconds = headers.get("retry-after", "")
    retry_after = float(seconds) if seconds.isdigit() else None
    return ApiError(status, body if isinstance(body, dict) else {}, retry_after)


def _is_temporary(error: ApiError) -> bool:
    return error.status in (429, 500, 502, 503, 504) or error.code == "idempotency_in_progress"
