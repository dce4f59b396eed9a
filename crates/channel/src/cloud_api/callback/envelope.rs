//! Splits a callback into parts. A part is one message, one status or one other change. Each part
//! can be written as a callback of its own.

use super::fields::{JsonFields, list};
use super::readable::readable;
use domain::callback::CallbackKind;
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A callback that is split into parts.
pub struct CallbackEnvelope<'a> {
    original: &'a str,
    readable: Cow<'a, str>,
}

/// One part of a callback.
pub struct EnvelopePart<'a> {
    pub kind: CallbackKind,
    /// Meta's name of the webhook field or list that contains the part. Empty if there is none.
    pub name: Cow<'a, str>,
    /// The JSON of the part, in which escapes that cannot be stored were replaced.
    /// [`CallbackEnvelope::json`] returns the original.
    pub json: &'a str,
    /// The reason why the part cannot be split further.
    pub fault: Option<String>,
    place: PartLocation<'a>,
}

/// The location of a part in the callback.
#[derive(Clone)]
enum PartLocation<'a> {
    /// The part is the whole callback.
    Whole,
    /// The part is an entry.
    Entry(RawObject<'a>),
    /// The part is a change of an entry.
    Change(EnvelopeEntry<'a>),
    /// The part is an item of a list in a change of one of the fields in [`FIELDS_OF_LISTS`].
    Item(EnvelopeEntry<'a>, EnvelopeValue<'a>, Cow<'a, str>),
}

type RawObject<'a> = Option<&'a RawValue>;

/// The members of an entry that apply to all its changes.
#[derive(Clone, Copy)]
pub struct EnvelopeEntry<'a> {
    object: RawObject<'a>,
    id: Option<&'a RawValue>,
    time: Option<&'a RawValue>,
}

/// The members of a change that apply to all its items.
#[derive(Clone, Copy)]
pub struct EnvelopeValue<'a> {
    field: &'static str,
    product: Option<&'a RawValue>,
    metadata: Option<&'a RawValue>,
    contacts: Option<&'a RawValue>,
    /// The channel's summary of the conversation. Only the first message of the change has it.
    context: Option<&'a RawValue>,
}

impl<'a> CallbackEnvelope<'a> {
    pub fn new(payload: &'a str) -> Self {
        Self { original: payload, readable: readable(payload) }
    }

    pub fn pieces(&self) -> Vec<EnvelopePart<'_>> {
        let whole = |fault: String| {
            let (kind, json) = (CallbackKind::Unreadable, &*self.readable);
            let (fault, place) = (Some(fault), PartLocation::Whole);
            vec![EnvelopePart { kind, name: Cow::Borrowed(""), json, fault, place }]
        };
        let fields = match serde_json::from_str::<JsonFields<'_>>(&self.readable) {
            Ok(fields) => fields,
            Err(error) => return whole(error.to_string()),
        };
        let entries = match fields.lists("entry") {
            Ok(Some(entries)) => entries,
            Ok(None) => return whole("it has no `entry`".to_owned()),
            Err(error) => return whole(error.to_string()),
        };
        let object = fields.get("object");
        entries.into_iter().flat_map(|entry| pieces_of_entry(object, entry)).collect()
    }

    /// Returns a part as a callback of its own. The part stays exactly as it was received.
    pub fn json<'p>(
        &'p self,
        piece: &EnvelopePart<'p>,
        contacts: &mut EnvelopeContacts<'p>,
    ) -> String {
        let part = self.original(piece.json);
        match &piece.place {
            PartLocation::Whole => part.to_owned(),
            PartLocation::Entry(object) => wrap(*object, part),
            PartLocation::Change(entry) => entry.json(part),
            PartLocation::Item(entry, value, name) => {
                let metadata = [("messaging_product", value.product), ("metadata", value.metadata)];
                let mut fields = members(&metadata);
                let mut lists = members(&[(CONTEXT, value.context)]);
                let contacts = contacts.about(value.contacts, piece.json);
                if !contacts.is_empty() {
                    lists.push(format!("\"contacts\":[{}]", contacts.join(",")));
                }
                lists.push(format!("{}:[{part}]", Json::from(name.as_ref())));
                if value.is_standby() {
                    fields.push(format!("\"{STANDBY}\":{{{}}}", lists.join(",")));
                } else {
                    fields.extend(lists);
                }
                let (field, value) = (value.field, fields.join(","));
                entry.json(&format!("{{\"field\":\"{field}\",\"value\":{{{value}}}}}"))
            }
        }
    }

    /// Returns the original text of `part`, which is a slice of the readable text.
    fn original<'p>(&'p self, part: &'p str) -> &'p str {
        let start = part.as_ptr().addr().checked_sub(self.readable.as_ptr().addr());
        let same = start.and_then(|start| self.original.get(start..start + part.len()));
        same.unwrap_or(part)
    }
}

