"""Verification of webhooks, after Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from typing import cast

from . import types

TOLERANCE = 5 * 60


class WebhookVerificationError(Exception):
    """The request does not come from the server, or it is old."""


class Webhook:
    """The signing secret of an endpoint.

    >>> event = Webhook("whsec_…").verify(body, headers)
    """

    def __init__(self, secret: str, *, now: Callable[[], float] = time.time) -> None:
        try:
            self._key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except binascii.Error as error:
            raise ValueError("a signing secret begins with whsec_ and is base64 after it") from error
        if not self._key:
            raise ValueError("the signing secret is empty")
        self._now = now

    def verify(self, body: bytes | str, headers: Mapping[str, str]) -> types.Event:
        """Returns the event in a request, if the signature is right and not older than five minutes.

        `body` is the body as it arrived: an object that was parsed and written again has other bytes.
        """
        content = body.encode() if isinstance(body, str) else body
        given = {name.lower(): value for name, value in headers.items()}
        try:
            identifier, at, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        except KeyError as missing:
            raise WebhookVerificationError(f"the header {missing.args[0]} is missing") from None
        if not at.isdecimal() or abs(self._now() - int(at)) > TOLERANCE:
            raise WebhookVerificationError("webhook-timestamp is more than five minutes away")
        signed = f"{identifier}.{at}.".encode() + content
        expected = b"v1," + base64.b64encode(hmac.new(self._key, signed, hashlib.sha256).digest())
        # After a rotation there are two signatures for a day.
        matches = [hmac.compare_digest(expected, it.encode()) for it in signatures.split(" ")]
        if not any(matches):
            raise WebhookVerificationError("no signature was made with this secret")
        return cast(types.Event, json.loads(content))
