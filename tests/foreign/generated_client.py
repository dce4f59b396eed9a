"""Uses a client that openapi-python-client generated from the server's OpenAPI document, as a partner would.

The package `switchboard` is the generated client and is found through PYTHONPATH. The first argument selects the part:
`send` sends each type of message, `read` reads the history afterwards, and `examples` decodes the example events in
the OpenAPI document on standard input.
"""

import json
import os
import sys
from datetime import datetime

from switchboard.api.conversations import get_history
from switchboard.api.events import list_events
from switchboard.api.messages import get_message, send_message, send_template
from switchboard.api.templates import list_templates
from switchboard.client import Client
from switchboard.models import (
    AcceptedMessage,
    CheckedMessage,
    EventPage,
    HistoryPage,
    Interactive,
    InteractiveChoice,
    Message,
    MessageReceivedEvent,
    MessageTemplate,
    RateLimitedError,
    SendMessage,
    SendMessageType,
    SendTemplate,
    TemplateApprovedEvent,
    TemplateComponentInput,
    TemplatePage,
    ValidationFailedError,
)

ECHOES, TAPS = "+12025550100", "+12025550108"
BUTTONS = {
    "type": "button",
    "body": {"text": "Is Tuesday fine?"},
    "action": {
        "buttons": [
            {"type": "reply", "reply": {"id": "yes", "title": "Yes"}},
            {"type": "reply", "reply": {"id": "no", "title": "No"}},
        ]
    },
}
FILLED_IN = {
    "type": "body",
    "parameters": [{"type": "text", "text": "Ada"}, {"type": "text", "text": "1042"}],
}


def client(pair):
    client_id, client_secret = pair.split(":")
    headers = {"x-client-id": client_id, "x-client-secret": client_secret}
    return Client(os.environ["SWITCHBOARD"], headers=headers)


def expect(kind, value):
    assert isinstance(value, kind), f"not a {kind.__name__}: {value}"
    return value


def as_python(value):
    """Converts the times in a value to Python's own format."""
    if isinstance(value, dict):
        return {name: as_python(it) for name, it in value.items()}
    if isinstance(value, list):
        return [as_python(it) for it in value]
    if isinstance(value, str) and value.endswith("Z") and value[4:5] == "-":
        return datetime.fromisoformat(value.replace("Z", "+00:00")).isoformat()
    return value


def send(by):
    template = {"type": "template", "template_name": "order_shipped", "language": "en_US"}
    for fields in [
        {"type": "text", "text": "Your order is on its way."},
        {"type": "media", "media_url": "https://example.com/receipt.pdf", "caption": "Your receipt"},
        {"type": "interactive", "interactive": BUTTONS},
        template | {"components": [FILLED_IN]},
    ]:
        body = SendMessage.from_dict(fields | {"phone_number": TAPS})
        accepted = expect(AcceptedMessage, send_message.sync(client=by, body=body))
        assert accepted.type_ == fields["type"], accepted
        expect(Message, get_message.sync(accepted.id, client=by))
    interactive = Interactive.from_dict(BUTTONS)
    body = SendMessage(SendMessageType.INTERACTIVE, phone_number=ECHOES, interactive=interactive, dry_run=True)
    checked = expect(CheckedMessage, send_message.sync(client=by, body=body))
    assert checked.valid and "[Yes]" in checked.rendered, checked
    components = [TemplateComponentInput.from_dict(FILLED_IN)]
    body = SendTemplate(to=ECHOES, template_name="order_shipped", language="en_US", components=components)
    expect(AcceptedMessage, send_template.sync(client=by, body=body))
    expect(TemplatePage, list_templates.sync(client=by))

    # A validation error has its own type, and so has the error of a key that has reached its rate limit.
    wrong = expect(ValidationFailedError, send_message.sync(client=by, body=SendMessage(SendMessageType.TEXT)))
    assert {it.field for it in wrong.details} >= {"phone_number", "text"}, wrong
    throttled = client(os.environ["THROTTLED"])
    get_history.sync(client=throttled, phone_number=ECHOES)
    refused = expect(RateLimitedError, get_history.sync(client=throttled, phone_number=ECHOES))
    assert refused.retry_after >= 1, refused


def read(by):
    history = expect(HistoryPage, get_history.sync(client=by, phone_number=TAPS)).data
    kinds = {it.type_ for it in history}
    assert kinds >= {"text", "media", "interactive", "template"}, kinds
    shown = [it.interactive for it in history if it.interactive]
    tapped = [it for it in shown if isinstance(it, InteractiveChoice)]
    assert tapped[0].button_reply.id == "yes", shown
    assert any(isinstance(it, Interactive) for it in shown), shown
    filled = [it.template for it in history if it.template]
    assert isinstance(filled[0], MessageTemplate) and filled[0].components, filled

    after, seen = 0, []
    while True:
        page = expect(EventPage, list_events.sync(client=by, after=after))
        seen += page.data
        after = page.next_after
        if not page.has_more:
            break
    assert all(isinstance(it.data, object) and not isinstance(it, dict) for it in seen), seen
    received = [it for it in seen if isinstance(it, MessageReceivedEvent)]
    assert any(isinstance(it.data.interactive, InteractiveChoice) for it in received), received
    approved = [it for it in seen if isinstance(it, TemplateApprovedEvent)]
    assert any(it.data.name == "order_shipped" for it in approved), approved
    print(sorted({type(it).__name__ for it in seen}))


def examples():
    document = json.load(sys.stdin)
    for name, methods in document["webhooks"].items():
        example = methods["post"]["requestBody"]["content"]["application/json"]["example"]
        position = {"has_more": False, "next_after": 1}
        page = {"data": [example], **position, "pagination": {"limit": 1, "after": 0, **position}}
        [event] = EventPage.from_dict(page).data
        words = name.replace("_", ".").split(".")
        assert type(event).__name__ == "".join(it.capitalize() for it in words) + "Event", event
        assert event.to_dict() == as_python(example), (event.to_dict(), example)
    print(len(document["webhooks"]), "events")


if sys.argv[1] == "examples":
    examples()
else:
    {"send": send, "read": read}[sys.argv[1]](client(os.environ["KEY"]))