impl<'a> EnvelopePart<'a> {
    /// Returns the id and the time of the entry, if present.
    pub fn entry(&self) -> (Option<&'a RawValue>, Option<&'a RawValue>) {
        match &self.place {
            PartLocation::Whole | PartLocation::Entry(_) => (None, None),
            PartLocation::Change(entry) | PartLocation::Item(entry, ..) => (entry.id, entry.time),
        }
    }

    /// Whether the part is a whole change. Otherwise it is an item of a list in a change.
    pub const fn is_change(&self) -> bool {
        !matches!(self.place, PartLocation::Item(..))
    }

    /// Returns the contacts to which the item belongs.
    pub fn contacts(&self, contacts: &mut EnvelopeContacts<'a>) -> Vec<&'a str> {
        match &self.place {
            PartLocation::Item(_, value, _) => contacts.about(value.contacts, self.json),
            PartLocation::Whole | PartLocation::Entry(_) | PartLocation::Change(_) => Vec::new(),
        }
    }

    /// Whether another responder has control of the conversation to which the part belongs.
    pub fn is_standby(&self) -> bool {
        match &self.place {
            PartLocation::Item(_, value, _) => value.is_standby(),
            PartLocation::Whole | PartLocation::Entry(_) | PartLocation::Change(_) => false,
        }
    }

    /// Returns the summary of the conversation that came with a message.
    pub const fn context(&self) -> Option<&'a RawValue> {
        match &self.place {
            PartLocation::Item(_, value, _) => value.context,
            PartLocation::Whole | PartLocation::Entry(_) | PartLocation::Change(_) => None,
        }
    }

    /// Returns the `metadata` of an item, which names the phone number.
    pub fn metadata(&self) -> Option<&'a RawValue> {
        match &self.place {
            PartLocation::Item(_, value, _) => value.metadata,
            PartLocation::Whole | PartLocation::Entry(_) | PartLocation::Change(_) => None,
        }
    }
}

impl EnvelopeValue<'_> {
    fn is_standby(&self) -> bool {
        self.field == STANDBY
    }
}

impl<'a> EnvelopeEntry<'a> {
    fn json(&self, change: &str) -> String {
        let mut fields = members(&[("id", self.id), ("time", self.time)]);
        fields.push(format!("\"changes\":[{change}]"));
        wrap(self.object, &format!("{{{}}}", fields.join(",")))
    }

    fn change(
        self,
        kind: CallbackKind,
        name: Cow<'a, str>,
        change: &'a RawValue,
        fault: Option<String>,
    ) -> EnvelopePart<'a> {
        EnvelopePart { kind, name, json: change.get(), fault, place: PartLocation::Change(self) }
    }
}

fn wrap(object: RawObject<'_>, entry: &str) -> String {
    let mut fields = members(&[("object", object)]);
    fields.push(format!("\"entry\":[{entry}]"));
    format!("{{{}}}", fields.join(","))
}

