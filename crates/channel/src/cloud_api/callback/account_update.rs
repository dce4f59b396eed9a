//! Meta's reports about business accounts and phone numbers: refusals, limits, quality, names.
//!
//! <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#account-update>

use super::envelope::EnvelopePart;
use super::shape::second_of;
use super::{second_of_entry, shape, unreadable};
use crate::callback::{CallbackEvent, CallbackEventKind, ChannelRef, NumbersRef, UnsupportedPart};
use domain::account::{AccountQuality, HealthReason, HealthReport};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Change {
    field: String,
    value: Updated,
}

/// The values of all five webhook fields. Each field has some of them.
#[derive(Deserialize)]
struct Updated {
    #[serde(default)]
    event: String,
    phone_number: Option<String>,
    display_phone_number: Option<String>,
    ban_info: Option<BanInfo>,
    violation_info: Option<ViolationInfo>,
    #[serde(default)]
    restriction_info: Vec<Restriction>,
    #[serde(alias = "severity")]
    alert_severity: Option<String>,
    alert_status: Option<String>,
    alert_type: Option<String>,
    alert_description: Option<String>,
    current_limit: Option<Value>,
    max_daily_conversations_per_business: Option<Value>,
    max_daily_conversation_per_phone: Option<Value>,
    decision: Option<String>,
    requested_verified_name: Option<String>,
    rejection_reason: Option<String>,
}

#[derive(Deserialize)]
struct BanInfo {
    #[serde(default, deserialize_with = "one_or_many")]
    waba_ban_state: Vec<String>,
}

#[derive(Deserialize)]
struct ViolationInfo {
    #[serde(default)]
    violation_type: String,
}

#[derive(Deserialize)]
struct Restriction {
    #[serde(default)]
    restriction_type: String,
    /// The end of the restriction, in seconds since 1970.
    expiration: Option<Value>,
}

/// Reads the state of a ban, which is a word or a list in Meta's documentation.
fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Option::<OneOrMany>::deserialize(from)? {
        None => Vec::new(),
        Some(OneOrMany::One(word)) => vec![word],
        Some(OneOrMany::Many(words)) => words,
    })
}

/// Parses a change of one of the webhook fields about accounts and phone numbers.
pub fn read(piece: &EnvelopePart<'_>) -> Result<CallbackEvent, UnsupportedPart> {
    let (business, time) = piece.entry();
    let Change { field, value } =
        serde_json::from_str(piece.json).map_err(|error| unreadable(&error))?;
    let phone_number = value.display_phone_number.as_ref().or(value.phone_number.as_ref());
    let phone_number = phone_number
        .map(|number| {
            PhoneNumber::parse(number).map_err(|wrong| UnsupportedPart::unknown(wrong.to_string()))
        })
        .transpose()?;
    let unknown = || UnsupportedPart::unknown(format!("an unknown value of {field}"));
    if field.starts_with("phone_number_") && phone_number.is_none() {
        return Err(unknown());
    }
    let report = match field.as_str() {
        "account_update" => account_update(&value),
        "account_alerts" => alert(&value),
        "phone_number_quality_update" => Some(quality(&value)),
        "phone_number_name_update" => value.decision.as_ref().map(|decision| {
            let name = value.requested_verified_name.as_deref().unwrap_or("");
            let why = value.rejection_reason.as_deref().filter(|it| *it != "NONE");
            let words = [name, decision, why.unwrap_or("")];
            HealthReport::Notice(sentence("Meta has decided on the number's name", &words))
        }),
        "business_capability_update" => capability(&value),
        _ => None,
    };
    let business = ChannelRef::Theirs(business.map(shape::text_of_json).unwrap_or_default());
    let what = CallbackEventKind::Account {
        numbers: NumbersRef { business, phone_number },
        report: report.ok_or_else(unknown)?,
    };
    Ok(CallbackEvent { second: second_of_entry(time), what })
}

/// Returns a sentence with Meta's words.
fn sentence(start: &str, words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|it| !it.is_empty()).collect();
    if words.is_empty() { format!("{start}.") } else { format!("{start}: {}.", words.join(", ")) }
}

