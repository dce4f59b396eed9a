//! The stored data of events: what may have changed, or may be gone, by the time an event is read.
//!
//! The data is the JSON of version 1 of the API and is returned to readers unchanged.
use domain::account::pace::Rate;
use domain::account::{AccountQuality, HealthReason};
use domain::connection::EndReason;
use domain::contact::{ChannelUserId, ContactChange, ContactMerge, ContactSnapshot, Identity};
use domain::event::{
    AccountSnapshot, ConnectionSnapshot, EventPayload, TemplateChange, TemplateSnapshot,
};
use domain::keyword::Keyword as _;
use domain::phone::PhoneNumber;
use domain::plan::{Meter, Usage};
use domain::template::{RejectionReason, TemplateQuality};
use domain::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct EventTemplate<'a> {
    id: String,
    name: &'a str,
    language: &'a str,
    category: &'static str,
    status: &'static str,
    rejection_reason: Option<&'static str>,
    rejection_detail: Option<&'a str>,
    parameter_format: &'static str,
    components: &'a RawValue,
    message_send_ttl_seconds: Option<i32>,
    quality: Option<&'static str>,
    account_id: String,
    external_id: Option<&'a str>,
    submitted_at: Option<String>,
    reviewed_at: Option<String>,
    created_at: String,
    updated_at: String,
}

#[derive(Serialize)]
struct EventContact<'a> {
    id: String,
    account_id: String,
    phone_number: Option<Cow<'a, str>>,
    channel_user_id: Option<Cow<'a, str>>,
    channel_parent_user_id: Option<Cow<'a, str>>,
    username: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    opted_out_at: Option<Cow<'a, str>>,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<Previous<'a>>,
}

/// The contact of a message or conversation.
#[derive(Serialize)]
struct EventPerson<'a> {
    id: String,
    phone_number: Option<&'a str>,
    channel_user_id: Option<&'a str>,
    username: Option<&'a str>,
    name: Option<&'a str>,
}

/// The previous values of the fields that changed.
type Previous<'a> = BTreeMap<&'static str, Option<Cow<'a, str>>>;

#[expect(clippy::struct_field_names, reason = "the names of the API")]
#[derive(Serialize)]
struct Merge {
    contact_id: String,
    merged_contact_id: String,
    conversation_id: String,
    merged_conversation_id: String,
}

#[derive(Serialize)]
struct TemplateUpdated<'a> {
    id: String,
    account_id: String,
    name: &'a str,
    language: &'a str,
    change: &'static str,
    previous: Option<&'a RawValue>,
    current: &'a RawValue,
}

#[derive(Serialize)]
struct EventAccount<'a> {
    id: String,
    phone_number: &'a str,
    display_name: &'a str,
    channel: &'static str,
    health: EventHealth<'a>,
}

#[derive(Serialize)]
struct EventHealth<'a> {
    state: &'static str,
    reason: Option<&'static str>,
    message: Option<&'a str>,
    since: Option<String>,
    quality: Option<&'static str>,
    limit: Option<&'a str>,
    pace: Option<f64>,
}

#[derive(Serialize)]
struct EventConnection<'a> {
    id: String,
    application: EventApplication<'a>,
    client_id: &'a str,
    account_id: Option<String>,
    scopes: Vec<&'a str>,
    connected_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    disconnected_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Serialize)]
struct EventApplication<'a> {
    client_id: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
struct Limit {
    resource: &'static str,
    #[serde(rename = "limit")]
    most: Option<u32>,
    used: u32,
    resets_at: String,
}

/// Encodes the data of an event. Returns nothing for an event whose subject's row is read together
/// with it.
///
/// # Errors
///
/// The components of a template are not valid JSON.
pub fn encode(payload: &EventPayload) -> serde_json::Result<Option<String>> {
    let written = match payload {
        EventPayload::Message(..) | EventPayload::Conversation(..) | EventPayload::Endpoint(_) => {
            return Ok(None);
        }
        EventPayload::Contact(it) => serde_json::to_string(&contact(it, None)),
        EventPayload::ContactUpdate(it) => {
            serde_json::to_string(&contact(&it.now, Some(previous(it))))
        }
        EventPayload::ContactMerge(it) => serde_json::to_string(&merge(it)),
        EventPayload::Template(it) => template(it),
        EventPayload::TemplateChange(it) => template_change(it),
        EventPayload::Account(it) => serde_json::to_string(&account(it)),
        EventPayload::Connection(it) => serde_json::to_string(&connection(it)),
        EventPayload::Limit(meter, usage) => serde_json::to_string(&limit(*meter, usage)),
    };
    written.map(Some)
}

/// Encodes the contact of a message or conversation.
pub fn encode_person(it: &ContactSnapshot) -> serde_json::Result<String> {
    let Identity { phone_number, user_id, username, name, .. } = &it.identity;
    serde_json::to_string(&EventPerson {
        id: it.id.to_string(),
        phone_number: phone_number.as_ref().map(PhoneNumber::as_str),
        channel_user_id: user_id.as_ref().map(ChannelUserId::as_str),
        username: username.as_deref(),
        name: name.as_deref(),
    })
}