fn members(fields: &[(&str, Option<&RawValue>)]) -> Vec<String> {
    let there = fields.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    there.map(|(name, value)| format!("\"{name}\":{value}")).collect()
}

fn pieces_of_entry<'a>(object: RawObject<'a>, json: &'a RawValue) -> Vec<EnvelopePart<'a>> {
    let broken = |kind, fault: String| {
        vec![EnvelopePart {
            kind,
            name: Cow::Borrowed(""),
            json: json.get(),
            fault: Some(fault),
            place: PartLocation::Entry(object),
        }]
    };
    let fields = match serde_json::from_str::<JsonFields<'a>>(json.get()) {
        Ok(fields) => fields,
        Err(error) => return broken(CallbackKind::Unreadable, error.to_string()),
    };
    let entry = EnvelopeEntry { object, id: fields.get("id"), time: fields.get("time") };
    match fields.lists("changes") {
        Ok(Some(changes)) => {
            changes.into_iter().flat_map(|change| pieces_of_change(entry, change)).collect()
        }
        Ok(None) => broken(CallbackKind::Unknown, "it has no `changes`".to_owned()),
        Err(error) => broken(CallbackKind::Unreadable, error.to_string()),
    }
}

#[derive(Deserialize)]
struct EnvelopeChange<'a> {
    #[serde(borrow)]
    field: Cow<'a, str>,
    #[serde(borrow)]
    value: &'a RawValue,
}

fn pieces_of_change<'a>(entry: EnvelopeEntry<'a>, json: &'a RawValue) -> Vec<EnvelopePart<'a>> {
    let EnvelopeChange { field: name, value } = match serde_json::from_str(json.get()) {
        Ok(change) => change,
        Err(error) => {
            let (name, fault) = (Cow::Borrowed(""), Some(error.to_string()));
            return vec![entry.change(CallbackKind::Unreadable, name, json, fault)];
        }
    };
    let Some(field) = FIELDS_OF_LISTS.into_iter().find(|it| *it == name) else {
        return vec![entry.change(kind_of_field(&name), name, json, None)];
    };
    let (kind, fault) = match pieces_of_messages(entry, field, value) {
        Ok(pieces) if pieces.is_empty() => {
            (CallbackKind::Unknown, "it has neither messages nor statuses".to_owned())
        }
        Ok(pieces) => return pieces,
        Err(error) => (CallbackKind::Unreadable, error.to_string()),
    };
    vec![entry.change(kind, name, json, Some(fault))]
}

/// The webhook fields whose changes are lists.
const FIELDS_OF_LISTS: [&str; 3] = ["messages", "smb_message_echoes", STANDBY];
/// The webhook field about conversations that another responder controls. Its lists are in an
/// object that is also called `standby`.
const STANDBY: &str = "standby";
/// The field with the channel's summary of the conversation.
const CONTEXT: &str = "conversation_context";

/// Returns a part for each item of the lists in a change.
fn pieces_of_messages<'a>(
    entry: EnvelopeEntry<'a>,
    field: &'static str,
    json: &'a RawValue,
) -> Result<Vec<EnvelopePart<'a>>, serde_json::Error> {
    let fields: JsonFields<'a> = serde_json::from_str(json.get())?;
    let (product, metadata) = (fields.get("messaging_product"), fields.get("metadata"));
    let fields = match fields.get(STANDBY).filter(|_| field == STANDBY) {
        Some(lists) => serde_json::from_str(lists.get())?,
        None => fields,
    };
    let contacts = fields.get("contacts");
    let value = EnvelopeValue { field, product, metadata, contacts, context: None };
    let mut context = fields.get(CONTEXT);
    let mut pieces = Vec::new();
    for (name, json) in fields.all() {
        let kind = match name.as_ref() {
            "messaging_product" | "metadata" | "contacts" | CONTEXT => continue,
            "messages" => CallbackKind::Message,
            "message_echoes" => CallbackKind::Echo,
            "statuses" => CallbackKind::Status,
            "errors" => CallbackKind::Error,
            // An unknown field is ignored unless it is a list.
            _ if !json.get().starts_with('[') => continue,
            _ => CallbackKind::Unknown,
        };
        for item in list(json)?.unwrap_or_default() {
            let context = if kind == CallbackKind::Message { context.take() } else { None };
            let value = EnvelopeValue { context, ..value };
            let place = PartLocation::Item(entry, value, name.clone());
            let (name, json) = (name.clone(), item.get());
            pieces.push(EnvelopePart { kind, name, json, fault: None, place });
        }
    }
    Ok(pieces)
}

