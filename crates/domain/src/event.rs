//! What organizations are told of: the one list of events (`contract.md` 4).
//!
//! The reference, the dashboard's tick boxes, the schema of the envelope and the dispatcher all read it.

use crate::word::words;

words! {
    /// A kind of event.
    pub enum EventKind {
        /// A person wrote.
        MessageReceived = "message.received",
        /// A message was accepted and waits for the channel.
        MessageQueued = "message.queued",
        /// The channel took it.
        MessageSent = "message.sent",
        /// It reached the person's device.
        MessageDelivered = "message.delivered",
        /// The person read it.
        MessageRead = "message.read",
        /// It will not arrive.
        MessageFailed = "message.failed",
        /// A template was handed to the reviewer.
        TemplateSubmitted = "template.submitted",
        /// The reviewer approved it.
        TemplateApproved = "template.approved",
        /// The reviewer rejected it.
        TemplateRejected = "template.rejected",
        /// The channel paused it.
        TemplatePaused = "template.paused",
        /// The channel disabled it.
        TemplateDisabled = "template.disabled",
        /// A conversation began.
        ConversationCreated = "conversation.created",
        /// The AI agent no longer answers in a conversation.
        ConversationAgentPaused = "conversation.agent_paused",
        /// It answers again.
        ConversationAgentResumed = "conversation.agent_resumed",
        /// Somebody is known for the first time.
        ContactCreated = "contact.created",
        /// An application was connected.
        ConnectionCreated = "connection.created",
        /// A connection ended.
        ConnectionDisconnected = "connection.disconnected",
        /// A limit of the plan was reached.
        PlanLimitReached = "plan.limit_reached",
        /// Sent from the dashboard, to try an endpoint out.
        WebhookTest = "webhook.test",
    }
}

impl EventKind {
    /// When it happens, in a sentence for people.
    #[must_use]
    pub const fn in_plain_words(self) -> &'static str {
        match self {
            Self::MessageReceived => "A person wrote to one of your numbers.",
            Self::MessageQueued => "A message was accepted and waits for the channel.",
            Self::MessageSent => "The channel took a message.",
            Self::MessageDelivered => "A message reached the person's device.",
            Self::MessageRead => "The person read a message.",
            Self::MessageFailed => "A message will not arrive; `error` says why.",
            Self::TemplateSubmitted => "A template was handed to the reviewer.",
            Self::TemplateApproved => "The reviewer approved a template: it can be sent.",
            Self::TemplateRejected => "The reviewer rejected a template, and said why.",
            Self::TemplatePaused => "The channel paused a template: it cannot be sent for now.",
            Self::TemplateDisabled => "The channel disabled a template for good.",
            Self::ConversationCreated => "A conversation began, from either side.",
            Self::ConversationAgentPaused => "The AI agent stopped answering in a conversation.",
            Self::ConversationAgentResumed => "The AI agent answers in a conversation again.",
            Self::ContactCreated => "Somebody is known for the first time.",
            Self::ConnectionCreated => "An application was connected through Connect.",
            Self::ConnectionDisconnected => "A connection ended; `reason` says by whom.",
            Self::PlanLimitReached => {
                "A limit of the plan was reached: calls or messages are refused."
            }
            Self::WebhookTest => "Sent from the dashboard to try an endpoint out.",
        }
    }
}
