//! The recognition of contacts by phone number and user id.

use domain::contact::{
    Address, ChannelUserId, Identity, IdentityChange, KnownContact, MAX_NAME_LENGTH, OutboundMatch,
    RecognitionStep, UnmergeableContacts, match_change, match_message, match_status, may_teach,
    merge_by_hand, name, stays,
};
use domain::id::ContactId;
use domain::phone::PhoneNumber;
use domain::time::Timestamp;

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_800_000_000 + second)
}

fn number(last: u8) -> PhoneNumber {
    PhoneNumber::parse(&format!("+1202555{last:04}")).unwrap()
}

fn user(last: u8) -> ChannelUserId {
    ChannelUserId::parse(&format!("US.{last}")).unwrap()
}

fn identity(phone: Option<u8>, id: Option<u8>) -> Identity {
    Identity { phone_number: phone.map(number), user_id: id.map(user), ..Identity::default() }
}

/// Builds a contact that was created, identified and last wrote at second `since`.
fn known(place: u8, identity: Identity, since: i64) -> KnownContact {
    KnownContact {
        contact: ContactId::new(at(0), [place; 10]),
        identity,
        other_numbers: Vec::new(),
        has_edited_name: false,
        is_confirmed: true,
        messages: 1,
        since: at(since),
        identified_at: at(since),
        last_inbound_at: Some(at(since)),
    }
}

/// Returns each contact's identity after the steps.
fn after(known: &[KnownContact], steps: &[RecognitionStep]) -> Vec<Identity> {
    let of = |it: &KnownContact| {
        let updates = steps.iter().filter_map(|step| match step {
            RecognitionStep::Update(update) if update.contact == it.contact => {
                Some(update.after.clone())
            }
            _ => None,
        });
        updates.reduce(|_, later| later).unwrap_or_else(|| it.identity.clone())
    };
    known.iter().map(of).collect()
}

#[test]
fn an_address_is_a_number_or_a_user_id() {
    let (phone, id) = (Address::Phone(number(1)), Address::User(user(1)));
    assert_eq!(phone.phone_number(), Some(&number(1)));
    assert_eq!(phone.user_id(), None);
    assert_eq!(id.phone_number(), None);
    assert_eq!(id.user_id(), Some(&user(1)));
    assert_eq!(Identity::from_address(&phone), identity(Some(1), None));
    assert_eq!(Identity::from_address(&id), identity(None, Some(1)));
    assert_eq!(user(1).to_string(), "US.1");
}

#[test]
fn a_name_is_cut_after_what_cannot_be_shown_is_gone() {
    let spaced = " ".repeat(3 * MAX_NAME_LENGTH) + "Ada";
    assert_eq!(name(&spaced).as_deref(), Some("Ada"));
}

#[test]
fn a_merge_keeps_the_longer_or_else_the_older_conversation() {
    let one = known(1, identity(Some(1), None), 1);
    let longer = KnownContact { messages: 2, ..known(2, identity(Some(2), None), 5) };
    assert!(stays(&longer, &one) && !stays(&one, &longer));
    let later = known(3, identity(Some(3), None), 2);
    assert!(stays(&one, &later) && !stays(&later, &one));
    assert!(!stays(&one, &one), "nothing stays before itself");
}

#[test]
fn a_number_moves_to_a_contact_who_wrote_with_it_later() {
    let holder = known(1, identity(Some(1), Some(1)), 5);
    let new = identity(Some(1), Some(2));
    let judged = |second| match_message(std::slice::from_ref(&holder), &new, at(second));
    let holder_after =
        |steps: &[RecognitionStep]| after(std::slice::from_ref(&holder), steps).remove(0);
    // A message with the same time as the holder's last message moves the number to the new
    // contact,
    let moved = judged(5);
    assert_eq!(moved.person, None);
    assert_eq!(moved.new, new);
    assert_eq!(holder_after(&moved.steps), identity(None, Some(1)));
    // and an older message changes nothing.
    let late = judged(4);
    assert_eq!(late.person, None);
    assert_eq!(late.new, identity(None, Some(2)));
    assert_eq!(holder_after(&late.steps), identity(Some(1), Some(1)));
}

#[test]
fn a_number_and_a_user_id_that_were_two_contacts_become_one() {
    let (by_id, by_number) =
        (known(1, identity(None, Some(1)), 1), known(2, identity(Some(1), None), 5));
    let both = [by_id, by_number];
    let judged = match_message(&both, &identity(Some(1), Some(1)), at(5));
    assert!(
        matches!(judged.steps[..], [RecognitionStep::Merge { .. }, RecognitionStep::Update(_)]),
        "{judged:?}"
    );
    // A message from before the number was assigned does not merge the two.
    let late = match_message(&both, &identity(Some(1), Some(1)), at(4));
    assert_eq!(late.steps, [], "{late:?}");
}

