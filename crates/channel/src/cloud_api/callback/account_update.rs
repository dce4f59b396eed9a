//! Meta's reports about business accounts and phone numbers: refusals, limits, quality, names.
//!
//! <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components#account-update>

use super::envelope::EnvelopePart;
use super::shape::second_of;
use super::{Readable, second_of_entry, shape, unreadable};
use crate::callback::{CallbackEvent, CallbackEventKind, ChannelRef, NumbersRef, UnsupportedPart};
use domain::account::{AccountQuality, HealthReason, HealthReport};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct AccountUpdateChange {
    field: String,
    value: AccountUpdateValue,
}

/// The value of a change. Each of these webhook fields sets only some of its members.
#[derive(Deserialize)]
struct AccountUpdateValue {
    #[serde(default)]
    event: String,
    phone_number: Option<String>,
    display_phone_number: Option<String>,
    ban_info: Option<BanInfo>,
    violation_info: Option<ViolationInfo>,
    #[serde(default)]
    restriction_info: Vec<RestrictionInfo>,
    waba_info: Option<WabaInfo>,
    disconnection_info: Option<DisconnectionInfo>,
    alert_info: Option<AlertInfo>,
    #[serde(flatten)]
    alert: AlertInfo,
    current_limit: Option<Value>,
    max_daily_conversations_per_business: Option<Value>,
    max_daily_conversation_per_phone: Option<Value>,
    decision: Option<String>,
    requested_verified_name: Option<String>,
    rejection_reason: Option<String>,
}

/// An alert of Meta about the account. Its members are either in `alert_info` or directly in the
/// value.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AlertInfo {
    #[serde(rename = "alert_severity", alias = "severity")]
    severity: Option<String>,
    #[serde(rename = "alert_status")]
    status: Option<String>,
    #[serde(rename = "alert_type")]
    kind: Option<String>,
    #[serde(rename = "alert_description")]
    description: Option<String>,
}

/// The account, in a report that Meta sends to one of its partners.
#[derive(Deserialize)]
struct WabaInfo {
    waba_id: Option<Value>,
}

/// The reason why an account was disconnected.
#[derive(Deserialize)]
struct DisconnectionInfo {
    reason: Option<String>,
    initiated_by: Option<String>,
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
struct RestrictionInfo {
    #[serde(default)]
    restriction_type: String,
    /// The end of the restriction, in seconds since 1970.
    expiration: Option<Value>,
}

/// Reads the state of a ban. Meta's documentation shows it both as a word and as a list.
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
pub fn read(piece: &EnvelopePart<'_>) -> Result<Readable, UnsupportedPart> {
    let (business, time) = piece.entry();
    let AccountUpdateChange { field, value } =
        serde_json::from_str(piece.json).map_err(|error| unreadable(&error))?;
    let phone_number = value.display_phone_number.as_ref().or(value.phone_number.as_ref());
    let phone_number = phone_number
        .map(|number| {
            PhoneNumber::parse(number).map_err(|wrong| UnsupportedPart::unknown(wrong.to_string()))
        })
        .transpose()?;
    let unknown = || {
        let detail = format!("this version does not know the value of the field {field:?}");
        UnsupportedPart::unknown(detail)
    };
    let is_of_a_number = field.starts_with("phone_number_") || field == "security";
    if is_of_a_number && phone_number.is_none() {
        return Err(unknown());
    }
    let report = match field.as_str() {
        "account_update" | "account_offboarded" | "account_reconnected" => account_update(&value),
        "account_review_update" => value.decision.as_ref().map(|decision| {
            HealthReport::Notice(sentence("Meta has reviewed the account", &[decision]))
        }),
        "security" => (!value.event.is_empty()).then(|| {
            let words = [value.event.as_str()];
            HealthReport::Notice(sentence("The security of the number has changed", &words))
        }),
        "business_status_update" => (!value.event.is_empty()).then(|| {
            let words = [value.event.as_str()];
            HealthReport::Notice(sentence("Meta has updated the business", &words))
        }),
        // Settings for calls and usernames of the business have no effect on messages.
        "account_settings_update" | "business_username_update" | "business_username_updates" => {
            return Ok(Readable::Nothing);
        }
        "account_alerts" => alert(&value),
        "phone_number_quality_update" => Some(quality(&value)),
        "phone_number_name_update" => value.decision.as_ref().map(|decision| {
            let name = value.requested_verified_name.as_deref().unwrap_or("");
            let why = value.rejection_reason.as_deref().filter(|it| *it != "NONE");
            let words = [name, decision, why.unwrap_or("")];
            HealthReport::Notice(sentence("Meta has decided on the number's name", &words))
        }),
        "business_capability_update" => Some(HealthReport::Rated(None, value.limit())),
        field => return Err(UnsupportedPart::unknown_field(field)),
    };
    // A Meta partner gets reports with the partner's own business id. The account's id is then in
    // `waba_info`.
    let waba_id = value.waba_info.as_ref().and_then(|it| it.waba_id.as_ref()).map(shape::text_of);
    let business = waba_id.or_else(|| business.map(shape::text_of_json)).unwrap_or_default();
    let business = ChannelRef::Theirs(business);
    let what = CallbackEventKind::Account {
        numbers: NumbersRef { business, phone_number },
        report: report.ok_or_else(unknown)?,
    };
    Ok(CallbackEvent { second: second_of_entry(time), what }.into())
}

impl AccountUpdateValue {
    /// Returns how many people the account may write to first in a day. Several fields can contain
    /// that limit.
    fn limit(&self) -> Option<String> {
        let found = self.current_limit.as_ref();
        let found = found.or(self.max_daily_conversations_per_business.as_ref());
        found.or(self.max_daily_conversation_per_phone.as_ref()).and_then(limit)
    }

