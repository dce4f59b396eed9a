//! Small rules: keywords, names, merged changes, and message revisions.

use super::*;
use domain::application::{
    InvalidTerms, MAX_DESCRIPTION_LENGTH, MAX_REDIRECT_URIS, Terms, TermsFault, TermsInput,
    description,
};
use domain::callback::next_lookup_of_changed;
use domain::contact::Preference;
use domain::content::MediaContent;
use domain::content::MediaInput;
use domain::emoji::is_one_emoji;
use domain::event::EventKind;
use domain::event::NewEvent;
use domain::id::OrganizationId;
use domain::keyword::Keyword;
use domain::media::MediaKind;
use domain::name::Name;
use domain::plan::{Meter, Usage};
use domain::revision::{MAX_VERSIONS, Revisions, Version};
use domain::scope::Scope;
use domain::template::{
    Category, Language, RejectionReason, Review, TemplateName, TemplateStatus, Verdict,
};
use domain::time::Timestamp;
use domain::violation::Fault;
use domain::webhook::{DisabledReason, EndpointUrl};

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(second)
}

#[test]
fn descriptions_are_distinct_and_end_like_sentences() {
    fn differ(texts: &[&str]) {
        let distinct: std::collections::BTreeSet<_> =
            texts.iter().filter(|it| it.len() > 10).collect();
        assert_eq!(distinct.len(), texts.len(), "{texts:?}");
    }
    let events: Vec<_> = EventKind::ALL.iter().map(|it| it.plain_description()).collect();
    assert!(events.iter().all(|it| it.ends_with('.')));
    differ(&events);
    differ(&Scope::ALL.iter().map(|it| it.plain_description()).collect::<Vec<_>>());
    differ(&Scope::ALL.iter().map(|it| it.developer_description()).collect::<Vec<_>>());
    differ(&DisabledReason::ALL.iter().map(|it| it.plain_description()).collect::<Vec<_>>());
    assert_eq!(Category::listed(), "utility, marketing, authentication");
}

#[test]
fn each_status_of_a_template_but_a_draft_has_an_event() {
    let events: Vec<_> =
        TemplateStatus::ALL.iter().filter_map(|it| EventKind::from_template_status(*it)).collect();
    assert_eq!(events.len(), TemplateStatus::ALL.len() - 1);
    assert_eq!(EventKind::from_template_status(TemplateStatus::Draft), None);
    assert_eq!(
        EventKind::from_template_status(TemplateStatus::Paused),
        Some(EventKind::TemplatePaused)
    );
}

#[test]
fn names_are_written_as_they_were_read() {
    let name = read(|it| TemplateName::parse(&AT, Some("order_1"), it)).unwrap();
    assert_eq!(name.as_str(), "order_1");
    assert_eq!(name.to_string().as_str(), "order_1");
    let language = read(|it| Language::parse(&AT, Some("en_US"), it)).unwrap();
    assert_eq!(language.as_str(), "en_US");
    assert_eq!(language.to_string().as_str(), "en_US");
    let endpoint = EndpointUrl::parse(" https://a.example/hook ").unwrap();
    assert_eq!(endpoint.as_str(), "https://a.example/hook");
}

#[test]
fn a_description_has_200_characters_at_most() {
    let text = "ab ".repeat(66) + "ab";
    assert_eq!(text.len(), MAX_DESCRIPTION_LENGTH);
    assert_eq!(description(&text), Ok(Some(text.clone())));
    assert!(description(&format!("{text}a")).is_err());
}

#[test]
fn a_description_is_one_line() {
    let one_line = Ok(Some("Answers customers. At night.".to_owned()));
    assert_eq!(description(" Answers  customers.\nAt\u{2028}night.\r\n"), one_line);
    assert_eq!(description(" \n "), Ok(None));
}

#[test]
fn an_emoji_has_twenty_characters_at_most() {
    let joined = |count: usize| vec!["👍🏽"; count].join("\u{200d}");
    assert_eq!(joined(7).chars().count(), 20);
    assert!(is_one_emoji(&joined(7)));
    assert!(!is_one_emoji(&(joined(6) + "\u{200d}👍🏽\u{fe0f}\u{fe0f}")));
    assert!(!is_one_emoji("a\u{fe0f}\u{20e3}"), "no letter is a keycap");
    assert!(is_one_emoji("1\u{fe0f}\u{20e3}"));
    assert!(!is_one_emoji("🇩a"), "half a flag");
}

#[test]
fn only_a_document_has_a_name_and_only_sound_a_voice() {
    let of = |kind, voice| {
        let url = Some("https://a.example/f");
        let input = MediaInput { url, kind: Some(kind), voice, ..MediaInput::default() };
        read(|it| MediaContent::parse(input, it))
    };
    assert!(of("audio", Some(true)).unwrap().voice);
    assert!(!of("audio", Some(false)).unwrap().voice);
    assert_eq!(of("image", None).unwrap().kind, MediaKind::Image);
    assert_eq!(of("image", Some(true)).unwrap_err(), "voice not_allowed");
}

