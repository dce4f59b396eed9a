use super::*;

const TOKEN: HealthReason = HealthReason::TokenRefused;
const COUNTRY: HealthReason = HealthReason::CountryRestricted;

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(second)
}

fn refused(reason: HealthReason) -> HealthReport {
    HealthReport::Refused(reason, "No".to_owned())
}

fn failed(reason: HealthReason) -> HealthReport {
    HealthReport::FailedLater(reason, "No".to_owned())
}

fn restricted(reason: HealthReason, until: Option<i64>) -> HealthReport {
    HealthReport::Restricted(reason, "Some".to_owned(), until.map(at))
}

/// Checks what the API and the pages show of an account's health.
#[track_caller]
fn has_state(
    summary: &HealthSummary,
    state: HealthState,
    reason: Option<HealthReason>,
    since: Timestamp,
) {
    assert_eq!(summary.state, state);
    assert_eq!(summary.reason, reason);
    assert_eq!(summary.since, Some(since));
}

#[test]
fn a_number_is_held_until_something_gets_through() {
    let held = AccountHealth::UNKNOWN.after(refused(TOKEN), at(1)).unwrap();
    has_state(&held.at(at(1)), HealthState::Held, Some(TOKEN), at(1));
    let again = HealthReport::Refused(TOKEN, "Another minute".to_owned());
    assert_eq!(held.after(again, at(2)), None, "a repeat changes nothing");
    assert_eq!(held.after(HealthReport::Sent, at(9)), None);
    let other = held.after(refused(HealthReason::AccountLocked), at(2)).unwrap();
    let locked = Some(HealthReason::AccountLocked);
    has_state(&other.at(at(2)), HealthState::Held, locked, at(1));
    let well = held.after(HealthReport::Answered, at(3)).unwrap();
    has_state(&well.at(at(3)), HealthState::Ok, None, at(3));
    assert_eq!(well.at(at(3)).message, None);
    assert_eq!(well.after(HealthReport::Answered, at(4)), None);
}

#[test]
fn why_an_account_was_disconnected_stays_known() {
    let said = "The account is disconnected at Meta: PARTNER_REMOVED, CHANGE_NUMBER.".to_owned();
    let disconnected = HealthReport::Refused(HealthReason::Disconnected, said.clone());
    let held = AccountHealth::UNKNOWN.after(disconnected, at(1)).unwrap();
    for reason in [TOKEN, HealthReason::PermissionMissing, HealthReason::NotRegistered] {
        assert_eq!(held.after(refused(reason), at(2)), None, "{reason}");
    }
    assert_eq!(held.at(at(2)).message, Some(said));
    let disabled = held.after(refused(HealthReason::AccountDisabled), at(2)).unwrap();
    assert_eq!(disabled.at(at(2)).reason, Some(HealthReason::AccountDisabled));
    let well = held.after(HealthReport::Reinstated, at(3)).unwrap();
    has_state(&well.at(at(3)), HealthState::Ok, None, at(3));
}

#[test]
fn an_operator_ends_a_notice() {
    let notice = HealthReport::Notice("Look here.".to_owned());
    let told = AccountHealth::UNKNOWN.after(notice, at(1)).unwrap();
    let well = told.after(HealthReport::Reconnected, at(2)).unwrap();
    assert_eq!(well.at(at(2)).message, None);
    assert_eq!(well.at(at(2)).since, None);
    assert_eq!(well.after(HealthReport::Reconnected, at(3)), None);
}

#[test]
fn a_restriction_is_lifted_alone() {
    let reason = HealthReason::AccountRestricted;
    let limited = AccountHealth::UNKNOWN.after(restricted(reason, None), at(1)).unwrap();
    let held = limited.after(refused(HealthReason::AccountDisabled), at(2)).unwrap();
    let lifted = held.after(HealthReport::RestrictionLifted, at(3)).unwrap();
    assert_eq!(lifted.at(at(3)).state, HealthState::Held);
    assert_eq!(lifted.restriction, None);
    let alert = AccountHealth::UNKNOWN.after(restricted(HealthReason::Alert, None), at(1)).unwrap();
    assert_eq!(alert.after(HealthReport::RestrictionLifted, at(2)), None);
}

#[test]
fn held_and_restricted_are_two_things() {
    let both = AccountHealth::UNKNOWN.after(restricted(HealthReason::Alert, None), at(1)).unwrap();
    let both = both.after(refused(TOKEN), at(2)).unwrap();
    has_state(&both.at(at(2)), HealthState::Held, Some(TOKEN), at(2));
    let limited = both.after(HealthReport::Answered, at(3)).unwrap();
    let alert = Some(HealthReason::Alert);
    has_state(&limited.at(at(3)), HealthState::Restricted, alert, at(1));
    let held = AccountHealth::UNKNOWN.after(refused(TOKEN), at(1)).unwrap();
    assert!(held.after(restricted(HealthReason::Alert, None), at(2)).unwrap().hold.is_some());
    let well = both.after(HealthReport::Reconnected, at(4)).unwrap();
    has_state(&well.at(at(4)), HealthState::Ok, None, at(4));
}