/// Returns the kind of parts that belong to a webhook field.
fn kind_of_field(field: &str) -> CallbackKind {
    match field {
        "message_template_status_update" => CallbackKind::TemplateStatus,
        "calls" | "call_permission" => CallbackKind::Call,
        "history" | "smb_app_state_sync" => CallbackKind::History,
        "smb_message_echoes" | "message_echoes" => CallbackKind::Echo,
        "messaging_handovers" => CallbackKind::Handover,
        "user_preferences" | "user_id_update" => CallbackKind::Person,
        "security" => CallbackKind::PhoneNumber,
        "flows" => CallbackKind::Flow,
        _ if field.starts_with("group_") => CallbackKind::Group,
        _ if field.starts_with("message_template_") || field.starts_with("template_") => {
            CallbackKind::Template
        }
        _ if field.starts_with("phone_number_") => CallbackKind::PhoneNumber,
        _ if field.starts_with("account_") || field.starts_with("business_") => {
            CallbackKind::Account
        }
        _ => CallbackKind::Unknown,
    }
}

/// The ids by which contacts and items name a person.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EnvelopePerson {
    wa_id: Option<String>,
    user_id: Option<String>,
    from: Option<String>,
    from_user_id: Option<String>,
    recipient_id: Option<String>,
    recipient_user_id: Option<String>,
    to: Option<String>,
    to_user_id: Option<String>,
}

/// The contacts in a change, by their ids. They are parsed once for all items of the change.
#[derive(Default)]
pub struct EnvelopeContacts<'a> {
    of: Option<&'a RawValue>,
    all: Vec<&'a RawValue>,
    by_name: BTreeMap<String, usize>,
}

impl<'a> EnvelopeContacts<'a> {
    /// Returns the contacts that an item, such as a message or a status, is about. If the change
    /// has only one contact, every item is about that contact.
    fn about(&mut self, contacts: Option<&'a RawValue>, item: &str) -> Vec<&'a str> {
        if !self.of.zip(contacts).is_some_and(|(known, new)| std::ptr::eq(known, new)) {
            *self = Self::read(contacts);
        }
        if let [only] = self.all.as_slice() {
            return vec![only.get()];
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "an item without readable ids is about nobody"
        )]
        let item: EnvelopePerson = serde_json::from_str(item).unwrap_or_default();
        let names = [
            item.from,
            item.from_user_id,
            item.recipient_id,
            item.recipient_user_id,
            item.to,
            item.to_user_id,
        ];
        let about = names.iter().flatten().filter_map(|name| self.by_name.get(name));
        let about: BTreeSet<usize> = about.copied().collect();
        about.into_iter().filter_map(|index| Some(self.all.get(index)?.get())).collect()
    }

    fn read(contacts: Option<&'a RawValue>) -> Self {
        let all = contacts.and_then(|all| list(all).ok().flatten()).unwrap_or_default();
        let mut by_name = BTreeMap::new();
        for (index, contact) in all.iter().enumerate() {
            #[expect(
                clippy::disallowed_methods,
                reason = "a contact whose ids cannot be read has none"
            )]
            let contact: EnvelopePerson = serde_json::from_str(contact.get()).unwrap_or_default();
            let names = [contact.wa_id, contact.user_id];
            by_name.extend(names.into_iter().flatten().map(|name| (name, index)));
        }
        Self { of: contacts, all, by_name }
    }
}
