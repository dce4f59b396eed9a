// Generated from the OpenAPI document by `cargo xtask docs`. Do not edit.

import type * as types from "./types.js";

/** Options of each call. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** Options of a call that is not done twice. */
export interface PostOptions extends CallOptions {
  /** Identifies the call, so that a repeated one gets the first answer. By default a random value. */
  idempotencyKey?: string;
}

/** A call of the API. */
export interface ApiCall {
  method: string;
  path: string;
  query?: object;
  body?: unknown;
  /** Whether the call takes an `Idempotency-Key`. */
  isIdempotent?: boolean;
  /** Whether the answer is a file. */
  isFile?: boolean;
  options: PostOptions;
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  has_more?: boolean;
  next_after?: string | number | null;
  pagination?: { has_more: boolean; next_after?: number; next_offset?: number | null };
}

/** The calls of the API. */
export abstract class Operations {
  protected abstract request<T>(call: ApiCall): Promise<T>;
  protected abstract pages<T>(
    parameter: "after" | "offset",
    query: object,
    list: (query: object) => Promise<Page<T>>,
  ): AsyncGenerator<T, void>;

  /**
   * Send a message.
   *
   * Sends a text, a file, buttons, a list, a link, a template, a location, contact cards, a reaction or another message of
   * the channel to one recipient. The message is sent from the number that the key is bound to, or else from the
   * organization's default number. Set exactly one of `phone_number`, `channel_user_id`, `contact_id` and `conversation_id`;
   * a new phone number or user id creates a contact and a conversation. The message is sent to the contact's phone number if
   * it is known, and to the user id otherwise.
   *
   * The response is sent as soon as the message is stored durably. The messages of a conversation are then sent to the
   * channel in order. Follow them with the events `message.sent`, `message.delivered`, `message.read` and `message.failed`,
   * or by getting the message. A free-form message pauses the AI agent in that conversation; a template leaves it running.
   *
   * Interactive messages and contact cards are in Meta's format. A `reaction` is on a message of the same conversation. To
   * send a message that the channel supports and this version does not, use the type `channel`: its body is passed on
   * unchanged. Leave out the recipient, the context and the tracking fields, which the service adds.
   *
   * With `as` set to `agent`, your own AI agent answers. This needs the scope `agent.reply`, and no other one; all other
   * messages need `messages.send`. The agent's answer does not pause the agent. It is a 409 `agent_paused` if a person has
   * taken the conversation over, and nothing is sent. The same is true if the agent has reached a limit, or if the contact
   * seems to be a program; both also pause the agent. With `after_message_id`, the message of the contact that the agent
   * answers, it is a 409 `superseded` if the contact has written again in the meantime.
   *
   * With `send_at`, the message waits until then: the response is a 201 with the status `scheduled`, and the message can be
   * canceled. The customer service window, the template and the plan's limits are judged when its time comes; a message that
   * is refused then has the status `failed`. With `fallback_template`, that template is sent instead of a free-form message
   * if the window is closed, and `warnings` has `fallback_used`.
   *
   * `window_closed` in `warnings` means that the recipient has not written in the last 24 hours, so the channel may reject a
   * free-form message. With `dry_run` the request is only validated: nothing is sent, stored or counted as a message, and
   * the response is a 200 with the text that the recipient would see.
   *
   * Scope: `messages.send`. For the requests that the description names, `agent.reply` instead.
   */
  sendMessage(body: types.SendMessage, options: PostOptions = {}): Promise<types.SendResult> {
    return this.request({ method: "POST", path: "/api/v1/messages", body, isIdempotent: true, options });
  }

  /**
   * List messages.
   *
   * Returns the messages of all conversations, in both directions, the newest first. A key that is bound to a number sees the
   * messages of that number only.
   *
   * Messages with a `client_ref` and failed messages are found however old they are. With other filters a request looks at no
   * more than 5,000 messages: its page may be short or empty although `has_more` is true, and `next_after` is then the last
   * message that was looked at.
   *
   * Scope: `conversations.read`.
   */
  listMessages(query: types.ListMessagesQuery = {}, options: CallOptions = {}): Promise<types.MessagePage> {
    return this.request({ method: "GET", path: "/api/v1/messages", query, options });
  }

