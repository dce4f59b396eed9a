"""Calls a server that fails in the ways that the test scripted, with a clock that does not wait."""

import os

from switchboard_client import ApiError, Switchboard, types

waits: list[float] = []
client = Switchboard(os.environ["SWITCHBOARD"], "swk_1", "sws_1", sleep=waits.append)
text: types.SendMessage = {"type": "text", "phone_number": "+1", "text": "é"}

message = client.send_message(text)
assert "id" in message and len(waits) == 2, waits
print(message["id"], "waited", round(waits[0]), "then", "a moment" if 0 < waits[1] < 5 else waits[1])
try:
    client.send_message(text, idempotency_key="order-1042")
except ApiError as error:
    print(error.status, error.code)
try:
    client.send_message(text)
except ApiError as error:
    print(error.status, error.code)
try:
    client.get_me()
except ApiError as error:
    print(error.status, "retry after", round(error.retry_after or 0))
try:
    client.list_contacts(phone_number="+1", opted_out=False)
except ApiError as error:
    print(error.status)