    fn alert(&self) -> &AlertInfo {
        self.alert_info.as_ref().unwrap_or(&self.alert)
    }
}

/// Returns a sentence: `start`, followed by Meta's keywords.
fn sentence(start: &str, words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|it| !it.is_empty()).collect();
    if words.is_empty() { format!("{start}.") } else { format!("{start}: {}.", words.join(", ")) }
}

fn account_update(value: &AccountUpdateValue) -> Option<HealthReport> {
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
        "ACCOUNT_RESTRICTION" => Some(restriction(value)),
        "PARTNER_REMOVED" | "PARTNER_APP_UNINSTALLED" | "ACCOUNT_OFFBOARDED" => {
            let info = value.disconnection_info.as_ref();
            let by = info.and_then(|it| it.initiated_by.as_ref()).map(|it| format!("by {it}"));
            let why = info.and_then(|it| it.reason.as_deref()).unwrap_or("");
            let words = [value.event.as_str(), why, by.as_deref().unwrap_or("")];
            Some(HealthReport::Refused(
                HealthReason::Disconnected,
                sentence("The account is disconnected at Meta", &words),
            ))
        }
        "ACCOUNT_VIOLATION" => {
            let word = value.violation_info.as_ref().map_or("", |it| it.violation_type.as_str());
            restricted(
                HealthReason::PolicyViolation,
                sentence("Meta reports a violation of its policies", &[word]),
            )
        }
        "ACCOUNT_REINSTATED" | "ACCOUNT_RECONNECTED" => Some(HealthReport::Reinstated),
        "" => None,
        other => Some(HealthReport::Notice(sentence("Meta has updated the account", &[other]))),
    }
}

/// Restrictions that do not affect sending.
const NOT_OF_SENDING: [&str; 2] =
    ["RESTRICTED_ADD_PHONE_NUMBER_ACTION", "RESTRICTED_UTILITY_TEMPLATES"];
/// The suffix of restrictions that concern calls.
const CALLING: &str = "_CALLING";

/// Returns what a change says about restrictions. A restriction that does not affect sending is
/// only a notice. A warning of a violation, and the end of a restriction, have an empty list of
/// restrictions.
fn restriction(value: &AccountUpdateValue) -> HealthReport {
    let violation = value.violation_info.as_ref().map_or("", |it| it.violation_type.as_str());
    let all = &value.restriction_info;
    if all.is_empty() && (violation.ends_with("_UNBAN") || violation.ends_with("_RECOVERY")) {
        return HealthReport::RestrictionLifted;
    }
    if all.is_empty() && !violation.is_empty() {
        return HealthReport::Notice(sentence("Meta warns of a restriction", &[violation]));
    }
    let words: Vec<&str> = all.iter().map(|it| it.restriction_type.as_str()).collect();
    let message = sentence("Meta has restricted the account", &words);
    let is_of_sending = |it: &&RestrictionInfo| {
        let word = it.restriction_type.as_str();
        !NOT_OF_SENDING.contains(&word) && !word.contains(CALLING)
    };
    let of_sending: Vec<&RestrictionInfo> = all.iter().filter(is_of_sending).collect();
    if of_sending.is_empty() && !all.is_empty() {
        return HealthReport::Notice(message);
    }
    // The account is restricted until the last restriction ends. If one of them has no end, the
    // account's restriction has none.
    let ends: Option<Vec<i64>> =
        of_sending.iter().map(|it| second_of(it.expiration.as_ref()?)).collect();
    let until = ends.and_then(|it| it.into_iter().max()).map(Timestamp::from_seconds);
    HealthReport::Restricted(HealthReason::AccountRestricted, message, until)
}

