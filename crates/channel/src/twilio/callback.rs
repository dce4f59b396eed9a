//! Parses callbacks. A callback is a form with the status of one of our messages, or with a message
//! from a contact.
//!
//! Unknown fields are ignored, because Twilio adds fields without notice.

use super::CHANNEL;
use super::codes::delivery_error;
use crate::callback::{
    CallbackEvent, CallbackEventKind, CallbackPart, ChannelRef, MessageReport, PartContent,
    UnsupportedPart,
};
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::contact::{Identity, name};
use domain::inbound::{InboundContent, InboundContext, ReportedAuthor};
use domain::location::Location;
use domain::media::MediaKind;
use domain::message::Report;
use domain::phone::PhoneNumber;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of files that are read from a message. It is more than a contact can send.
const MAX_FILES: usize = 10;

/// The fields of a form. If a field is repeated, its first value is used.
struct CallbackForm(BTreeMap<String, String>);

impl CallbackForm {
    fn parse(payload: &str) -> Self {
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(payload.as_bytes()) {
            // PostgreSQL cannot store NUL.
            let value = value.replace('\0', "\u{fffd}");
            fields.entry(name.replace('\0', "\u{fffd}")).or_insert(value);
        }
        Self(fields)
    }

    /// Returns the value of a field, unless it is empty.
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn need(&self, name: &str) -> Result<&str, UnsupportedPart> {
        self.get(name).ok_or_else(|| {
            let detail = format!("it has no `{name}`");
            UnsupportedPart::new(DeadLetterReason::Unreadable, detail)
        })
    }

    /// Returns the phone number in a field. Its value has the form `whatsapp:+…`.
    fn number(&self, field: &str) -> Option<PhoneNumber> {
        let number = self.get(field)?.strip_prefix(CHANNEL)?;
        PhoneNumber::parse(number).ok().filter(|_| number.starts_with('+'))
    }

    fn json(&self) -> String {
        let fields = self.0.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        serde_json::Value::Object(fields.collect()).to_string()
    }
}

/// Parses a callback. A message with several files gives one part for each file, any other callback
/// one part.
#[must_use]
pub fn parse(payload: &str) -> Vec<CallbackPart> {
    let form = CallbackForm::parse(payload);
    if form.get("MessageStatus").is_some() {
        return vec![part(CallbackKind::Status, status(&form))];
    }
    if form.get("MessageSid").is_none() {
        let unknown = UnsupportedPart::unknown("it is neither a message nor a status".to_owned());
        return vec![part(CallbackKind::Unknown, Err(unknown))];
    }
    let files =
        form.get("NumMedia").and_then(|it| it.parse().ok()).unwrap_or(0).clamp(1, MAX_FILES);
    (0..files).map(|index| part(CallbackKind::Message, message(&form, index).map(Some))).collect()
}

/// Returns the parts with these indexes in the result of [`parse`], each as a callback of its own.
/// A form cannot be split, so each of these callbacks is the whole form.
#[must_use]
pub fn parts_of(payload: &str, places: &BTreeSet<usize>) -> Vec<String> {
    places.iter().map(|_| payload.to_owned()).collect()
}

fn part(kind: CallbackKind, read: Result<Option<CallbackEvent>, UnsupportedPart>) -> CallbackPart {
    let content = match read {
        Ok(Some(event)) => PartContent::Event(event),
        Ok(None) => PartContent::Nothing,
        Err(fault) => PartContent::NotUnderstood(fault),
    };
    CallbackPart { kind, content }
}

/// Parses a status. Returns nothing for a status that precedes `sent`.
fn status(form: &CallbackForm) -> Result<Option<CallbackEvent>, UnsupportedPart> {
    let report = match form.need("MessageStatus")? {
        "queued" | "accepted" | "scheduled" | "sending" => return Ok(None),
        "sent" => Report::Sent,
        "delivered" => Report::Delivered,
        "read" => Report::Read,
        "failed" | "undelivered" => {
            let code = form.get("ErrorCode").and_then(|code| code.parse().ok());
            let status_message =
                form.get("ChannelStatusMessage").or_else(|| form.get("ErrorMessage"));
            let status_message = status_message.unwrap_or("Twilio could not deliver the message.");
            Report::Failed(delivery_error(code.filter(|code| *code != 0), status_message))
        }
        _ => return Err(UnsupportedPart::unknown("an unknown word for a status".to_owned())),
    };
    let what = CallbackEventKind::Progress {
        number: ChannelRef::Theirs(form.need("From")?.to_owned()),
        channel_id: form.need("MessageSid")?.to_owned(),
        ours: form.get("message").and_then(|id| id.parse().ok()),
        report,
        recipient: Box::new(Identity { phone_number: form.number("To"), ..Identity::default() }),
    };
    Ok(Some(CallbackEvent { second: None, what }))
}