  /** Iterates over all entries of `listMessages`, page by page. */
  iterateMessages(query: types.ListMessagesQuery = {}, options: CallOptions = {}): AsyncGenerator<types.Message, void> {
    return this.pages("after", query, (it) => this.listMessages(it, options));
  }

  /**
   * Send a template.
   *
   * A shorter form of sending a message of type `template`, with the same response.
   *
   * If the service knows the template, it rejects the request if the template is not approved or the parameters do not match
   * it. A template that the service does not know is passed to the channel, which decides.
   *
   * Scope: `messages.send`.
   */
  sendTemplate(body: types.SendTemplate, options: PostOptions = {}): Promise<types.SendResult> {
    return this.request({ method: "POST", path: "/api/v1/messages/template", body, isIdempotent: true, options });
  }

  /**
   * Send several messages.
   *
   * Sends 1 to 100 messages with one request. Each is judged by itself, exactly as if it were sent alone: the answer is a
   * 200 with one result for each, in order, whose `status` is 201 or that of the error. The messages that are accepted are
   * stored in one commit, and messages to one recipient keep their order.
   *
   * Each message counts as one call, for the rate limit of the key and for the daily calls of the plan, and as one message;
   * the batch itself counts for nothing. An `Idempotency-Key` applies to the whole batch. A body that is not JSON, that has
   * no message or more than 100, or that has more than 1 MiB is refused as a whole.
   *
   * Scope: `messages.send`.
   */
  sendBatch(body: types.SendBatch, options: PostOptions = {}): Promise<types.BatchResults> {
    return this.request({ method: "POST", path: "/api/v1/messages/batch", body, isIdempotent: true, options });
  }

  /**
   * List scheduled messages.
   *
   * Returns the messages that wait for their time, those that leave first at the beginning. A message that has left or was
   * canceled is not in the list. A key that is bound to a number sees the messages of that number only.
   *
   * Scope: `conversations.read`.
   */
  listScheduledMessages(query: types.ListScheduledMessagesQuery = {}, options: CallOptions = {}): Promise<types.ScheduledMessagePage> {
    return this.request({ method: "GET", path: "/api/v1/messages/scheduled", query, options });
  }

  /** Iterates over all entries of `listScheduledMessages`, page by page. */
  iterateScheduledMessages(query: types.ListScheduledMessagesQuery = {}, options: CallOptions = {}): AsyncGenerator<types.ScheduledMessage, void> {
    return this.pages("after", query, (it) => this.listScheduledMessages(it, options));
  }

  /**
   * Get a message.
   *
   * Returns a message with its current status. The status only moves forward: `queued`, `sent`, `delivered`, `read`;
   * or `failed`, with the reason in `error`. A message that is sent later is `scheduled` until then, or `canceled`. A key that is bound to a number sees that number's messages only.
   *
   * Scope: `conversations.read`.
   */
  getMessage(id: string, options: CallOptions = {}): Promise<types.FoundMessage> {
    return this.request({ method: "GET", path: `/api/v1/messages/${encodeURIComponent(id)}`, options });
  }

  /**
   * Cancel a scheduled message.
   *
   * Cancels a message with `send_at` that has not been sent, and records `message.canceled`. If its time comes at the same
   * moment, either it is canceled or it is sent: a message that was sent, or canceled before, is a 409 `not_cancelable`.
   *
   * Scope: `messages.send`.
   */
  cancelMessage(id: string, options: CallOptions = {}): Promise<types.ScheduledMessage> {
    return this.request({ method: "DELETE", path: `/api/v1/messages/${encodeURIComponent(id)}`, options });
  }

  /**
   * Mark a message as read.
   *
   * Shows the contact that their message and all earlier ones were read. With `typing` they also see a typing indicator, for
   * up to 25 seconds or until your answer arrives. Set it only if you are going to answer.
   *
   * Only an inbound message can be marked as read. The channel is called before the response, and nothing is stored.
   *
   * Scope: `messages.send`.
   */
  readMessage(id: string, body: types.ReadMessage = {}, options: PostOptions = {}): Promise<types.ReadReceipt> {
    return this.request({ method: "POST", path: `/api/v1/messages/${encodeURIComponent(id)}/read`, body, isIdempotent: true, options });
  }