/// Prefixes of alert types that do not affect sending, whatever their severity is: alerts about an
/// unchanged limit, the badge of an official account, and the profile picture.
const ALERTS_OF_NO_SENDING: [&str; 3] =
    ["INCREASED_CAPABILITIES_ELIGIBILITY_", "OBA_", "PROFILE_PICTURE_LOST"];

fn alert(value: &AccountUpdateValue) -> Option<HealthReport> {
    let value = value.alert();
    let kind = value.kind.as_deref()?;
    let message = match value.description.as_deref() {
        Some(description) if !description.is_empty() => description.to_owned(),
        _ => sentence("Meta has raised an alert", &[kind]),
    };
    if ALERTS_OF_NO_SENDING.iter().any(|it| kind.starts_with(it)) {
        return Some(HealthReport::Notice(message));
    }
    let is_active = value.status.as_deref().is_none_or(|it| it == "ACTIVE");
    Some(if is_active && value.severity.as_deref() == Some("CRITICAL") {
        HealthReport::Restricted(HealthReason::Alert, message, None)
    } else {
        HealthReport::Notice(message)
    })
}

fn quality(value: &AccountUpdateValue) -> HealthReport {
    let quality = match value.event.as_str() {
        "FLAGGED" => Some(AccountQuality::Low),
        "UNFLAGGED" => Some(AccountQuality::Ok),
        _ => None,
    };
    HealthReport::Rated(quality, value.limit())
}