#[test]
fn joined_preferences_keep_the_latest_choice() {
    let out = Preference::default().after(false, at(5)).unwrap();
    let back = out.after(true, at(7)).unwrap();
    assert_eq!(out.joined(back), back);
    assert_eq!(back.joined(out), back);
    assert_eq!(out.joined(Preference::default()), out);
    let (one, other) = (
        Preference { opted_out_at: Some(at(1)), ..out },
        Preference { opted_out_at: Some(at(2)), ..out },
    );
    assert_eq!(one.joined(other), one, "of equals the first");
}

#[test]
fn a_message_keeps_what_it_said() {
    let version = |text: &str, second, change: Option<&str>| Version {
        content: text.to_owned(),
        written_at: at(second),
        noted_at: at(second),
        change: change.map(str::to_owned),
    };
    assert_eq!(Revisions::<String>::stored(Vec::new(), None), None);
    let mut kept = Revisions::stored(vec![version("a", 1, None)], None).unwrap();
    assert!(kept.edit(version("b", 2, Some("1"))));
    assert!(!kept.edit(version("c", 3, Some("1"))), "the same change again");
    assert!(kept.edit(version("c", 3, Some("2"))));
    kept.map(|it| it.push('!'));
    let told: Vec<_> = kept.versions().iter().map(|it| it.content.as_str()).collect();
    assert_eq!(told, ["a!", "b!", "c!"]);
    // With the maximum number of versions, one that is older than all others is dropped, and a
    // newer one is kept.
    for second in 10..i64::try_from(MAX_VERSIONS).unwrap() + 7 {
        assert!(kept.edit(version("d", second, Some(&second.to_string()))), "{second}");
    }
    assert_eq!(kept.versions().len(), MAX_VERSIONS);
    assert!(!kept.edit(version("e", 1, Some("late"))));
    assert!(kept.edit(version("f", 100, Some("new"))));
}

#[test]
fn a_rejection_says_why_until_the_next_verdict() {
    let rejected = Verdict::Rejected {
        reason: Some(RejectionReason::InvalidFormat),
        detail: Some("No.".into()),
    };
    let pending = Review::draft().after(&Verdict::Pending, at(1), None).unwrap();
    let review = pending.after(&rejected, at(2), Some(at(1))).unwrap();
    assert_eq!(review.rejection_reason, Some(RejectionReason::InvalidFormat));
    assert_eq!(review.rejection_detail.as_deref(), Some("No."));
    let again = review.after(&Verdict::Pending, at(3), Some(at(2))).unwrap();
    assert_eq!(again.rejection_reason, None);
    assert_eq!(again.rejection_detail, None);
}

#[test]
fn an_application_has_one_to_ten_redirect_addresses() {
    let of = |count: usize| {
        let redirect_uris: Vec<String> =
            (0..count).map(|it| format!("https://a.example/{it}")).collect();
        let scopes = [Scope::MediaWrite].into_iter().collect();
        let written = TermsInput {
            name: "Shop",
            redirect_uris: &redirect_uris,
            scopes,
            description: "",
            start_url: "",
        };
        Terms::parse(written).map(|it| it.redirect_uris.len())
    };
    assert_eq!(of(1), Ok(1));
    assert_eq!(of(MAX_REDIRECT_URIS), Ok(MAX_REDIRECT_URIS));
    let wrong = Err(InvalidTerms(vec![TermsFault::HowManyRedirectUris]));
    assert_eq!(of(0), wrong);
    assert_eq!(of(MAX_REDIRECT_URIS + 1), wrong);
}

#[test]
fn a_name_has_four_marks_on_a_character() {
    assert!(Name::parse("a\u{300}\u{301}\u{302}\u{303}").is_ok());
    assert!(Name::parse("a\u{300}\u{301}\u{302}\u{303}\u{304}").is_err());
}

#[test]
fn a_message_that_was_changed_is_looked_for_for_a_day() {
    let day = std::time::Duration::from_hours(24);
    let last = at(0).plus(day).minus(std::time::Duration::from_micros(1));
    assert!(next_lookup_of_changed(at(0), 1, last).is_some());
    assert_eq!(next_lookup_of_changed(at(0), 1, at(0).plus(day)), None);
}

#[test]
fn the_event_of_a_limit_is_about_the_organization() {
    let organization = OrganizationId::new(at(0), [3; 10]);
    let usage = Usage { used: 5, limit: Some(5), resets_at: at(9) };
    let event = NewEvent::for_limit(organization, Meter::Messages, usage, at(1));
    assert_eq!(event.subject(), *organization.uuid());
}

#[test]
fn violations_can_be_appended() {
    let (mut faults, mut others) = (Violations::default(), Violations::default());
    faults.add(&AT, Fault::Empty, "");
    others.add(&AT, Fault::TooLong, "");
    faults.append(others);
    assert_eq!(faults.len(), 2);
    assert_eq!(read(|it| Some(it.optional_text(&AT, Some("yes"), 3))), Ok(Some("yes".to_owned())));
    assert_eq!(read(|it| Some(it.optional_text(&AT, None, 3))), Ok(None));
}