#[test]
fn a_report_may_add_unknown_identifiers() {
    let both = identity(Some(1), Some(1));
    for known in [
        identity(Some(1), None),
        identity(None, Some(1)),
        identity(Some(2), None),
        identity(Some(2), Some(1)),
    ] {
        assert!(may_teach(&known, &both), "{known:?}");
    }
    for (known, said) in [
        (both.clone(), both.clone()),
        (both.clone(), identity(Some(1), None)),
        (both.clone(), identity(None, Some(1))),
        (identity(Some(1), None), identity(Some(1), None)),
        (identity(None, Some(2)), both.clone()),
        (identity(Some(1), Some(2)), both.clone()),
        (identity(None, None), both),
    ] {
        assert!(!may_teach(&known, &said), "{known:?} {said:?}");
    }
}

/// Another form of a number: the same last seven digits after another prefix.
fn form_of(number: &PhoneNumber) -> PhoneNumber {
    let digits = number.digits();
    PhoneNumber::parse(&format!("+1305{}", &digits[digits.len() - 7..])).unwrap()
}

#[test]
fn a_report_names_the_number_that_the_message_went_to() {
    let person = known(1, identity(Some(1), None), 5);
    let all = std::slice::from_ref(&person);
    let learned = |said: &Identity, sent: &OutboundMatch| {
        let judged = match_status(all, person.contact, said, sent, at(9));
        after(all, &judged.steps)[0].clone()
    };
    let other = identity(Some(2), None);
    let form = Identity { phone_number: Some(form_of(&number(1))), ..identity(None, None) };
    // A message that was accepted when the contact already had the number teaches another form of
    // it, and no unrelated number.
    assert_eq!(learned(&form, &OutboundMatch::At(at(5))), form);
    assert_eq!(learned(&form, &OutboundMatch::At(at(4))), person.identity);
    assert_eq!(learned(&other, &OutboundMatch::At(at(5))), person.identity);
    // The answer to a message that was sent to that number teaches any number.
    assert_eq!(learned(&other, &OutboundMatch::To(Address::Phone(number(1)))), other);
    assert_eq!(learned(&other, &OutboundMatch::To(Address::Phone(number(3)))), person.identity);
    assert_eq!(learned(&other, &OutboundMatch::To(Address::User(user(1)))), person.identity);
    // Of two contacts, the later `identified_at` decides whether the report is recent enough.
    let twin = known(2, form.clone(), 7);
    let both = [person.clone(), twin];
    let judged =
        |second| match_status(&both, person.contact, &form, &OutboundMatch::At(at(5)), at(second));
    assert!(matches!(
        judged(7).steps[..],
        [RecognitionStep::Merge { .. }, RecognitionStep::Update(_)]
    ));
    assert_eq!(judged(6).steps, []);
}

#[test]
fn a_changed_number_moves_unless_its_holder_was_seen_later() {
    let change = IdentityChange { from: identity(None, Some(1)), to: identity(Some(2), Some(1)) };
    let judged = |seen| {
        let all =
            [known(1, identity(Some(1), Some(1)), 1), known(2, identity(Some(2), Some(2)), seen)];
        let judgement = match_change(&all, &change, at(5));
        after(&all, &judgement.steps)
    };
    assert_eq!(judged(5), [identity(Some(2), Some(1)), identity(None, Some(2))]);
    assert_eq!(judged(6), [identity(None, Some(1)), identity(Some(2), Some(2))]);
}

#[test]
fn a_later_message_with_the_new_user_id_keeps_its_number() {
    let change = IdentityChange { from: identity(None, Some(1)), to: identity(None, Some(2)) };
    let judged = |seen| {
        let all =
            [known(1, identity(Some(1), Some(1)), 1), known(2, identity(Some(2), Some(2)), seen)];
        let judgement = match_change(&all, &change, at(5));
        assert!(matches!(judgement.steps[0], RecognitionStep::Merge { .. }));
        after(&all, &judgement.steps)
    };
    let number = |identities: Vec<Identity>| identities[0].phone_number.clone();
    assert_eq!(number(judged(6)), Some(self::number(2)));
    assert_eq!(number(judged(5)), Some(self::number(1)));
    assert_eq!(number(judged(4)), Some(self::number(1)));
}