/// Returns the limit as a keyword such as `TIER_1K`, or as a number. In Meta's format, -1 means
/// unlimited.
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
    use crate::callback::PartContent;
    use serde_json::json;

    fn read(field: &str, value: &Value) -> Result<(HealthReport, Option<PhoneNumber>), String> {
        let change = json!({"field": field, "value": value});
        let entry = json!({"id": "102290129340398", "time": 1_674_864_290, "changes": [change]});
        let callback = json!({"object": "whatsapp_business_account", "entry": [entry]});
        match parse(&callback.to_string()).remove(0).content {
            PartContent::Event(CallbackEvent {
                second: Some(1_674_864_290),
                what: CallbackEventKind::Account { numbers, report, .. },
            }) => {
                assert_eq!(numbers.business, ChannelRef::Theirs("102290129340398".to_owned()));
                Ok((report, numbers.phone_number))
            }
            PartContent::NotUnderstood(fault) => Err(fault.detail),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn refusals_and_limits_of_an_account_are_read() {
        let ban = |state: Value| {
            json!({
                "event": "DISABLED_UPDATE",
                "ban_info": {"waba_ban_state": state, "waba_ban_date": "Jul 26, 2026"},
            })
        };
        let reports = [
            (ban(json!("DISABLE")), "refused"),
            (ban(json!(["DISABLE"])), "refused"),
            (ban(json!("SCHEDULE_FOR_DISABLE")), "restricted"),
            (ban(json!(["REINSTATE"])), "reinstated"),
            (
                json!({
                    "event": "ACCOUNT_RESTRICTION",
                    "restriction_info": [
                        {"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiration": 1},
                    ],
                }),
                "restricted",
            ),
            (
                json!({
                    "event": "ACCOUNT_VIOLATION",
                    "violation_info": {"violation_type": "ADULT"},
                }),
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
    fn what_disconnects_an_account_says_why() {
        let info = json!({"reason": "CHANGE_NUMBER", "initiated_by": "USER"});
        for event in ["PARTNER_REMOVED", "PARTNER_APP_UNINSTALLED", "ACCOUNT_OFFBOARDED"] {
            let value = json!({"event": event, "disconnection_info": info});
            let (report, _) = read("account_update", &value).unwrap();
            let message =
                format!("The account is disconnected at Meta: {event}, CHANGE_NUMBER, by USER.");
            assert_eq!(report, HealthReport::Refused(HealthReason::Disconnected, message));
        }
        let (report, _) = read("account_update", &json!({"event": "PARTNER_REMOVED"})).unwrap();
        let message = "The account is disconnected at Meta: PARTNER_REMOVED.".to_owned();
        assert_eq!(report, HealthReport::Refused(HealthReason::Disconnected, message));
        let back = read("account_update", &json!({"event": "ACCOUNT_RECONNECTED"})).unwrap().0;
        assert_eq!(back, HealthReport::Reinstated);
    }

    #[test]
    fn a_report_to_a_partner_names_the_account() {
        let info = json!({"waba_id": "7", "owner_business_id": "8"});
        let value = json!({"event": "PARTNER_REMOVED", "waba_info": info});
        let change = json!({"field": "account_update", "value": value});
        let callback = json!({"entry": [{"id": "9", "changes": [change]}]});
        match parse(&callback.to_string()).remove(0).content {
            PartContent::Event(CallbackEvent {
                what: CallbackEventKind::Account { numbers, .. },
                ..
            }) => assert_eq!(numbers.business, ChannelRef::Theirs("7".to_owned())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_restricts_no_sending_is_a_notice() {
        let restricted = |types: &[&str]| {
            let info: Vec<Value> =
                types.iter().map(|it| json!({"restriction_type": it, "expiration": 5})).collect();
            let value = json!({"event": "ACCOUNT_RESTRICTION", "restriction_info": info});
            read("account_update", &value).unwrap().0
        };
        let (number, sending) =
            ("RESTRICTED_ADD_PHONE_NUMBER_ACTION", "RESTRICTED_BIZ_INITIATED_MESSAGING");
        for kinds in [
            &[number][..],
            &["RESTRICTED_UTILITY_TEMPLATES"],
            &["RESTRICTED_BUSINESS_INITIATED_CALLING", number],
            &["RESTRICTED_USER_INITIATED_CALLING_CALL_BUTTON_HIDDEN"],
        ] {
            assert!(matches!(restricted(kinds), HealthReport::Notice(_)), "{kinds:?}");
        }
        for kinds in [
            &[number, sending][..],
            &["RESTRICTED_CUSTOMER_INITIATED_MESSAGING"],
            &["RATE_LIMITED_UTILITY_TEMPLATE_MESSAGING"],
        ] {
            let until = Some(Timestamp::from_seconds(5));
            let report = restricted(kinds);
            assert!(matches!(report, HealthReport::Restricted(_, _, it) if it == until));
        }
        let violation = |kind: &str| {
            let info = json!({"violation_type": kind});
            let value = json!({"event": "ACCOUNT_RESTRICTION", "violation_info": info});
            read("account_update", &value).unwrap().0
        };
        assert!(matches!(violation("UTILITY_TEMPLATE_ABUSE"), HealthReport::Notice(_)));
        for end in ["UTILITY_TEMPLATE_ABUSE_UNBAN", "UTILITY_TEMPLATE_ABUSE_RATE_LIMIT_RECOVERY"] {
            assert_eq!(violation(end), HealthReport::RestrictionLifted);
        }
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
        let value = json!({
            "display_phone_number": "16505551111",
            "event": "FLAGGED",
            "current_limit": "TIER_1K",
        });
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
            let value = json!({
                "alert_severity": severity,
                "alert_status": "ACTIVE",
                "alert_type": "X",
                "alert_description": "Look here.",
            });
            read("account_alerts", &value).unwrap().0
        };
        let notice = "Look here.".to_owned();
        assert_eq!(alert("INFORMATIONAL"), HealthReport::Notice(notice.clone()));
        assert_eq!(alert("CRITICAL"), HealthReport::Restricted(HealthReason::Alert, notice, None));
        let value = json!({
            "display_phone_number": "16505551111",
            "decision": "REJECTED",
            "requested_verified_name": "Acme",
            "rejection_reason": "NAME_X",
        });
        assert!(matches!(
            read("phone_number_name_update", &value),
            Ok((HealthReport::Notice(_), _))
        ));
        for (kind, restricts) in [
            ("SOMETHING_SEVERE", true),
            ("OBA_REJECTED", false),
            ("PROFILE_PICTURE_LOST", false),
            ("INCREASED_CAPABILITIES_ELIGIBILITY_FAILED", false),
        ] {
            let info = json!({"alert_severity": "CRITICAL", "alert_type": kind});
            let (report, _) = read("account_alerts", &json!({"alert_info": info})).unwrap();
            assert_eq!(matches!(report, HealthReport::Restricted(..)), restricts, "{kind}");
        }
        let value = json!({
            "display_phone_number": "16505551111",
            "event": "THROUGHPUT_UPGRADE",
            "max_daily_conversations_per_business": "TIER_2K",
        });
        let (report, _) = read("phone_number_quality_update", &value).unwrap();
        assert_eq!(report, HealthReport::Rated(None, Some("TIER_2K".to_owned())));
        let (report, _) =
            read("business_capability_update", &json!({"max_phone_numbers_per_waba": 20})).unwrap();
        assert_eq!(report, HealthReport::Rated(None, None));
        for (field, value) in [
            ("account_review_update", json!({"decision": "APPROVED"})),
            ("security", json!({"display_phone_number": "16505551111", "event": "PIN_CHANGED"})),
        ] {
            let (report, _) = read(field, &value).unwrap();
            assert!(matches!(report, HealthReport::Notice(_)), "{field}");
        }
        assert!(read("account_mood_update", &json!({"event": "GLAD"})).is_err());
    }
}