  /**
   * Create a template.
   *
   * Creates a template and submits it for review. Its `status` is first `draft`, then `pending`, then `approved` or
   * `rejected`. Only an approved template can be sent. The events `template.approved` and `template.rejected` report the
   * outcome.
   *
   * A template has one BODY, and at most one component of each other type. Variables are written `{{1}}`, `{{2}}` without
   * gaps (or by name, with `parameter_format` `named`). A text cannot begin or end with a variable, and each variable needs
   * an example.
   *
   * A template with a button of type `OTP` carries a one-time code: its category is `authentication`, and the channel
   * writes its BODY and FOOTER. A `CAROUSEL` has 2 to 10 cards with the same components; a `LIMITED_TIME_OFFER` has no FOOTER.
   *
   * `lint` lists what the reviewer is known to reject, such as variables in a row or a promotional word in a utility
   * template; it never refuses a template. With `dry_run` the template is only validated: the response is a 200 with
   * `warnings` and `lint`, and nothing is stored.
   *
   * Types and fields of components that this version does not know are passed to the reviewer unchanged, and
   * `warnings` lists them.
   *
   * Scope: `templates.write`.
   */
  createTemplate(body: types.CreateTemplate, options: PostOptions = {}): Promise<types.CreateTemplateResult> {
    return this.request({ method: "POST", path: "/api/v1/templates", body, isIdempotent: true, options });
  }

  /**
   * List templates.
   *
   * Returns the templates of the organization, of all its numbers, the newest first. A rejected template has the reason in
   * `rejection_reason` and `rejection_detail`.
   *
   * Scope: `templates.read`.
   */
  listTemplates(query: types.ListTemplatesQuery = {}, options: CallOptions = {}): Promise<types.TemplatePage> {
    return this.request({ method: "GET", path: "/api/v1/templates", query, options });
  }

  /** Iterates over all entries of `listTemplates`, page by page. */
  iterateTemplates(query: types.ListTemplatesQuery = {}, options: CallOptions = {}): AsyncGenerator<types.Template, void> {
    return this.pages("offset", query, (it) => this.listTemplates(it, options));
  }

  /**
   * Get a template.
   *
   * Returns a template with its components and its review status.
   *
   * Scope: `templates.read`.
   */
  getTemplate(id: string, options: CallOptions = {}): Promise<types.Template> {
    return this.request({ method: "GET", path: `/api/v1/templates/${encodeURIComponent(id)}`, options });
  }

  /**
   * Change a template.
   *
   * Changes the components or the category of a rejected, paused or approved template and submits it again. Its status is `pending`
   * until the reviewer decides, and until then it cannot be sent. The components are checked as in `POST /templates`, and `warnings`
   * and `lint` are the same. The event `template.submitted` reports the change, and another one the verdict.
   *
   * The reviewer is called before the response: 503 if it cannot be reached, 409 `template_locked` if it refuses, with its words in
   * `reviewer_message`. Meta refuses another category for an approved template, and allows one change of an approved template in 24
   * hours and ten in 30 days. Twilio cannot change a template that was submitted (`not_supported_by_channel`).
   *
   * Messages with the template that wait for the channel are handed over; the channel decides about them. A scheduled message or a
   * fallback template is judged when its time comes.
   *
   * Scope: `templates.write`.
   */
  updateTemplate(id: string, body: types.UpdateTemplate = {}, options: CallOptions = {}): Promise<types.CreatedTemplate> {
    return this.request({ method: "PATCH", path: `/api/v1/templates/${encodeURIComponent(id)}`, body, options });
  }

  /**
   * Delete a template.
   *
   * Deletes a template at the reviewer and here, in this language only, and returns it with the status `deleted`. Deleting a deleted
   * template has the same response. The name and language can be used again with `POST /templates`; Meta refuses the name of a
   * template that was approved for 30 days. The event `template.deleted` reports it.
   *
   * Sends with a deleted template are refused with `template_not_approved`. A scheduled message or a fallback template is judged when
   * its time comes, and then fails for the same reason. Messages that wait for the channel are handed over; the channel refuses them
   * with `template_not_found`.
   *
   * The reviewer is called before the response: 503 if it cannot be reached, 409 `template_locked` if it refuses or if the template is
   * being submitted or changed at this moment.
   *
   * Scope: `templates.write`.
   */
  deleteTemplate(id: string, options: CallOptions = {}): Promise<types.Template> {
    return this.request({ method: "DELETE", path: `/api/v1/templates/${encodeURIComponent(id)}`, options });
  }