fn account_update(value: &Updated) -> Option<HealthReport> {
    let banned = value.ban_info.as_ref().map_or(&[][..], |ban| &ban.waba_ban_state);
    let is = |word: &str| banned.iter().any(|it| it == word);
    let restricted = |reason, message| Some(HealthReport::Restricted(reason, message, None));
    match value.event.as_str() {
        "DISABLED_UPDATE" if is("REINSTATE") => Some(HealthReport::Reinstated),
        "DISABLED_UPDATE" if is("SCHEDULE_FOR_DISABLE") => restricted(
            HealthReason::AccountDisabled,
            "Meta is going to disable the account.".to_owned(),
        ),
        "DISABLED_UPDATE" => Some(HealthReport::Refused(
            HealthReason::AccountDisabled,
            "Meta has disabled the account.".to_owned(),
        )),
        "ACCOUNT_DELETED" => Some(HealthReport::Refused(
            HealthReason::AccountDisabled,
            "The account was deleted at Meta.".to_owned(),
        )),
        "ACCOUNT_RESTRICTION" => {
            let words: Vec<&str> =
                value.restriction_info.iter().map(|it| it.restriction_type.as_str()).collect();
            let message = sentence("Meta has restricted the account", &words);
            // All restrictions have ended when the last one has. If one has no end, there is none.
            let ends: Option<Vec<i64>> = value
                .restriction_info
                .iter()
                .map(|it| second_of(it.expiration.as_ref()?))
                .collect();
            let until = ends.and_then(|it| it.into_iter().max()).map(Timestamp::from_seconds);
            Some(HealthReport::Restricted(HealthReason::AccountRestricted, message, until))
        }
        "ACCOUNT_VIOLATION" => {
            let word = value.violation_info.as_ref().map_or("", |it| it.violation_type.as_str());
            restricted(
                HealthReason::PolicyViolation,
                sentence("Meta reports a violation of its policies", &[word]),
            )
        }
        "ACCOUNT_REINSTATED" => Some(HealthReport::Reinstated),
        "" => None,
        other => Some(HealthReport::Notice(sentence("Meta has updated the account", &[other]))),
    }
}

fn alert(value: &Updated) -> Option<HealthReport> {
    let kind = value.alert_type.as_deref()?;
    let message = match value.alert_description.as_deref() {
        Some(description) if !description.is_empty() => description.to_owned(),
        _ => sentence("Meta has raised an alert", &[kind]),
    };
    let is_active = value.alert_status.as_deref().is_none_or(|it| it == "ACTIVE");
    Some(if is_active && value.alert_severity.as_deref() == Some("CRITICAL") {
        HealthReport::Restricted(HealthReason::Alert, message, None)
    } else {
        HealthReport::Notice(message)
    })
}

fn quality(value: &Updated) -> HealthReport {
    let quality = match value.event.as_str() {
        "FLAGGED" => Some(AccountQuality::Low),
        "UNFLAGGED" => Some(AccountQuality::Ok),
        _ => None,
    };
    HealthReport::Rated(quality, value.current_limit.as_ref().and_then(limit))
}

fn capability(value: &Updated) -> Option<HealthReport> {
    let found = value.max_daily_conversations_per_business.as_ref();
    let found = found.or(value.max_daily_conversation_per_phone.as_ref());
    Some(HealthReport::Rated(None, Some(found.and_then(limit)?)))
}