fn message(form: &CallbackForm, index: usize) -> Result<CallbackEvent, UnsupportedPart> {
    form.need("From")?;
    let stated = || form.get("WaId").and_then(|text| PhoneNumber::parse(text).ok());
    let number = form.number("From").or_else(stated);
    if number.is_none() {
        let detail = "the message has no number in `From`".to_owned();
        return Err(UnsupportedPart::new(DeadLetterReason::NoPhoneNumber, detail));
    }
    let name = form.get("ProfileName").and_then(name);
    let person = Identity { phone_number: number, name, ..Identity::default() };
    let sid = form.need("MessageSid")?;
    let message = Box::new(MessageReport {
        channel_id: if index == 0 { sid.to_owned() } else { format!("{sid}.{index}") },
        author: ReportedAuthor::Contact,
        standby: false,
        summary: None,
        person,
        said: inbound_content(form, index),
        answers: form.get("OriginalRepliedMessageSid").map(str::to_owned),
        context: context(form),
    });
    let number = ChannelRef::Theirs(form.need("To")?.to_owned());
    let what = CallbackEventKind::Message { number, message };
    Ok(CallbackEvent { second: None, what })
}

/// Returns the context of a message: the ad it refers to, and whether it was forwarded.
fn context(form: &CallbackForm) -> InboundContext {
    let ad = [
        ("source_id", "ReferralSourceId"),
        ("source_type", "ReferralSourceType"),
        ("source_url", "ReferralSourceUrl"),
        ("headline", "ReferralHeadline"),
        ("body", "ReferralBody"),
        ("ctwa_clid", "ReferralCtwaClid"),
    ];
    let media = form.get("ReferralMediaContentType").and_then(|it| it.split('/').next());
    let address = form.get("ReferralMediaUrl");
    let media = match media {
        Some("image") => vec![("media_type", media), ("image_url", address)],
        Some("video") => vec![("media_type", media), ("video_url", address)],
        _ => Vec::new(),
    };
    let ad = ad.into_iter().map(|(name, field)| (name, form.get(field))).chain(media);
    let ad = ad.filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
    let ad: serde_json::Map<_, _> = ad.collect();
    InboundContext {
        referral: (!ad.is_empty()).then(|| serde_json::Value::Object(ad).to_string()),
        referred_product: None,
        forwarded: form.get("Forwarded") == Some("true"),
        frequently_forwarded: form.get("FrequentlyForwarded") == Some("true"),
    }
}

fn place(form: &CallbackForm) -> Option<InboundContent> {
    let degrees = |name| form.get(name)?.parse::<f64>().ok().filter(|it| it.is_finite());
    let text = |name| form.get(name).map(str::to_owned);
    let (latitude, longitude) = (degrees("Latitude")?, degrees("Longitude")?);
    let place = Location::stored(latitude, longitude, text("Label"), text("Address"));
    Some(InboundContent::Location { place, url: None })
}

fn inbound_content(form: &CallbackForm, index: usize) -> InboundContent {
    let body = form.get("Body");
    if let Some(file) = file(form, index, body) {
        return file;
    }
    let choice = |kind: &str, id: Option<&str>, title: &str, description: Option<&str>| {
        let [kind, title] = [kind, title].map(str::to_owned);
        let id = id.map_or_else(|| title.clone(), str::to_owned);
        InboundContent::Choice { kind, id, title, description: description.map(str::to_owned) }
    };
    if let Some(title) = form.get("ListTitle") {
        return choice("list_reply", form.get("ListId"), title, form.get("ListDescription"));
    }
    if let Some(title) = form.get("ButtonText") {
        return choice("button_reply", form.get("ButtonPayload"), title, None);
    }
    let unsupported =
        |kind: &str| InboundContent::Unsupported { kind: kind.to_owned(), payload: form.json() };
    if form.get("Latitude").is_some() && form.get("Longitude").is_some() {
        return place(form).unwrap_or_else(|| unsupported("location"));
    }
    match body {
        Some(words) => InboundContent::Text(words.to_owned()),
        None => unsupported(form.get("MessageType").unwrap_or("unknown")),
    }
}

