"""Client of the Switchboard messaging API. It needs the standard library only."""

from . import types
from ._client import ApiError, Switchboard
from ._connect import Connect, ConnectError, Handshake
from ._webhooks import Webhook, WebhookVerificationError

__all__ = [
    "ApiError",
    "Connect",
    "ConnectError",
    "Handshake",
    "Switchboard",
    "Webhook",
    "WebhookVerificationError",
    "types",
]