#[test]
fn the_latest_message_sets_the_parent_user_id() {
    let parent = |last| Identity { parent_user_id: Some(user(last)), ..identity(None, Some(1)) };
    let judged = |second| {
        let all = [known(1, parent(1), 5)];
        let judged = match_message(&all, &parent(2), at(second));
        after(&all, &judged.steps)[0].parent_user_id.clone()
    };
    assert_eq!(judged(5), Some(user(2)));
    assert_eq!(judged(4), Some(user(1)));
}

#[test]
fn a_late_message_does_not_replace_a_newer_number() {
    // A contact whose number is newer than the message keeps that number,
    let late = |phone, second| {
        let all = [known(1, identity(phone, Some(1)), 5)];
        let judged = match_message(&all, &identity(Some(2), Some(1)), at(second));
        after(&all, &judged.steps)[0].phone_number.clone()
    };
    assert_eq!(late(Some(1), 4), Some(number(1)));
    assert_eq!(late(None, 4), None, "nor is one learned from before");
    // and a contact whose last message is not newer gets the number of this message.
    assert_eq!(late(Some(1), 5), Some(number(2)));
    let answered = KnownContact { identified_at: at(1), ..known(1, identity(Some(1), Some(1)), 5) };
    let judged = match_message(std::slice::from_ref(&answered), &identity(Some(2), Some(1)), at(4));
    assert_eq!(judged.steps, [], "it wrote with the first one since");
}

#[test]
fn an_address_has_the_time_of_its_last_confirmation() {
    let all = [known(1, identity(Some(1), None), 5)];
    let updated = |said: Identity| {
        let judged = match_message(&all, &said, at(9));
        match &judged.steps[..] {
            [RecognitionStep::Update(update)] => update.identified_at,
            other => panic!("{other:?}"),
        }
    };
    let named = Identity { name: Some("Ada".into()), ..identity(Some(1), None) };
    assert_eq!(updated(named), at(5), "a name says nothing of addresses");
    assert_eq!(updated(identity(Some(1), Some(1))), at(9));
}

#[test]
fn the_latest_message_sets_names_and_others_fill_gaps() {
    let named = |name: &str, second| {
        let known = KnownContact {
            identified_at: at(1),
            ..known(1, Identity { name: Some("Ada".into()), ..identity(None, Some(1)) }, 5)
        };
        let said = Identity {
            name: Some(name.into()),
            username: Some("ada".into()),
            ..identity(None, Some(1))
        };
        let all = [known];
        let judged = match_message(&all, &said, at(second));
        after(&all, &judged.steps).remove(0)
    };
    let latest = named("Countess", 5);
    assert_eq!(latest.name.as_deref(), Some("Countess"));
    assert_eq!(latest.username.as_deref(), Some("ada"));
    let earlier = named("Countess", 4);
    assert_eq!(earlier.name.as_deref(), Some("Ada"));
    assert_eq!(earlier.username.as_deref(), Some("ada"));
}

#[test]
fn two_contacts_are_merged_by_hand_unless_the_channel_knows_two_people() {
    // Given two contacts with a number each, one with a user id,
    let (kept, merged) =
        (known(1, identity(Some(1), None), 1), known(2, identity(Some(2), Some(7)), 2));
    let result = merge_by_hand(&kept, &merged, at(3)).unwrap();
    // then the one that stays has both, and both numbers lead to it.
    let expected = Identity { user_id: Some(user(7)), ..identity(Some(1), None) };
    assert_eq!(after(&[kept.clone(), merged.clone()], &result.steps)[0], expected);
    let merge = RecognitionStep::Merge { kept: kept.contact, merged: merged.contact };
    assert_eq!(result.steps[0], merge);
    let RecognitionStep::Update(update) = &result.steps[1] else { panic!("{result:?}") };
    assert_eq!(update.joins, [number(2)]);
    // A contact is not merged with itself, nor with one of another user id.
    assert_eq!(merge_by_hand(&kept, &kept, at(3)), Err(UnmergeableContacts::Same));
    let other = known(3, identity(Some(3), Some(8)), 3);
    assert_eq!(merge_by_hand(&merged, &other, at(4)), Err(UnmergeableContacts::OtherPerson));
}

#[test]
fn the_channels_name_does_not_replace_an_edited_one() {
    let named = |name: &str| Identity { name: Some(name.to_owned()), ..identity(Some(1), None) };
    let edited = KnownContact { has_edited_name: true, ..known(1, named("Ada L."), 1) };
    assert!(match_message(&[edited], &named("ada"), at(5)).steps.is_empty());
    let found = match_message(&[known(1, named("Ada L."), 1)], &named("ada"), at(5));
    assert_eq!(found.steps.len(), 1);
}
