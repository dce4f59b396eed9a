# Generated from the OpenAPI document by `cargo xtask docs`. Do not edit.
"""The calls of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, cast
from urllib.parse import quote

from . import types


class Operations:
    """The calls of the API."""

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
        raise NotImplementedError

    def _pages(self, parameter: str, path: str, query: dict[str, Any]) -> Iterator[Any]:
        raise NotImplementedError

    def send_message(self, body: types.SendMessage, *, idempotency_key: str | None = None) -> types.SendResult:
        """Send a message.

        Sends a text, a file, buttons, a list, a link, a template, a location, contact cards, a reaction or another message of
        the channel to one recipient. The message is sent from the number that the key is bound to, or else from the
        organization's default number. Set exactly one of `phone_number`, `channel_user_id`, `contact_id` and `conversation_id`;
        a new phone number or user id creates a contact and a conversation. The message is sent to the contact's phone number if
        it is known, and to the user id otherwise.

        The response is sent as soon as the message is stored durably. The messages of a conversation are then sent to the
        channel in order. Follow them with the events `message.sent`, `message.delivered`, `message.read` and `message.failed`,
        or by getting the message. A free-form message pauses the AI agent in that conversation; a template leaves it running.

        Interactive messages and contact cards are in Meta's format. A `reaction` is on a message of the same conversation. To
        send a message that the channel supports and this version does not, use the type `channel`: its body is passed on
        unchanged. Leave out the recipient, the context and the tracking fields, which the service adds.

        With `as` set to `agent`, your own AI agent answers. This needs the scope `agent.reply`, and no other one; all other
        messages need `messages.send`. The agent's answer does not pause the agent. It is a 409 `agent_paused` if a person has
        taken the conversation over, and nothing is sent. The same is true if the agent has reached a limit, or if the contact
        seems to be a program; both also pause the agent. With `after_message_id`, the message of the contact that the agent
        answers, it is a 409 `superseded` if the contact has written again in the meantime.

        With `send_at`, the message waits until then: the response is a 201 with the status `scheduled`, and the message can be
        canceled. The customer service window, the template and the plan's limits are judged when its time comes; a message that
        is refused then has the status `failed`. With `fallback_template`, that template is sent instead of a free-form message
        if the window is closed, and `warnings` has `fallback_used`.

        `window_closed` in `warnings` means that the recipient has not written in the last 24 hours, so the channel may reject a
        free-form message. With `dry_run` the request is only validated: nothing is sent, stored or counted as a message, and
        the response is a 200 with the text that the recipient would see.

        Scope: `messages.send`. For the requests that the description names, `agent.reply` instead.
        """
        return cast(types.SendResult, self._request("POST", "/api/v1/messages", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def list_messages(self, *, client_ref: str | None = None, status: Literal["queued", "sent", "delivered", "read", "failed", "received"] | None = None, direction: Literal["outbound", "inbound"] | None = None, conversation_id: str | None = None, since: str | None = None, until: str | None = None, after: str | None = None, limit: int | None = None) -> types.MessagePage:
        """List messages.

        Returns the messages of all conversations, in both directions, the newest first. A key that is bound to a number sees the
        messages of that number only.

        Messages with a `client_ref` and failed messages are found however old they are. With other filters a request looks at no
        more than 5,000 messages: its page may be short or empty although `has_more` is true, and `next_after` is then the last
        message that was looked at.

        Scope: `conversations.read`.
        """
        return cast(types.MessagePage, self._request("GET", "/api/v1/messages", query={"client_ref": client_ref, "status": status, "direction": direction, "conversation_id": conversation_id, "since": since, "until": until, "after": after, "limit": limit}))

    def iterate_messages(self, *, client_ref: str | None = None, status: Literal["queued", "sent", "delivered", "read", "failed", "received"] | None = None, direction: Literal["outbound", "inbound"] | None = None, conversation_id: str | None = None, since: str | None = None, until: str | None = None, after: str | None = None, limit: int | None = None) -> Iterator[types.Message]:
        """Iterates over all entries of `list_messages`, page by page."""
        return self._pages("after", "/api/v1/messages", {"client_ref": client_ref, "status": status, "direction": direction, "conversation_id": conversation_id, "since": since, "until": until, "after": after, "limit": limit})

    def send_template(self, body: types.SendTemplate, *, idempotency_key: str | None = None) -> types.SendResult:
        """Send a template.

        A shorter form of sending a message of type `template`, with the same response.

        If the service knows the template, it rejects the request if the template is not approved or the parameters do not match
        it. A template that the service does not know is passed to the channel, which decides.

        Scope: `messages.send`.
        """
        return cast(types.SendResult, self._request("POST", "/api/v1/messages/template", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def send_batch(self, body: types.SendBatch, *, idempotency_key: str | None = None) -> types.BatchResults:
        """Send several messages.

        Sends 1 to 100 messages with one request. Each is judged by itself, exactly as if it were sent alone: the answer is a
        200 with one result for each, in order, whose `status` is 201 or that of the error. The messages that are accepted are
        stored in one commit, and messages to one recipient keep their order.

        Each message counts as one call, for the rate limit of the key and for the daily calls of the plan, and as one message;
        the batch itself counts for nothing. An `Idempotency-Key` applies to the whole batch. A body that is not JSON, that has
        no message or more than 100, or that has more than 1 MiB is refused as a whole.

        Scope: `messages.send`.
        """
        return cast(types.BatchResults, self._request("POST", "/api/v1/messages/batch", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def list_scheduled_messages(self, *, after: str | None = None, limit: int | None = None) -> types.ScheduledMessagePage:
        """List scheduled messages.

        Returns the messages that wait for their time, those that leave first at the beginning. A message that has left or was
        canceled is not in the list. A key that is bound to a number sees the messages of that number only.

        Scope: `conversations.read`.
        """
        return cast(types.ScheduledMessagePage, self._request("GET", "/api/v1/messages/scheduled", query={"after": after, "limit": limit}))

    def iterate_scheduled_messages(self, *, after: str | None = None, limit: int | None = None) -> Iterator[types.ScheduledMessage]:
        """Iterates over all entries of `list_scheduled_messages`, page by page."""
        return self._pages("after", "/api/v1/messages/scheduled", {"after": after, "limit": limit})

    def get_message(self, id: str) -> types.FoundMessage:
        """Get a message.

        Returns a message with its current status. The status only moves forward: `queued`, `sent`, `delivered`, `read`;
        or `failed`, with the reason in `error`. A message that is sent later is `scheduled` until then, or `canceled`. A key that is bound to a number sees that number's messages only.

        Scope: `conversations.read`.
        """
        return cast(types.FoundMessage, self._request("GET", f"/api/v1/messages/{quote(id, safe='')}"))

    def cancel_message(self, id: str) -> types.ScheduledMessage:
        """Cancel a scheduled message.

        Cancels a message with `send_at` that has not been sent, and records `message.canceled`. If its time comes at the same
        moment, either it is canceled or it is sent: a message that was sent, or canceled before, is a 409 `not_cancelable`.

        Scope: `messages.send`.
        """
        return cast(types.ScheduledMessage, self._request("DELETE", f"/api/v1/messages/{quote(id, safe='')}"))

    def read_message(self, id: str, body: types.ReadMessage | None = None, *, idempotency_key: str | None = None) -> types.ReadReceipt:
        """Mark a message as read.

        Shows the contact that their message and all earlier ones were read. With `typing` they also see a typing indicator, for
        up to 25 seconds or until your answer arrives. Set it only if you are going to answer.

        Only an inbound message can be marked as read. The channel is called before the response, and nothing is stored.

        Scope: `messages.send`.
        """
        return cast(types.ReadReceipt, self._request("POST", f"/api/v1/messages/{quote(id, safe='')}/read", body=body or {}, is_idempotent=True, idempotency_key=idempotency_key))

    def create_template(self, body: types.CreateTemplate, *, idempotency_key: str | None = None) -> types.CreateTemplateResult:
        """Create a template.

        Creates a template and submits it for review. Its `status` is first `draft`, then `pending`, then `approved` or
        `rejected`. Only an approved template can be sent. The events `template.approved` and `template.rejected` report the
        outcome.

        A template has one BODY, and at most one component of each other type. Variables are written `{{1}}`, `{{2}}` without
        gaps (or by name, with `parameter_format` `named`). A text cannot begin or end with a variable, and each variable needs
        an example.

        A template with a button of type `OTP` carries a one-time code: its category is `authentication`, and the channel
        writes its BODY and FOOTER. A `CAROUSEL` has 2 to 10 cards with the same components; a `LIMITED_TIME_OFFER` has no FOOTER.

        `lint` lists what the reviewer is known to reject, such as variables in a row or a promotional word in a utility
        template; it never refuses a template. With `dry_run` the template is only validated: the response is a 200 with
        `warnings` and `lint`, and nothing is stored.

        Types and fields of components that this version does not know are passed to the reviewer unchanged, and
        `warnings` lists them.

        Scope: `templates.write`.
        """
        return cast(types.CreateTemplateResult, self._request("POST", "/api/v1/templates", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def list_templates(self, *, status: Literal["draft", "pending", "approved", "rejected", "paused", "disabled", "archived", "deleted"] | None = None, category: Literal["utility", "marketing", "authentication"] | None = None, language: str | None = None, name: str | None = None, limit: int | None = None, offset: int | None = None) -> types.TemplatePage:
        """List templates.

        Returns the templates of the organization, of all its numbers, the newest first. A rejected template has the reason in
        `rejection_reason` and `rejection_detail`.

        Scope: `templates.read`.
        """
        return cast(types.TemplatePage, self._request("GET", "/api/v1/templates", query={"status": status, "category": category, "language": language, "name": name, "limit": limit, "offset": offset}))

    def iterate_templates(self, *, status: Literal["draft", "pending", "approved", "rejected", "paused", "disabled", "archived", "deleted"] | None = None, category: Literal["utility", "marketing", "authentication"] | None = None, language: str | None = None, name: str | None = None, limit: int | None = None, offset: int | None = None) -> Iterator[types.Template]:
        """Iterates over all entries of `list_templates`, page by page."""
        return self._pages("offset", "/api/v1/templates", {"status": status, "category": category, "language": language, "name": name, "limit": limit, "offset": offset})

    def get_template(self, id: str) -> types.Template:
        """Get a template.

        Returns a template with its components and its review status.

        Scope: `templates.read`.
        """
        return cast(types.Template, self._request("GET", f"/api/v1/templates/{quote(id, safe='')}"))

    def update_template(self, id: str, body: types.UpdateTemplate | None = None) -> types.CreatedTemplate:
        """Change a template.

        Changes the components or the category of a rejected, paused or approved template and submits it again. Its status is `pending`
        until the reviewer decides, and until then it cannot be sent. The components are checked as in `POST /templates`, and `warnings`
        and `lint` are the same. The event `template.submitted` reports the change, and another one the verdict.

        The reviewer is called before the response: 503 if it cannot be reached, 409 `template_locked` if it refuses, with its words in
        `reviewer_message`. Meta refuses another category for an approved template, and allows one change of an approved template in 24
        hours and ten in 30 days. Twilio cannot change a template that was submitted (`not_supported_by_channel`).

        Messages with the template that wait for the channel are handed over; the channel decides about them. A scheduled message or a
        fallback template is judged when its time comes.

        Scope: `templates.write`.
        """
        return cast(types.CreatedTemplate, self._request("PATCH", f"/api/v1/templates/{quote(id, safe='')}", body=body or {}))

    def delete_template(self, id: str) -> types.Template:
        """Delete a template.

        Deletes a template at the reviewer and here, in this language only, and returns it with the status `deleted`. Deleting a deleted
        template has the same response. The name and language can be used again with `POST /templates`; Meta refuses the name of a
        template that was approved for 30 days. The event `template.deleted` reports it.

        Sends with a deleted template are refused with `template_not_approved`. A scheduled message or a fallback template is judged when
        its time comes, and then fails for the same reason. Messages that wait for the channel are handed over; the channel refuses them
        with `template_not_found`.

        The reviewer is called before the response: 503 if it cannot be reached, 409 `template_locked` if it refuses or if the template is
        being submitted or changed at this moment.

        Scope: `templates.write`.
        """
        return cast(types.Template, self._request("DELETE", f"/api/v1/templates/{quote(id, safe='')}"))

    def upload_media(self, body: types.UploadMedia, *, idempotency_key: str | None = None) -> types.Media:
        """Upload a file.

        Uploads a file, in base64 or as a `data:` URI of the same type, and returns a public URL to use as `media_url` in a
        message. The content must match `content_type`; HTML and SVG are not supported. Anyone who has the URL can read the
        file; URLs cannot be guessed.

        Scope: `media.write`.
        """
        return cast(types.Media, self._request("POST", "/api/v1/media", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def get_history(self, *, phone_number: str | None = None, channel_user_id: str | None = None, contact_id: str | None = None, conversation_id: str | None = None, limit: int | None = None, offset: int | None = None, order: Literal["asc", "desc"] | None = None) -> types.HistoryPage:
        """Get conversation history.

        Returns the messages in both directions, the newest first unless `order` is `asc`. A key that is bound to a number reads
        only that number's conversations. Set exactly one of `phone_number`, `channel_user_id`, `contact_id` and
        `conversation_id`.

        A phone number or user id without messages has an empty history, which is not an error. An unknown contact or
        conversation is a 404. The id of a contact or conversation that was merged into another returns the history of that one.
        If exactly one conversation was found, `conversation` has the contact, the state of the AI agent, and the end of the
        customer service window.

        Scope: `conversations.read`.
        """
        return cast(types.HistoryPage, self._request("GET", "/api/v1/conversations/history", query={"phone_number": phone_number, "channel_user_id": channel_user_id, "contact_id": contact_id, "conversation_id": conversation_id, "limit": limit, "offset": offset, "order": order}))

    def iterate_history(self, *, phone_number: str | None = None, channel_user_id: str | None = None, contact_id: str | None = None, conversation_id: str | None = None, limit: int | None = None, offset: int | None = None, order: Literal["asc", "desc"] | None = None) -> Iterator[types.Message]:
        """Iterates over all entries of `get_history`, page by page."""
        return self._pages("offset", "/api/v1/conversations/history", {"phone_number": phone_number, "channel_user_id": channel_user_id, "contact_id": contact_id, "conversation_id": conversation_id, "limit": limit, "offset": offset, "order": order})

    def post_history(self, body: types.History | None = None, *, idempotency_key: str | None = None) -> types.HistoryPage:
        """Query conversation history.

        Returns the same as the GET, with the parameters in the request body, because a phone number in a URL ends up in logs.

        Scope: `conversations.read`.
        """
        return cast(types.HistoryPage, self._request("POST", "/api/v1/conversations/history", body=body or {}, is_idempotent=True, idempotency_key=idempotency_key))

    def list_contacts(self, *, phone_number: str | None = None, opted_out: bool | None = None, after: str | None = None, limit: int | None = None) -> types.ContactPage:
        """List contacts.

        Returns the people whom your numbers know, the newest contact first. A person who is known to several of your numbers is a
        contact of each. `phone_number` finds a person by each number that the channel has named as theirs, and by another form of
        it. Contacts that were merged into others are left out. A key that is bound to a number sees the contacts of that number
        only.

        Scope: `conversations.read`.
        """
        return cast(types.ContactPage, self._request("GET", "/api/v1/contacts", query={"phone_number": phone_number, "opted_out": opted_out, "after": after, "limit": limit}))

    def iterate_contacts(self, *, phone_number: str | None = None, opted_out: bool | None = None, after: str | None = None, limit: int | None = None) -> Iterator[types.ListedContact]:
        """Iterates over all entries of `list_contacts`, page by page."""
        return self._pages("after", "/api/v1/contacts", {"phone_number": phone_number, "opted_out": opted_out, "after": after, "limit": limit})

    def get_contact(self, id: str) -> types.ListedContact:
        """Get a contact.

        Returns a person as they are known now. The id of a contact that was merged into another returns that one. A contact that was
        deleted has `deleted_at`, and nothing else is known of it. A key that is bound to a number sees the contacts of that number
        only.

        Scope: `conversations.read`.
        """
        return cast(types.ListedContact, self._request("GET", f"/api/v1/contacts/{quote(id, safe='')}"))

    def update_contact(self, id: str, body: types.UpdateContact | None = None) -> types.ListedContact:
        """Change a contact.

        Changes the name, and returns the contact. The name that the contact has on the channel does not replace it. A change records
        the event `contact.updated`; a request that changes nothing records none.

        Scope: `conversations.write`.
        """
        return cast(types.ListedContact, self._request("PATCH", f"/api/v1/contacts/{quote(id, safe='')}", body=body or {}))

    def delete_contact(self, id: str) -> types.DeletedContact:
        """Delete a contact.

        Deletes what is known of a person. Names, numbers, user ids and usernames are gone at once, and messages that wait are not
        sent: they fail with `contact_deleted`. Texts, files that nobody else sent or was sent, notes and drafts are gone within a
        minute, also from events, stored answers and the inbox. Ids, times, types and statuses of messages stay, and so do counts.

        This cannot be undone. A person who writes again is a new contact. Deleting a deleted contact has the same answer. The id of
        a contact that was merged into another deletes that one.

        Scope: `contacts.delete`.
        """
        return cast(types.DeletedContact, self._request("DELETE", f"/api/v1/contacts/{quote(id, safe='')}"))

    def export_contact(self, id: str) -> bytes:
        """Export a contact.

        Returns what is known of a person as a ZIP file: `contact.json`, `messages.json` and `notes.json` with the objects of this API, the
        oldest message and the newest note first, and the files of the messages in `media/`. Files that have been deleted are left out.

        The file is sent while it is written. If the connection ends early, the file is incomplete: repeat the call. The id of a contact
        that was merged into another exports that one. A contact that was deleted is not found. An organization has two exports under way
        at a time; a third is a 429 `too_many_exports`.

        Scope: `conversations.read`.
        """
        return cast(bytes, self._request("GET", f"/api/v1/contacts/{quote(id, safe='')}/export", is_file=True))

    def list_conversations(self, *, status: Literal["open", "waiting", "snoozed", "closed"] | None = None, assignee_id: str | None = None, label: str | None = None, agent: Literal["running", "paused"] | None = None, needs_person: bool | None = None, since: str | None = None, after: str | None = None, limit: int | None = None) -> types.ConversationPage:
        """List conversations.

        Returns the conversations of your numbers, those with the newest messages first. Filters can be combined. A key that is bound
        to a number sees the conversations of that number only.

        A conversation with a new message moves to the first page while you read; `since` finds what has changed since your last
        request. With a filter a request looks at no more than 5,000 conversations: its page may be short or empty although
        `has_more` is true.

        Scope: `conversations.read`.
        """
        return cast(types.ConversationPage, self._request("GET", "/api/v1/conversations", query={"status": status, "assignee_id": assignee_id, "label": label, "agent": agent, "needs_person": needs_person, "since": since, "after": after, "limit": limit}))

    def iterate_conversations(self, *, status: Literal["open", "waiting", "snoozed", "closed"] | None = None, assignee_id: str | None = None, label: str | None = None, agent: Literal["running", "paused"] | None = None, needs_person: bool | None = None, since: str | None = None, after: str | None = None, limit: int | None = None) -> Iterator[types.Conversation2]:
        """Iterates over all entries of `list_conversations`, page by page."""
        return self._pages("after", "/api/v1/conversations", {"status": status, "assignee_id": assignee_id, "label": label, "agent": agent, "needs_person": needs_person, "since": since, "after": after, "limit": limit})

    def get_conversation(self, id: str) -> types.Conversation2:
        """Get a conversation.

        Returns a conversation with its status, assignee and labels, and says whether the AI agent answers. A key that is bound to a
        number sees the conversations of that number only.

        Scope: `conversations.read`.
        """
        return cast(types.Conversation2, self._request("GET", f"/api/v1/conversations/{quote(id, safe='')}"))

    def update_conversation(self, id: str, body: types.UpdateConversation | None = None) -> types.Conversation2:
        """Change a conversation.

        Changes the status, the assignee or the labels, and returns the conversation. A change records the event
        `conversation.updated`; a request that changes nothing records none.

        A message from the contact opens the conversation, whatever its status is. A snoozed conversation also opens at
        `snoozed_until`.

        Scope: `conversations.write`.
        """
        return cast(types.Conversation2, self._request("PATCH", f"/api/v1/conversations/{quote(id, safe='')}", body=body or {}))

    def pause_agent(self, id: str, body: types.PauseAgent | None = None, *, idempotency_key: str | None = None) -> types.Conversation2:
        """Pause the AI agent.

        Pauses the AI agent in a conversation, so that a person can answer, and returns the conversation. The event
        `conversation.agent_paused` is recorded if the agent was running. If the agent is paused already, the reason and the end of
        the pause are replaced.

        Scope: `conversations.write`.
        """
        return cast(types.Conversation2, self._request("POST", f"/api/v1/conversations/{quote(id, safe='')}/pause-agent", body=body or {}, is_idempotent=True, idempotency_key=idempotency_key))

    def resume_agent(self, id: str, *, idempotency_key: str | None = None) -> types.Conversation2:
        """Resume the AI agent.

        Lets the AI agent answer again in a conversation, and returns the conversation. If the agent was paused, the event
        `conversation.agent_resumed` is recorded. An agent of the kind `model` or `webhook` then also answers the contact's last message if
        nobody has answered it and it is at most 24 hours old. Otherwise, or if that message would pause the agent again at once (`STOP`,
        a request for a person), the agent answers from the next message on.

        Scope: `conversations.write`.
        """
        return cast(types.Conversation2, self._request("POST", f"/api/v1/conversations/{quote(id, safe='')}/resume-agent", is_idempotent=True, idempotency_key=idempotency_key))

    def hand_over_conversation(self, id: str, body: types.HandOver | None = None, *, idempotency_key: str | None = None) -> types.Conversation2:
        """Hand a conversation over to people.

        Hands a conversation over from your AI agent to people, and returns the conversation. The agent is paused with the cause
        `handed_over`, `needs_person_since` is set, and the summary becomes a note of the agent. The events
        `conversation.agent_paused`, `conversation.handover_requested` and, for a summary, `note.created` are recorded. What the
        agent sent before is delivered.

        If the agent is paused already, or may not send in this conversation, the call is a 409 `agent_paused` and changes nothing.

        Scope: `agent.reply`.
        """
        return cast(types.Conversation2, self._request("POST", f"/api/v1/conversations/{quote(id, safe='')}/hand-over", body=body or {}, is_idempotent=True, idempotency_key=idempotency_key))

    def list_notes(self, id: str, *, after: str | None = None, limit: int | None = None) -> types.NotePage:
        """List notes.

        Returns the notes about a conversation, the newest first.

        Scope: `conversations.read`.
        """
        return cast(types.NotePage, self._request("GET", f"/api/v1/conversations/{quote(id, safe='')}/notes", query={"after": after, "limit": limit}))

    def iterate_notes(self, id: str, *, after: str | None = None, limit: int | None = None) -> Iterator[types.Note]:
        """Iterates over all entries of `list_notes`, page by page."""
        return self._pages("after", f"/api/v1/conversations/{quote(id, safe='')}/notes", {"after": after, "limit": limit})

    def create_note(self, id: str, body: types.CreateNote, *, idempotency_key: str | None = None) -> types.Note:
        """Write a note.

        Writes a note about a conversation, which your colleagues see in the inbox and the contact never gets. The event
        `note.created` is recorded.

        With `as` set to `agent`, your own AI agent writes the note. This needs the scope `agent.reply`, and no other one; all
        other notes need `conversations.write`. The author is then the agent that answers on the number, or the key if there is
        none. The note does not pause the agent, and is possible while it is paused.

        Scope: `conversations.write`. For the requests that the description names, `agent.reply` instead.
        """
        return cast(types.Note, self._request("POST", f"/api/v1/conversations/{quote(id, safe='')}/notes", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def test_agent(self, id: str, *, idempotency_key: str | None = None) -> types.AgentTest:
        """Ask an AI agent its questions.

        Asks an AI agent of the kind `model` the questions that are saved on its page, each in a conversation of its own, and compares
        the answers with what they must and must not have. Nothing is sent to customers, but look-ups are asked, and the cost counts.
        The answer takes as long as the model: wait for up to ten minutes. An agent of another kind is a 404.

        Scope: `agent.reply`.
        """
        return cast(types.AgentTest, self._request("POST", f"/api/v1/agents/{quote(id, safe='')}/test", is_idempotent=True, idempotency_key=idempotency_key))

    def list_events(self, *, after: int | None = None, limit: int | None = None, type: str | None = None, resends_after: int | None = None) -> types.EventPage:
        """Read events.

        Returns the same events as webhooks deliver, in the order of their `sequence`, for the last 30 days. To find events that
        a webhook did not deliver, start after the last `sequence` that you have, and pass `next_after` as `after` while
        `has_more` is true.

        An application that authenticates with its own client id and secret reads the events of all its connections, each with
        `connection_id`. `sequence` is then the application's own, without gaps. The list begins with the first request, which goes back to the
        beginning of each connection or 30 days; an event is in it within a second or so.

        A key that is bound to a number sees the messages, conversations, contacts and connections of that number, and events
        that concern all numbers, so it skips the sequence numbers of other events. So does a request with `type`. Such a request
        scans at most 5,000 events: its page may be short or empty although `has_more` is true, and `next_after` is then the last
        sequence number that was scanned.

        With `resends_after` the answer also says which events somebody asked to get again, in the dashboard or by the API. A
        program that follows the list can read those again. An application's own pair gets none.

        Scope: `conversations.read`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.EventPage, self._request("GET", "/api/v1/events", query={"after": after, "limit": limit, "type": type, "resends_after": resends_after}))

    def iterate_events(self, *, after: int | None = None, limit: int | None = None, type: str | None = None, resends_after: int | None = None) -> Iterator[types.Event]:
        """Iterates over all entries of `list_events`, page by page."""
        return self._pages("after", "/api/v1/events", {"after": after, "limit": limit, "type": type, "resends_after": resends_after})

    def simulate_inbound(self, body: types.SandboxInbound, *, idempotency_key: str | None = None) -> types.SandboxInboundMessage:
        """Write as a customer of the sandbox.

        Lets a customer write to the number that the key sends from, which has to be a number of the sandbox: a text, a file, or
        a tap on a button or a row of an interactive message. The message arrives as a callback of the channel, like one of a
        real customer: the contact and the conversation are created, the customer service window opens, and `message.received`
        is recorded within a second. Set exactly one of `text`, `media_url` and `button`.

        Scope: `messages.send`.
        """
        return cast(types.SandboxInboundMessage, self._request("POST", "/api/v1/sandbox/inbound", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def list_webhook_endpoints(self, *, after: str | None = None, limit: int | None = None) -> types.WebhookEndpointPage:
        """List webhook endpoints.

        Returns the webhook endpoints, in the order in which they were created. Secrets are not shown.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookEndpointPage, self._request("GET", "/api/v1/webhook-endpoints", query={"after": after, "limit": limit}))

    def iterate_webhook_endpoints(self, *, after: str | None = None, limit: int | None = None) -> Iterator[types.WebhookEndpoint]:
        """Iterates over all entries of `list_webhook_endpoints`, page by page."""
        return self._pages("after", "/api/v1/webhook-endpoints", {"after": after, "limit": limit})

    def create_webhook_endpoint(self, body: types.CreateWebhookEndpoint, *, idempotency_key: str | None = None) -> types.WebhookEndpointWithSecret:
        """Create a webhook endpoint.

        Creates an endpoint that receives the events of your organization. With an application's own client id and secret it receives the events of
        that application's connections. The response has the secret for [verifying requests](#webhooks); it is not shown again.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookEndpointWithSecret, self._request("POST", "/api/v1/webhook-endpoints", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def get_webhook_endpoint(self, id: str) -> types.WebhookEndpoint:
        """Read a webhook endpoint.

        Returns a webhook endpoint. The secret is not shown.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookEndpoint, self._request("GET", f"/api/v1/webhook-endpoints/{quote(id, safe='')}"))

    def update_webhook_endpoint(self, id: str, body: types.UpdateWebhookEndpoint | None = None) -> types.WebhookEndpoint:
        """Change a webhook endpoint.

        Changes a webhook endpoint, disables it or enables it again, and returns it. Deliveries that are pending when it is disabled are
        sent once it is enabled.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookEndpoint, self._request("PATCH", f"/api/v1/webhook-endpoints/{quote(id, safe='')}", body=body or {}))

    def delete_webhook_endpoint(self, id: str) -> types.DeletedWebhookEndpoint:
        """Delete a webhook endpoint.

        Deletes a webhook endpoint with its log of deliveries. Nothing more is sent to it.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.DeletedWebhookEndpoint, self._request("DELETE", f"/api/v1/webhook-endpoints/{quote(id, safe='')}"))

    def rotate_webhook_secret(self, id: str, *, idempotency_key: str | None = None) -> types.WebhookEndpointWithSecret:
        """Rotate the secret of a webhook endpoint.

        Gives the endpoint a new secret and returns it. For 24 hours, requests are signed with the previous secret as well, so that you
        can switch your server to the new secret without losing a delivery.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookEndpointWithSecret, self._request("POST", f"/api/v1/webhook-endpoints/{quote(id, safe='')}/rotate", is_idempotent=True, idempotency_key=idempotency_key))

    def test_webhook_endpoint(self, id: str, *, idempotency_key: str | None = None) -> types.WebhookDelivery:
        """Test a webhook endpoint.

        Sends the event `webhook.test` to the endpoint, even if it does not select it, waits up to two seconds for the answer, and returns the
        delivery.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookDelivery, self._request("POST", f"/api/v1/webhook-endpoints/{quote(id, safe='')}/test", is_idempotent=True, idempotency_key=idempotency_key))

    def list_webhook_deliveries(self, id: str, *, status: Literal["pending", "retrying", "failed", "succeeded"] | None = None, after: str | None = None, limit: int | None = None) -> types.WebhookDeliveryPage:
        """List deliveries to a webhook endpoint.

        Returns the deliveries of the last 30 days, the newest first.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookDeliveryPage, self._request("GET", f"/api/v1/webhook-endpoints/{quote(id, safe='')}/deliveries", query={"status": status, "after": after, "limit": limit}))

    def iterate_webhook_deliveries(self, id: str, *, status: Literal["pending", "retrying", "failed", "succeeded"] | None = None, after: str | None = None, limit: int | None = None) -> Iterator[types.WebhookDelivery]:
        """Iterates over all entries of `list_webhook_deliveries`, page by page."""
        return self._pages("after", f"/api/v1/webhook-endpoints/{quote(id, safe='')}/deliveries", {"status": status, "after": after, "limit": limit})

    def resend_webhook_delivery(self, id: str, delivery_id: str, *, idempotency_key: str | None = None) -> types.WebhookDelivery:
        """Resend a delivery.

        Sends the event of a delivery to the endpoint again, waits up to two seconds for the answer, and returns the delivery.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.WebhookDelivery, self._request("POST", f"/api/v1/webhook-endpoints/{quote(id, safe='')}/deliveries/{quote(delivery_id, safe='')}/resend", is_idempotent=True, idempotency_key=idempotency_key))

    def replay_webhook_events(self, id: str, body: types.ReplayEvents, *, idempotency_key: str | None = None) -> types.Replay:
        """Replay events.

        Delivers the events of a period to the endpoint again: those of the last 30 days that the endpoint selects. Each event keeps its id,
        so that your server can detect duplicates.

        Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
        """
        return cast(types.Replay, self._request("POST", f"/api/v1/webhook-endpoints/{quote(id, safe='')}/replay", body=body, is_idempotent=True, idempotency_key=idempotency_key))

    def list_accounts(self, *, after: str | None = None, limit: int | None = None) -> types.AccountPage:
        """List numbers.

        Returns the accounts that the key can send from: the numbers of the business, in the order in which they were connected.
        Each has its health: the channel accepts its messages (`ok`), the channel refuses the account and its messages wait
        (`held`), or the channel has limited it (`restricted`). A key that is bound to a number sees only that one.

        Scope: none (any key).
        """
        return cast(types.AccountPage, self._request("GET", "/api/v1/accounts", query={"after": after, "limit": limit}))

    def iterate_accounts(self, *, after: str | None = None, limit: int | None = None) -> Iterator[types.Account]:
        """Iterates over all entries of `list_accounts`, page by page."""
        return self._pages("after", "/api/v1/accounts", {"after": after, "limit": limit})

    def get_me(self) -> types.Me:
        """Get the current key.

        Returns the current key with its organization, its scopes, the number it sends from, and the usage of the plan. Call it
        right after connecting: if the plan does not include API access, it returns 403.

        Scope: none (any key).
        """
        return cast(types.Me, self._request("GET", "/api/v1/me"))

    def delete_me(self) -> types.Disconnected:
        """Disconnect.

        Ends the connection that the key belongs to. The business sees it as disconnected, and requests with the key
        return 401 from then on. A key that was created in the dashboard can be deleted only there: this call returns 409 for
        it, and nothing changes.

        Scope: none (any key).
        """
        return cast(types.Disconnected, self._request("DELETE", "/api/v1/me"))

    def revoke_connections(self, client_id: str, body: types.RevokeConnections | None = None, *, idempotency_key: str | None = None) -> types.RevokedConnections:
        """Revoke all connections of an application.

        Revokes all connections of the application, in all businesses. Authenticate with the application's own client id and secret, not
        with those of a connection: in the two headers, or by HTTP Basic (RFC 6749, 2.3.1). The call is not subject to billing, scopes or rate limits. With `dry_run` it
        only counts the connections.

        Authentication: the application's own client id and secret, in the two headers or by HTTP Basic.
        """
        return cast(types.RevokedConnections, self._request("POST", f"/api/v1/applications/{quote(client_id, safe='')}/revoke-connections", body=body or {}, is_idempotent=True, idempotency_key=idempotency_key))