  /**
   * Upload a file.
   *
   * Uploads a file, in base64 or as a `data:` URI of the same type, and returns a public URL to use as `media_url` in a
   * message. The content must match `content_type`; HTML and SVG are not supported. Anyone who has the URL can read the
   * file; URLs cannot be guessed.
   *
   * Scope: `media.write`.
   */
  uploadMedia(body: types.UploadMedia, options: PostOptions = {}): Promise<types.Media> {
    return this.request({ method: "POST", path: "/api/v1/media", body, isIdempotent: true, options });
  }

  /**
   * Get conversation history.
   *
   * Returns the messages in both directions, the newest first unless `order` is `asc`. A key that is bound to a number reads
   * only that number's conversations. Set exactly one of `phone_number`, `channel_user_id`, `contact_id` and
   * `conversation_id`.
   *
   * A phone number or user id without messages has an empty history, which is not an error. An unknown contact or
   * conversation is a 404. The id of a contact or conversation that was merged into another returns the history of that one.
   * If exactly one conversation was found, `conversation` has the contact, the state of the AI agent, and the end of the
   * customer service window.
   *
   * Scope: `conversations.read`.
   */
  getHistory(query: types.GetHistoryQuery = {}, options: CallOptions = {}): Promise<types.HistoryPage> {
    return this.request({ method: "GET", path: "/api/v1/conversations/history", query, options });
  }

  /** Iterates over all entries of `getHistory`, page by page. */
  iterateHistory(query: types.GetHistoryQuery = {}, options: CallOptions = {}): AsyncGenerator<types.Message, void> {
    return this.pages("offset", query, (it) => this.getHistory(it, options));
  }

  /**
   * Query conversation history.
   *
   * Returns the same as the GET, with the parameters in the request body, because a phone number in a URL ends up in logs.
   *
   * Scope: `conversations.read`.
   */
  postHistory(body: types.History = {}, options: PostOptions = {}): Promise<types.HistoryPage> {
    return this.request({ method: "POST", path: "/api/v1/conversations/history", body, isIdempotent: true, options });
  }

  /**
   * List contacts.
   *
   * Returns the people whom your numbers know, the newest contact first. A person who is known to several of your numbers is a
   * contact of each. `phone_number` finds a person by each number that the channel has named as theirs, and by another form of
   * it. Contacts that were merged into others are left out. A key that is bound to a number sees the contacts of that number
   * only.
   *
   * Scope: `conversations.read`.
   */
  listContacts(query: types.ListContactsQuery = {}, options: CallOptions = {}): Promise<types.ContactPage> {
    return this.request({ method: "GET", path: "/api/v1/contacts", query, options });
  }

  /** Iterates over all entries of `listContacts`, page by page. */
  iterateContacts(query: types.ListContactsQuery = {}, options: CallOptions = {}): AsyncGenerator<types.ListedContact, void> {
    return this.pages("after", query, (it) => this.listContacts(it, options));
  }

  /**
   * Get a contact.
   *
   * Returns a person as they are known now. The id of a contact that was merged into another returns that one. A contact that was
   * deleted has `deleted_at`, and nothing else is known of it. A key that is bound to a number sees the contacts of that number
   * only.
   *
   * Scope: `conversations.read`.
   */
  getContact(id: string, options: CallOptions = {}): Promise<types.ListedContact> {
    return this.request({ method: "GET", path: `/api/v1/contacts/${encodeURIComponent(id)}`, options });
  }

  /**
   * Change a contact.
   *
   * Changes the name, and returns the contact. The name that the contact has on the channel does not replace it. A change records
   * the event `contact.updated`; a request that changes nothing records none.
   *
   * Scope: `conversations.write`.
   */
  updateContact(id: string, body: types.UpdateContact = {}, options: CallOptions = {}): Promise<types.ListedContact> {
    return this.request({ method: "PATCH", path: `/api/v1/contacts/${encodeURIComponent(id)}`, body, options });
  }