#[test]
fn a_restriction_ends_in_its_time() {
    let reason = HealthReason::AccountRestricted;
    assert_eq!(
        AccountHealth::UNKNOWN.after(restricted(reason, Some(5)), at(5)),
        None,
        "it is over"
    );
    let limited = AccountHealth::UNKNOWN.after(restricted(reason, Some(5)), at(1)).unwrap();
    assert_eq!(limited.after(HealthReport::RestrictionEnded, at(4)), None);
    assert_eq!(limited.at(at(4)).state, HealthState::Restricted);
    has_state(&limited.at(at(6)), HealthState::Ok, None, at(5));
    let over = limited.after(HealthReport::RestrictionEnded, at(6)).unwrap();
    has_state(&over.at(at(6)), HealthState::Ok, None, at(5));
    assert_eq!(over.restriction, None);
    let longer = limited.after(restricted(reason, Some(9)), at(3)).unwrap();
    has_state(&longer.at(at(6)), HealthState::Restricted, Some(reason), at(1));
}

#[test]
fn what_the_channel_takes_back_is_what_it_did() {
    let reinstated = HealthReport::Reinstated;
    let held = AccountHealth::UNKNOWN.after(refused(TOKEN), at(1)).unwrap();
    assert_eq!(held.after(reinstated.clone(), at(2)), None);
    let alert = AccountHealth::UNKNOWN.after(restricted(HealthReason::Alert, None), at(1)).unwrap();
    assert_eq!(alert.after(reinstated.clone(), at(2)), None);
    for reason in [HealthReason::AccountDisabled, HealthReason::AccountLocked] {
        let held = AccountHealth::UNKNOWN.after(refused(reason), at(1)).unwrap();
        assert_eq!(held.after(reinstated.clone(), at(2)).unwrap().at(at(2)).state, HealthState::Ok);
        let limited = AccountHealth::UNKNOWN.after(restricted(reason, None), at(1)).unwrap();
        assert_eq!(limited.after(reinstated.clone(), at(2)).unwrap().restriction, None);
    }
}

#[test]
fn a_country_holds_a_number_once() {
    let held = AccountHealth::UNKNOWN.after(refused(COUNTRY), at(1)).unwrap();
    let limited = held.after(HealthReport::Answered, at(2)).unwrap();
    has_state(&limited.at(at(2)), HealthState::Restricted, Some(COUNTRY), at(2));
    assert_eq!(limited.after(refused(COUNTRY), at(3)), None);
    assert!(limited.after(refused(TOKEN), at(3)).is_some());
    let a_day_later = at(2).plus(COUNTRY_RESTRICTION);
    assert!(limited.after(refused(COUNTRY), a_day_later).is_some());
    assert_eq!(AccountHealth::UNKNOWN.after(failed(COUNTRY), at(1)), None);
}

#[test]
fn what_failed_after_it_was_taken_is_over_once_one_is_sent() {
    let unpaid = HealthReason::PaymentRequired;
    let held = AccountHealth::UNKNOWN.after(failed(unpaid), at(10)).unwrap();
    assert_eq!(held.after(HealthReport::Answered, at(20)), None, "being taken proves nothing");
    assert_eq!(held.after(HealthReport::Sent, at(10)), None, "it may have been before");
    let well = held.after(HealthReport::Sent, at(20)).unwrap();
    has_state(&well.at(at(20)), HealthState::Ok, None, at(20));
    assert_eq!(well.after(failed(unpaid), at(15)), None, "late");
    assert!(well.after(failed(unpaid), at(21)).is_some());
    let refused = AccountHealth::UNKNOWN.after(refused(TOKEN), at(1)).unwrap();
    assert_eq!(refused.after(failed(unpaid), at(2)), None);
}

#[test]
fn quality_and_limit_are_kept_apart_from_the_state() {
    let rated = HealthReport::Rated(Some(AccountQuality::Low), None);
    let low = AccountHealth::UNKNOWN.after(rated.clone(), at(1)).unwrap();
    assert_eq!(low.quality, Some(AccountQuality::Low));
    assert_eq!(low.at(at(1)).state, HealthState::Ok);
    assert_eq!(low.after(rated, at(1)), None);
    let limit = HealthReport::Rated(None, Some("TIER_1K".to_owned()));
    let limited = low.after(limit, at(1)).unwrap();
    let limit = limited.limit.as_deref();
    assert_eq!(limited.quality, Some(AccountQuality::Low));
    assert_eq!(limit, Some("TIER_1K"));
    let notice = HealthReport::Notice("x\0".repeat(500));
    let noted = limited.after(notice.clone(), at(1)).unwrap();
    assert_eq!(noted.notice.unwrap(), "x\u{fffd}".repeat(250));
    let held = limited.after(refused(TOKEN), at(1)).unwrap();
    assert_eq!(held.after(notice, at(2)), None, "it says why it is held");
}