fn template(it: &TemplateSnapshot) -> serde_json::Result<String> {
    serde_json::to_string(&EventTemplate {
        id: it.id.to_string(),
        name: &it.name,
        language: &it.language,
        category: it.category.as_str(),
        status: it.review.status.as_str(),
        rejection_reason: it.review.rejection_reason.map(RejectionReason::as_str),
        rejection_detail: it.review.rejection_detail.as_deref(),
        parameter_format: it.parameter_format.as_str(),
        components: serde_json::from_str(&it.components)?,
        message_send_ttl_seconds: it.message_send_ttl_seconds,
        quality: it.quality.map(TemplateQuality::as_str),
        account_id: it.account.to_string(),
        external_id: it.external_id.as_deref(),
        submitted_at: it.review.submitted_at.map(|at| at.to_string()),
        reviewed_at: it.review.reviewed_at.map(|at| at.to_string()),
        created_at: it.created_at.to_string(),
        updated_at: it.updated_at.to_string(),
    })
}

/// Returns the contact as it is known, with the previous values of what changed.
fn contact<'a>(it: &'a ContactSnapshot, previous: Option<Previous<'a>>) -> EventContact<'a> {
    let ContactSnapshot { id, account, identity, opted_out_at, created_at } = it;
    let [phone_number, channel_user_id, channel_parent_user_id, username, name, opted_out_at] =
        parts(identity, *opted_out_at).map(|(_, text)| text);
    EventContact {
        id: id.to_string(),
        account_id: account.to_string(),
        phone_number,
        channel_user_id,
        channel_parent_user_id,
        username,
        name,
        opted_out_at,
        created_at: created_at.to_string(),
        previous,
    }
}

fn previous(it: &ContactChange) -> Previous<'_> {
    let ContactChange { now, before, opted_out_before } = it;
    let (now, then) = (parts(&now.identity, now.opted_out_at), parts(before, *opted_out_before));
    let changed = now.into_iter().zip(then).filter(|(now, then)| now != then);
    changed.map(|(_, then)| then).collect()
}

fn parts(
    of: &Identity,
    opted_out_at: Option<Timestamp>,
) -> [(&'static str, Option<Cow<'_, str>>); 6] {
    let Identity { phone_number, user_id, parent_user_id, username, name } = of;
    [
        ("phone_number", phone_number.as_ref().map(|it| it.as_str().into())),
        ("channel_user_id", user_id.as_ref().map(|it| it.as_str().into())),
        ("channel_parent_user_id", parent_user_id.as_ref().map(|it| it.as_str().into())),
        ("username", username.as_deref().map(Cow::from)),
        ("name", name.as_deref().map(Cow::from)),
        ("opted_out_at", opted_out_at.map(|at| at.to_string().into())),
    ]
}

fn merge(it: &ContactMerge) -> Merge {
    let ContactMerge { contact, merged_contact, conversation, merged_conversation } = it;
    Merge {
        contact_id: contact.to_string(),
        merged_contact_id: merged_contact.to_string(),
        conversation_id: conversation.to_string(),
        merged_conversation_id: merged_conversation.to_string(),
    }
}

fn template_change(it: &TemplateChange) -> serde_json::Result<String> {
    serde_json::to_string(&TemplateUpdated {
        id: it.id.to_string(),
        account_id: it.account.to_string(),
        name: &it.name,
        language: &it.language,
        change: it.part.as_str(),
        previous: it.previous.as_deref().map(serde_json::from_str).transpose()?,
        current: serde_json::from_str(&it.current)?,
    })
}

fn account(it: &AccountSnapshot) -> EventAccount<'_> {
    let health = &it.health;
    EventAccount {
        id: it.id.to_string(),
        phone_number: &it.phone_number,
        display_name: &it.display_name,
        channel: it.channel.as_str(),
        health: EventHealth {
            state: health.state.as_str(),
            reason: health.reason.map(HealthReason::as_str),
            message: health.message.as_deref(),
            since: health.since.map(|at| at.to_string()),
            quality: health.quality.map(AccountQuality::as_str),
            limit: health.limit.as_deref(),
            pace: health.pace.map(Rate::per_second),
        },
    }
}

fn connection(it: &ConnectionSnapshot) -> EventConnection<'_> {
    EventConnection {
        id: it.id.to_string(),
        application: EventApplication { client_id: &it.application, name: &it.application_name },
        client_id: &it.client_id,
        account_id: it.account.map(|id| id.to_string()),
        scopes: it.scopes.iter().map(String::as_str).collect(),
        connected_at: it.connected_at.to_string(),
        disconnected_at: it.ended_at.map(|at| at.to_string()),
        reason: it.ending.map(EndReason::as_str),
    }
}

fn limit(meter: Meter, usage: &Usage) -> Limit {
    let Usage { limit, used, resets_at } = *usage;
    Limit { resource: meter.as_str(), most: limit, used, resets_at: resets_at.to_string() }
}