/// Returns a limit: a word such as `TIER_1K`, or a number, where -1 means unlimited.
fn limit(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if number.as_i64() == Some(-1) => Some("TIER_UNLIMITED".to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::callback::Content;
    use serde_json::json;

    fn read(field: &str, value: &Value) -> Result<(HealthReport, Option<PhoneNumber>), String> {
        let change = json!({"field": field, "value": value});
        let entry = json!({"id": "102290129340398", "time": 1_674_864_290, "changes": [change]});
        let callback = json!({"object": "whatsapp_business_account", "entry": [entry]});
        match parse(&callback.to_string()).remove(0).content {
            Content::Event(CallbackEvent {
                second: Some(1_674_864_290),
                what: CallbackEventKind::Account { numbers, report, .. },
            }) => {
                assert_eq!(numbers.business, ChannelRef::Theirs("102290129340398".to_owned()));
                Ok((report, numbers.phone_number))
            }
            Content::NotUnderstood(fault) => Err(fault.detail),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn refusals_and_limits_of_an_account_are_read() {
        let ban = |state: Value| json!({"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": state, "waba_ban_date": "Jul 26, 2026"}});
        let reports = [
            (ban(json!("DISABLE")), "refused"),
            (ban(json!(["DISABLE"])), "refused"),
            (ban(json!("SCHEDULE_FOR_DISABLE")), "restricted"),
            (ban(json!(["REINSTATE"])), "reinstated"),
            (
                json!({"event": "ACCOUNT_RESTRICTION", "restriction_info": [{"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiration": 1}]}),
                "restricted",
            ),
            (
                json!({"event": "ACCOUNT_VIOLATION", "violation_info": {"violation_type": "ADULT"}}),
                "restricted",
            ),
            (json!({"event": "VERIFIED_ACCOUNT", "phone_number": "16505551111"}), "notice"),
        ];
        for (value, expected) in reports {
            let word = match read("account_update", &value).unwrap().0 {
                HealthReport::Refused(..) => "refused",
                HealthReport::Restricted(_, message, _) => {
                    assert!(message.ends_with('.'), "{message}");
                    "restricted"
                }
                HealthReport::Reinstated => "reinstated",
                HealthReport::Notice(_) => "notice",
                other => panic!("{other:?}"),
            };
            assert_eq!(word, expected, "{value}");
        }
        assert!(read("account_update", &json!({})).is_err());
    }

    #[test]
    fn a_restriction_ends_when_meta_says_so() {
        let until = |info: Value| {
            let value = json!({"event": "ACCOUNT_RESTRICTION", "restriction_info": info});
            match read("account_update", &value).unwrap().0 {
                HealthReport::Restricted(_, _, until) => until,
                other => panic!("{other:?}"),
            }
        };
        let at = |second| Some(Timestamp::from_seconds(second));
        let one = |end: Value| json!({"restriction_type": "X", "expiration": end});
        assert_eq!(until(json!([one(json!(1_800_000_000))])), at(1_800_000_000));
        assert_eq!(
            until(json!([one(json!("1800000000")), one(json!(1_900_000_000))])),
            at(1_900_000_000)
        );
        assert_eq!(until(json!([one(json!(1)), one(Value::Null)])), None);
        assert_eq!(until(json!([one(json!(1)), {"restriction_type": "Y"}])), None);
        assert_eq!(until(json!([])), None);
    }

    #[test]
    fn quality_limits_alerts_and_names_are_read() {
        let value = json!({"display_phone_number": "16505551111", "event": "FLAGGED", "current_limit": "TIER_1K"});
        let (report, number) = read("phone_number_quality_update", &value).unwrap();
        let limit = Some("TIER_1K".to_owned());
        assert_eq!(report, HealthReport::Rated(Some(AccountQuality::Low), limit));
        assert_eq!(number.unwrap().as_str(), "+16505551111");
        for (value, limit) in [
            (json!({"max_daily_conversation_per_phone": -1}), "TIER_UNLIMITED"),
            (json!({"max_daily_conversation_per_phone": 1000}), "1000"),
            (json!({"max_daily_conversations_per_business": "TIER_2K"}), "TIER_2K"),
        ] {
            let read = read("business_capability_update", &value).unwrap().0;
            assert_eq!(read, HealthReport::Rated(None, Some(limit.to_owned())));
        }
        let alert = |severity: &str| {
            let value = json!({"alert_severity": severity, "alert_status": "ACTIVE", "alert_type": "X", "alert_description": "Look here."});
            read("account_alerts", &value).unwrap().0
        };
        let notice = "Look here.".to_owned();
        assert_eq!(alert("INFORMATIONAL"), HealthReport::Notice(notice.clone()));
        assert_eq!(alert("CRITICAL"), HealthReport::Restricted(HealthReason::Alert, notice, None));
        let value = json!({"display_phone_number": "16505551111", "decision": "REJECTED", "requested_verified_name": "Acme", "rejection_reason": "NAME_X"});
        assert!(matches!(
            read("phone_number_name_update", &value),
            Ok((HealthReport::Notice(_), _))
        ));
        assert!(read("account_mood_update", &json!({"event": "GLAD"})).is_err());
    }
}
