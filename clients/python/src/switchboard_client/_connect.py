"""The Connect handshake: OAuth 2.0 with an authorization code and PKCE."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from typing import cast
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request

from . import types
from ._client import http_call


class ConnectError(Exception):
    """A handshake that failed. `error` is the code of RFC 6749, such as `access_denied`."""

    def __init__(self, error: str, description: str) -> None:
        self.error = error
        self.description = description
        super().__init__(f"{error}: {description}")


@dataclass(frozen=True)
class Handshake:
    """What to keep on the server, in the session of the visitor, until the browser comes back."""

    url: str
    state: str
    code_verifier: str
    redirect_uri: str


class Connect:
    """The handshakes of an application. `issuer` is the base URL of the server."""

    def __init__(self, issuer: str, client_id: str, client_secret: str, *, timeout: float = 30) -> None:
        self._issuer = issuer.rstrip("/")
        self._client_id = client_id
        self._client_secret = client_secret
        self._timeout = timeout

    def begin(self, redirect_uri: str, scopes: list[str]) -> Handshake:
        """Returns a new handshake. Keep it, and send the browser to its `url`."""
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self._client_id,
                "redirect_uri": redirect_uri,
                "scope": " ".join(scopes),
                "state": state,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )
        return Handshake(f"{self._issuer}/connect/authorize?{query}", state, verifier, redirect_uri)

    def finish(self, handshake: Handshake, callback_url: str) -> types.Connection:
        """Returns the connection for the URL at which the browser came back. Store its secret: it is shown once.

        Raises `ConnectError` if the member refused, and if the URL does not belong to the handshake.
        """
        query = {name: values[0] for name, values in parse_qs(urlsplit(callback_url).query).items()}
        if not hmac.compare_digest(query.get("state", "").encode(), handshake.state.encode()):
            raise ConnectError("invalid_state", "the browser did not begin this handshake")
        if query.get("iss") != self._issuer:
            raise ConnectError("invalid_issuer", "the answer comes from another server")
        if "error" in query:
            raise ConnectError(query["error"], query.get("error_description", ""))
        body = {
            "grant_type": "authorization_code",
            "code": query.get("code", ""),
            "code_verifier": handshake.code_verifier,
            "redirect_uri": handshake.redirect_uri,
            "client_id": self._client_id,
            "client_secret": self._client_secret,
        }
        headers = {"content-type": "application/json", "accept": "application/json"}
        # A code works once, so the exchange is never repeated.
        request = Request(f"{self._issuer}/connect/token", json.dumps(body).encode(), headers, method="POST")
        status, _, text = http_call(request, self._timeout)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {}
        if status != 200:
            raise ConnectError(answer.get("error", "server_error"), answer.get("error_description", f"status {status}"))
        return cast(types.Connection, answer)