fn file(form: &CallbackForm, index: usize, body: Option<&str>) -> Option<InboundContent> {
    let url = form.get(&format!("MediaUrl{index}"))?;
    let content_type = form.get(&format!("MediaContentType{index}")).unwrap_or_default();
    let kind = match (form.get("MessageType"), content_type.split('/').next()) {
        (Some("sticker"), _) => MediaKind::Sticker,
        // Contact cards arrive as files of this type, and are not stored as media.
        (_, Some("text")) if content_type.contains("vcard") => return None,
        (_, Some("image")) => MediaKind::Image,
        (_, Some("video")) => MediaKind::Video,
        (_, Some("audio")) => MediaKind::Audio,
        _ => MediaKind::Document,
    };
    Some(InboundContent::Media {
        kind,
        id: url.to_owned(),
        content_type: content_type.to_owned(),
        // The text of a message is the caption of its first file.
        caption: body.filter(|_| index == 0).map(str::to_owned),
        filename: None,
        voice: false,
        animated: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::message::Failure;
    use proptest::prelude::*;

    const COMMON: &str = "MessageSid=SM1&AccountSid=AC1&From=whatsapp%3A%2B16505551234&To=whatsapp%3A%2B12025550180\
        &WaId=16505551234&ProfileName=Ada&NumSegments=1&ApiVersion=2010-04-01&SmsStatus=received";

    fn heard(more: &str) -> InboundContent {
        let parts = parse(&format!("{COMMON}&{more}"));
        let [CallbackPart { kind: CallbackKind::Message, content: PartContent::Event(event) }] =
            &parts[..]
        else {
            panic!("{parts:?}")
        };
        let CallbackEventKind::Message { number, message } = &event.what else { panic!() };
        assert_eq!(number, &ChannelRef::Theirs("whatsapp:+12025550180".to_owned()));
        assert_eq!(message.person.phone_number.as_ref().unwrap().as_str(), "+16505551234");
        assert_eq!(message.person.name.as_deref(), Some("Ada"));
        message.said.clone()
    }

    #[test]
    fn what_people_write_is_read() {
        assert_eq!(
            heard("Body=Hello+%F0%9F%91%8B&NumMedia=0"),
            InboundContent::Text("Hello 👋".into())
        );
        let tapped =
            heard("MessageType=interactive&Body=Yes&ButtonText=Yes&ButtonPayload=y-1&NumMedia=0");
        let InboundContent::Choice { kind, id, title, .. } = tapped else { panic!() };
        assert_eq!(kind, "button_reply");
        assert_eq!(id, "y-1");
        assert_eq!(title, "Yes");
        let InboundContent::Location { place, .. } =
            heard("Latitude=1.5&Longitude=2&Label=Here&Body=")
        else {
            panic!()
        };
        assert_eq!(place, Location::stored(1.5, 2.0, Some("Here".to_owned()), None));
        let InboundContent::Unsupported { kind, payload } = heard("Latitude=x&Longitude=2&Body=")
        else {
            panic!()
        };
        assert_eq!(kind, "location");
        assert!(payload.contains(r#""Latitude":"x""#));
        let picture = heard(
            "NumMedia=1&MediaUrl0=https%3A%2F%2Fx%2FME1&MediaContentType0=image%2Fjpeg&Body=Look",
        );
        let InboundContent::Media { kind, caption, content_type, .. } = picture else { panic!() };
        assert_eq!(kind, MediaKind::Image);
        assert_eq!(caption.as_deref(), Some("Look"));
        assert_eq!(content_type, "image/jpeg");
    }

    #[test]
    fn no_file_of_several_is_lost() {
        let parts = parse(&format!(
            "{COMMON}&NumMedia=2&MediaUrl0=a&MediaContentType0=image%2Fpng&MediaUrl1=b&MediaContentType1=video%2Fmp4"
        ));
        let ids: Vec<_> = parts
            .iter()
            .map(|part| match &part.content {
                PartContent::Event(CallbackEvent {
                    what: CallbackEventKind::Message { message, .. },
                    ..
                }) => message.channel_id.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(ids, ["SM1", "SM1.1"]);
    }

    #[test]
    fn statuses_are_read_with_our_id_and_the_error() {
        let form = "MessageSid=SM1&MessageStatus=undelivered&ErrorCode=63016&ChannelStatusMessage=Outside&From=whatsapp%3A%2B1&To=x";
        let parts = parse(&format!("{form}&message=msg_01jd7qm4x8f0ta5b9c2e7h6jkr"));
        let PartContent::Event(CallbackEvent {
            what: CallbackEventKind::Progress { ours, report: Report::Failed(error), .. },
            ..
        }) = &parts[0].content
        else {
            panic!("{parts:?}")
        };
        assert!(ours.is_some());
        assert_eq!(error.failure, Failure::WindowClosed);
        assert_eq!(error.message, "Outside");
        assert_eq!(
            parse("MessageSid=SM1&MessageStatus=sending&From=x")[0].content,
            PartContent::Nothing
        );
    }

    proptest! {
        /// Any form can be parsed, and no text contains a NUL, which PostgreSQL cannot store.
        #[test]
        fn anything_can_be_read(payload: String, name in "[A-Z][a-zA-Z0-9]{0,12}", value: String) {
            let pair = form_urlencoded::Serializer::new(String::new()).append_pair(&name, &value).finish();
            for form in [payload.clone(), format!("{COMMON}&{pair}"), format!("{pair}&{payload}&MessageStatus=sent")] {
                let parts = parse(&form);
                prop_assert!(!parts.is_empty());
                for part in parts {
                    let PartContent::Event(CallbackEvent { what: CallbackEventKind::Message { message, .. }, .. }) = part.content
                    else {
                        continue;
                    };
                    prop_assert!(!matches!(message.said, InboundContent::Text(words) if words.contains('\0')));
                }
            }
        }
    }
}