  /**
   * Delete a contact.
   *
   * Deletes what is known of a person. Names, numbers, user ids and usernames are gone at once, and messages that wait are not
   * sent: they fail with `contact_deleted`. Texts, files that nobody else sent or was sent, notes and drafts are gone within a
   * minute, also from events, stored answers and the inbox. Ids, times, types and statuses of messages stay, and so do counts.
   *
   * This cannot be undone. A person who writes again is a new contact. Deleting a deleted contact has the same answer. The id of
   * a contact that was merged into another deletes that one.
   *
   * Scope: `contacts.delete`.
   */
  deleteContact(id: string, options: CallOptions = {}): Promise<types.DeletedContact> {
    return this.request({ method: "DELETE", path: `/api/v1/contacts/${encodeURIComponent(id)}`, options });
  }

  /**
   * Export a contact.
   *
   * Returns what is known of a person as a ZIP file: `contact.json`, `messages.json` and `notes.json` with the objects of this API, the
   * oldest message and the newest note first, and the files of the messages in `media/`. Files that have been deleted are left out.
   *
   * The file is sent while it is written. If the connection ends early, the file is incomplete: repeat the call. The id of a contact
   * that was merged into another exports that one. A contact that was deleted is not found. An organization has two exports under way
   * at a time; a third is a 429 `too_many_exports`.
   *
   * Scope: `conversations.read`.
   */
  exportContact(id: string, options: CallOptions = {}): Promise<Uint8Array> {
    return this.request({ method: "GET", path: `/api/v1/contacts/${encodeURIComponent(id)}/export`, isFile: true, options });
  }

  /**
   * List conversations.
   *
   * Returns the conversations of your numbers, those with the newest messages first. Filters can be combined. A key that is bound
   * to a number sees the conversations of that number only.
   *
   * A conversation with a new message moves to the first page while you read; `since` finds what has changed since your last
   * request. With a filter a request looks at no more than 5,000 conversations: its page may be short or empty although
   * `has_more` is true.
   *
   * Scope: `conversations.read`.
   */
  listConversations(query: types.ListConversationsQuery = {}, options: CallOptions = {}): Promise<types.ConversationPage> {
    return this.request({ method: "GET", path: "/api/v1/conversations", query, options });
  }

  /** Iterates over all entries of `listConversations`, page by page. */
  iterateConversations(query: types.ListConversationsQuery = {}, options: CallOptions = {}): AsyncGenerator<types.Conversation2, void> {
    return this.pages("after", query, (it) => this.listConversations(it, options));
  }

  /**
   * Get a conversation.
   *
   * Returns a conversation with its status, assignee and labels, and says whether the AI agent answers. A key that is bound to a
   * number sees the conversations of that number only.
   *
   * Scope: `conversations.read`.
   */
  getConversation(id: string, options: CallOptions = {}): Promise<types.Conversation2> {
    return this.request({ method: "GET", path: `/api/v1/conversations/${encodeURIComponent(id)}`, options });
  }

  /**
   * Change a conversation.
   *
   * Changes the status, the assignee or the labels, and returns the conversation. A change records the event
   * `conversation.updated`; a request that changes nothing records none.
   *
   * A message from the contact opens the conversation, whatever its status is. A snoozed conversation also opens at
   * `snoozed_until`.
   *
   * Scope: `conversations.write`.
   */
  updateConversation(id: string, body: types.UpdateConversation = {}, options: CallOptions = {}): Promise<types.Conversation2> {
    return this.request({ method: "PATCH", path: `/api/v1/conversations/${encodeURIComponent(id)}`, body, options });
  }

  /**
   * Pause the AI agent.
   *
   * Pauses the AI agent in a conversation, so that a person can answer, and returns the conversation. The event
   * `conversation.agent_paused` is recorded if the agent was running. If the agent is paused already, the reason and the end of
   * the pause are replaced.
   *
   * Scope: `conversations.write`.
   */
  pauseAgent(id: string, body: types.PauseAgent = {}, options: PostOptions = {}): Promise<types.Conversation2> {
    return this.request({ method: "POST", path: `/api/v1/conversations/${encodeURIComponent(id)}/pause-agent`, body, isIdempotent: true, options });
  }

  /**
   * Resume the AI agent.
   *
   * Lets the AI agent answer again in a conversation, and returns the conversation. If the agent was paused, the event
   * `conversation.agent_resumed` is recorded. An agent of the kind `model` or `webhook` then also answers the contact's last message if
   * nobody has answered it and it is at most 24 hours old. Otherwise, or if that message would pause the agent again at once (`STOP`,
   * a request for a person), the agent answers from the next message on.
   *
   * Scope: `conversations.write`.
   */
  resumeAgent(id: string, options: PostOptions = {}): Promise<types.Conversation2> {
    return this.request({ method: "POST", path: `/api/v1/conversations/${encodeURIComponent(id)}/resume-agent`, isIdempotent: true, options });
  }

  /**
   * Hand a conversation over to people.
   *
   * Hands a conversation over from your AI agent to people, and returns the conversation. The agent is paused with the cause
   * `handed_over`, `needs_person_since` is set, and the summary becomes a note of the agent. The events
   * `conversation.agent_paused`, `conversation.handover_requested` and, for a summary, `note.created` are recorded. What the
   * agent sent before is delivered.
   *
   * If the agent is paused already, or may not send in this conversation, the call is a 409 `agent_paused` and changes nothing.
   *
   * Scope: `agent.reply`.
   */
  handOverConversation(id: string, body: types.HandOver = {}, options: PostOptions = {}): Promise<types.Conversation2> {
    return this.request({ method: "POST", path: `/api/v1/conversations/${encodeURIComponent(id)}/hand-over`, body, isIdempotent: true, options });
  }

  /**
   * List notes.
   *
   * Returns the notes about a conversation, the newest first.
   *
   * Scope: `conversations.read`.
   */
  listNotes(id: string, query: types.ListNotesQuery = {}, options: CallOptions = {}): Promise<types.NotePage> {
    return this.request({ method: "GET", path: `/api/v1/conversations/${encodeURIComponent(id)}/notes`, query, options });
  }

  /** Iterates over all entries of `listNotes`, page by page. */
  iterateNotes(id: string, query: types.ListNotesQuery = {}, options: CallOptions = {}): AsyncGenerator<types.Note, void> {
    return this.pages("after", query, (it) => this.listNotes(id, it, options));
  }

  /**
   * Write a note.
   *
   * Writes a note about a conversation, which your colleagues see in the inbox and the contact never gets. The event
   * `note.created` is recorded.
   *
   * With `as` set to `agent`, your own AI agent writes the note. This needs the scope `agent.reply`, and no other one; all
   * other notes need `conversations.write`. The author is then the agent that answers on the number, or the key if there is
   * none. The note does not pause the agent, and is possible while it is paused.
   *
   * Scope: `conversations.write`. For the requests that the description names, `agent.reply` instead.
   */
  createNote(id: string, body: types.CreateNote, options: PostOptions = {}): Promise<types.Note> {
    return this.request({ method: "POST", path: `/api/v1/conversations/${encodeURIComponent(id)}/notes`, body, isIdempotent: true, options });
  }

  /**
   * Ask an AI agent its questions.
   *
   * Asks an AI agent of the kind `model` the questions that are saved on its page, each in a conversation of its own, and compares
   * the answers with what they must and must not have. Nothing is sent to customers, but look-ups are asked, and the cost counts.
   * The answer takes as long as the model: wait for up to ten minutes. An agent of another kind is a 404.
   *
   * Scope: `agent.reply`.
   */
  testAgent(id: string, options: PostOptions = {}): Promise<types.AgentTest> {
    return this.request({ method: "POST", path: `/api/v1/agents/${encodeURIComponent(id)}/test`, isIdempotent: true, options });
  }

  /**
   * Read events.
   *
   * Returns the same events as webhooks deliver, in the order of their `sequence`, for the last 30 days. To find events that
   * a webhook did not deliver, start after the last `sequence` that you have, and pass `next_after` as `after` while
   * `has_more` is true.
   *
   * An application that authenticates with its own client id and secret reads the events of all its connections, each with
   * `connection_id`. `sequence` is then the application's own, without gaps. The list begins with the first request, which goes back to the
   * beginning of each connection or 30 days; an event is in it within a second or so.
   *
   * A key that is bound to a number sees the messages, conversations, contacts and connections of that number, and events
   * that concern all numbers, so it skips the sequence numbers of other events. So does a request with `type`. Such a request
   * scans at most 5,000 events: its page may be short or empty although `has_more` is true, and `next_after` is then the last
   * sequence number that was scanned.
   *
   * With `resends_after` the answer also says which events somebody asked to get again, in the dashboard or by the API. A
   * program that follows the list can read those again. An application's own pair gets none.
   *
   * Scope: `conversations.read`. Or authenticate with an application's own client id and secret.
   */
  listEvents(query: types.ListEventsQuery = {}, options: CallOptions = {}): Promise<types.EventPage> {
    return this.request({ method: "GET", path: "/api/v1/events", query, options });
  }

  /** Iterates over all entries of `listEvents`, page by page. */
  iterateEvents(query: types.ListEventsQuery = {}, options: CallOptions = {}): AsyncGenerator<types.Event, void> {
    return this.pages("after", query, (it) => this.listEvents(it, options));
  }

  /**
   * Write as a customer of the sandbox.
   *
   * Lets a customer write to the number that the key sends from, which has to be a number of the sandbox: a text, a file, or
   * a tap on a button or a row of an interactive message. The message arrives as a callback of the channel, like one of a
   * real customer: the contact and the conversation are created, the customer service window opens, and `message.received`
   * is recorded within a second. Set exactly one of `text`, `media_url` and `button`.
   *
   * Scope: `messages.send`.
   */
  simulateInbound(body: types.SandboxInbound, options: PostOptions = {}): Promise<types.SandboxInboundMessage> {
    return this.request({ method: "POST", path: "/api/v1/sandbox/inbound", body, isIdempotent: true, options });
  }

  /**
   * List webhook endpoints.
   *
   * Returns the webhook endpoints, in the order in which they were created. Secrets are not shown.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  listWebhookEndpoints(query: types.ListWebhookEndpointsQuery = {}, options: CallOptions = {}): Promise<types.WebhookEndpointPage> {
    return this.request({ method: "GET", path: "/api/v1/webhook-endpoints", query, options });
  }

  /** Iterates over all entries of `listWebhookEndpoints`, page by page. */
  iterateWebhookEndpoints(query: types.ListWebhookEndpointsQuery = {}, options: CallOptions = {}): AsyncGenerator<types.WebhookEndpoint, void> {
    return this.pages("after", query, (it) => this.listWebhookEndpoints(it, options));
  }

  /**
   * Create a webhook endpoint.
   *
   * Creates an endpoint that receives the events of your organization. With an application's own client id and secret it receives the events of
   * that application's connections. The response has the secret for [verifying requests](#webhooks); it is not shown again.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  createWebhookEndpoint(body: types.CreateWebhookEndpoint, options: PostOptions = {}): Promise<types.WebhookEndpointWithSecret> {
    return this.request({ method: "POST", path: "/api/v1/webhook-endpoints", body, isIdempotent: true, options });
  }

  /**
   * Read a webhook endpoint.
   *
   * Returns a webhook endpoint. The secret is not shown.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  getWebhookEndpoint(id: string, options: CallOptions = {}): Promise<types.WebhookEndpoint> {
    return this.request({ method: "GET", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}`, options });
  }

  /**
   * Change a webhook endpoint.
   *
   * Changes a webhook endpoint, disables it or enables it again, and returns it. Deliveries that are pending when it is disabled are
   * sent once it is enabled.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  updateWebhookEndpoint(id: string, body: types.UpdateWebhookEndpoint = {}, options: CallOptions = {}): Promise<types.WebhookEndpoint> {
    return this.request({ method: "PATCH", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}`, body, options });
  }

  /**
   * Delete a webhook endpoint.
   *
   * Deletes a webhook endpoint with its log of deliveries. Nothing more is sent to it.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  deleteWebhookEndpoint(id: string, options: CallOptions = {}): Promise<types.DeletedWebhookEndpoint> {
    return this.request({ method: "DELETE", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}`, options });
  }

  /**
   * Rotate the secret of a webhook endpoint.
   *
   * Gives the endpoint a new secret and returns it. For 24 hours, requests are signed with the previous secret as well, so that you
   * can switch your server to the new secret without losing a delivery.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  rotateWebhookSecret(id: string, options: PostOptions = {}): Promise<types.WebhookEndpointWithSecret> {
    return this.request({ method: "POST", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}/rotate`, isIdempotent: true, options });
  }

  /**
   * Test a webhook endpoint.
   *
   * Sends the event `webhook.test` to the endpoint, even if it does not select it, waits up to two seconds for the answer, and returns the
   * delivery.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  testWebhookEndpoint(id: string, options: PostOptions = {}): Promise<types.WebhookDelivery> {
    return this.request({ method: "POST", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}/test`, isIdempotent: true, options });
  }

  /**
   * List deliveries to a webhook endpoint.
   *
   * Returns the deliveries of the last 30 days, the newest first.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  listWebhookDeliveries(id: string, query: types.ListWebhookDeliveriesQuery = {}, options: CallOptions = {}): Promise<types.WebhookDeliveryPage> {
    return this.request({ method: "GET", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}/deliveries`, query, options });
  }

  /** Iterates over all entries of `listWebhookDeliveries`, page by page. */
  iterateWebhookDeliveries(id: string, query: types.ListWebhookDeliveriesQuery = {}, options: CallOptions = {}): AsyncGenerator<types.WebhookDelivery, void> {
    return this.pages("after", query, (it) => this.listWebhookDeliveries(id, it, options));
  }

  /**
   * Resend a delivery.
   *
   * Sends the event of a delivery to the endpoint again, waits up to two seconds for the answer, and returns the delivery.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  resendWebhookDelivery(id: string, deliveryId: string, options: PostOptions = {}): Promise<types.WebhookDelivery> {
    return this.request({ method: "POST", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}/resend`, isIdempotent: true, options });
  }

  /**
   * Replay events.
   *
   * Delivers the events of a period to the endpoint again: those of the last 30 days that the endpoint selects. Each event keeps its id,
   * so that your server can detect duplicates.
   *
   * Scope: `webhooks.manage`. Or authenticate with an application's own client id and secret.
   */
  replayWebhookEvents(id: string, body: types.ReplayEvents, options: PostOptions = {}): Promise<types.Replay> {
    return this.request({ method: "POST", path: `/api/v1/webhook-endpoints/${encodeURIComponent(id)}/replay`, body, isIdempotent: true, options });
  }

  /**
   * List numbers.
   *
   * Returns the accounts that the key can send from: the numbers of the business, in the order in which they were connected.
   * Each has its health: the channel accepts its messages (`ok`), the channel refuses the account and its messages wait
   * (`held`), or the channel has limited it (`restricted`). A key that is bound to a number sees only that one.
   *
   * Scope: none (any key).
   */
  listAccounts(query: types.ListAccountsQuery = {}, options: CallOptions = {}): Promise<types.AccountPage> {
    return this.request({ method: "GET", path: "/api/v1/accounts", query, options });
  }

  /** Iterates over all entries of `listAccounts`, page by page. */
  iterateAccounts(query: types.ListAccountsQuery = {}, options: CallOptions = {}): AsyncGenerator<types.Account, void> {
    return this.pages("after", query, (it) => this.listAccounts(it, options));
  }

  /**
   * Get the current key.
   *
   * Returns the current key with its organization, its scopes, the number it sends from, and the usage of the plan. Call it
   * right after connecting: if the plan does not include API access, it returns 403.
   *
   * Scope: none (any key).
   */
  getMe(options: CallOptions = {}): Promise<types.Me> {
    return this.request({ method: "GET", path: "/api/v1/me", options });
  }

  /**
   * Disconnect.
   *
   * Ends the connection that the key belongs to. The business sees it as disconnected, and requests with the key
   * return 401 from then on. A key that was created in the dashboard can be deleted only there: this call returns 409 for
   * it, and nothing changes.
   *
   * Scope: none (any key).
   */
  deleteMe(options: CallOptions = {}): Promise<types.Disconnected> {
    return this.request({ method: "DELETE", path: "/api/v1/me", options });
  }

  /**
   * Revoke all connections of an application.
   *
   * Revokes all connections of the application, in all businesses. Authenticate with the application's own client id and secret, not
   * with those of a connection: in the two headers, or by HTTP Basic (RFC 6749, 2.3.1). The call is not subject to billing, scopes or rate limits. With `dry_run` it
   * only counts the connections.
   *
   * Authentication: the application's own client id and secret, in the two headers or by HTTP Basic.
   */
  revokeConnections(clientId: string, body: types.RevokeConnections = {}, options: PostOptions = {}): Promise<types.RevokedConnections> {
    return this.request({ method: "POST", path: `/api/v1/applications/${encodeURIComponent(clientId)}/revoke-connections`, body, isIdempotent: true, options });
  }
}
