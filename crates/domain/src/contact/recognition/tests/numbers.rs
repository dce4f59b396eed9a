//! People with several numbers.

use super::*;
use proptest::prelude::*;

/// One person's number in two forms: as the business writes it, and as the channel writes it.
const WRITTEN: &str = "+5511987654321";
const OF_CHANNEL: &str = "+551187654321";

fn parsed(text: &str) -> PhoneNumber {
    PhoneNumber::parse(text).unwrap()
}

fn named(number: &str, id: Option<u8>) -> Identity {
    Identity { phone_number: Some(parsed(number)), user_id: id.map(user), ..Identity::default() }
}

fn sent_to(number: &str) -> OutboundMatch {
    OutboundMatch::To(Address::Phone(parsed(number)))
}

#[test]
fn what_the_channel_calls_the_number_is_the_persons_too() {
    let mut contacts = ContactStore::default();
    let person = contacts.add(said(Some(1), None), second(1));
    // A message is sent to a number that the channel writes in another form, and is reported.
    let to = OutboundMatch::To(Address::Phone(number(1)));
    contacts.report(person, &said(Some(2), None), &to, second(2));
    // The contact's number is now in the channel's form, both forms lead to the contact, and a
    // repeated report changes nothing.
    assert_eq!(contacts.identity(person), &said(Some(2), None));
    assert_eq!(contacts.report(person, &said(Some(2), None), &to, second(3)).steps, []);
    assert_eq!(contacts.write(1, &said(Some(2), Some(1)), second(4)), person);
    assert_eq!(contacts.write(1, &said(Some(1), None), second(5)), person);
    // If only the time of a message is known, a report proves another form of the number only if
    // the message was accepted after the contact was identified and the last seven digits are the
    // same.
    let other = contacts.add(said(Some(3), None), second(6));
    let late = OutboundMatch::At(second(5));
    assert_eq!(contacts.report(other, &said(Some(4), None), &late, second(7)).steps, []);
    let sent = OutboundMatch::At(second(6));
    let form = Identity { user_id: Some(user(4)), ..named("+13055550003", None) };
    contacts.report(other, &form, &sent, second(7));
    assert_eq!(contacts.identity(other), &form);
}

#[test]
fn a_status_that_names_an_unrelated_number_joins_nobody() {
    // The reports about messages to two contacts name the same third number for both.
    let mut contacts = ContactStore::default();
    let one = contacts.add(said(Some(1), None), second(1));
    let other = contacts.add(said(Some(2), None), second(1));
    for contact in [one, other] {
        let status = said(Some(9), None);
        assert_eq!(
            contacts.report(contact, &status, &OutboundMatch::At(second(2)), second(3)).steps,
            []
        );
    }
    // The two contacts are not merged.
    assert_eq!(contacts.all.len(), 2);
}

#[test]
fn an_answer_about_a_number_that_is_somebody_elses_by_now_teaches_nothing() {
    let mut contacts = ContactStore::default();
    let alice = contacts.write(1, &said(Some(1), Some(1)), second(1));
    let bob = contacts.write(2, &said(Some(1), Some(2)), second(2));
    let to = OutboundMatch::To(Address::Phone(number(1)));
    assert_eq!(contacts.report(alice, &said(Some(5), None), &to, second(3)).steps, []);
    contacts.report(bob, &said(Some(5), None), &to, second(3));
    assert_eq!(contacts.identity(bob), &said(Some(5), Some(2)));
}

#[test]
fn two_contacts_of_two_forms_are_merged_at_the_first_proof() {
    for by_status in [false, true] {
        let mut contacts = ContactStore::default();
        let written = contacts.add(named(WRITTEN, None), second(1));
        let wrote = contacts.write(
            1,
            &Identity { user_id: Some(user(1)), ..named(OF_CHANNEL, None) },
            second(2),
        );
        // The contact was found by the other form of its number, because the channel had not
        // confirmed the number. Below, the channel confirms its form first, so the other form does
        // not find the contact.
        assert_eq!(written, wrote, "the rule proposes it");
        let mut contacts = ContactStore::default();
        let wrote = contacts.write(1, &named(OF_CHANNEL, Some(1)), second(1));
        let written = contacts.add(named(WRITTEN, None), second(2));
        assert_ne!(written, wrote);
        let sent = if by_status { OutboundMatch::At(second(2)) } else { sent_to(WRITTEN) };
        contacts.report(written, &named(OF_CHANNEL, None), &sent, second(3));
        assert_eq!(contacts.all.len(), 1);
        let kept = contacts.living(written);
        assert_eq!(contacts.identity(kept), &named(OF_CHANNEL, Some(1)));
        for number in [WRITTEN, OF_CHANNEL] {
            assert_eq!(contacts.write(1, &named(number, None), second(4)), kept);
        }
    }
}

#[test]
fn a_form_proposes_until_the_channel_decides() {
    // The channel has not yet confirmed the number of this contact.
    let mut contacts = ContactStore::default();
    let person = contacts.add(named(WRITTEN, None), second(1));
    // The channel reports the other form of the number, so that form is the same person's.
    assert_eq!(contacts.write(1, &named(OF_CHANNEL, None), second(2)), person);
    assert_eq!(contacts.identity(person), &named(OF_CHANNEL, None));
    // The channel confirms the number in a report. The other form of it then belongs to somebody
    // else.
    let mut contacts = ContactStore::default();
    let person = contacts.add(named(WRITTEN, None), second(1));
    let said = named(WRITTEN, None);
    assert_ne!(contacts.report(person, &said, &sent_to(WRITTEN), second(2)).steps, []);
    assert_eq!(contacts.report(person, &said, &sent_to(WRITTEN), second(3)).steps, []);
    assert_ne!(contacts.write(2, &named(OF_CHANNEL, None), second(4)), person);
    // The other form also belongs to somebody else if the person wrote from the number, or if
    // another user id is reported with the other form.
    let mut contacts = ContactStore::default();
    let one = contacts.write(1, &named(WRITTEN, None), second(1));
    assert_ne!(contacts.write(2, &named(OF_CHANNEL, None), second(2)), one);
    let mut contacts = ContactStore::default();
    let one = contacts.add(named(WRITTEN, Some(1)), second(1));
    assert_ne!(contacts.write(2, &named(OF_CHANNEL, Some(2)), second(2)), one);
    assert_eq!(contacts.identity(one), &named(WRITTEN, Some(1)), "it loses nothing");
}

#[test]
fn a_number_joins_and_the_one_before_leads_there_still() {
    let mut contacts = ContactStore::default();
    let person = contacts.write(1, &said(Some(1), Some(1)), second(1));
    contacts.write(1, &said(Some(2), Some(1)), second(2));
    assert_eq!(contacts.identity(person), &said(Some(2), Some(1)));
    assert_eq!(contacts.write(1, &said(Some(1), None), second(3)), person);
    // A new owner of one of the person's numbers takes only that number.
    let owner = contacts.write(2, &said(Some(2), Some(2)), second(4));
    assert_ne!(owner, person);
    assert_eq!(contacts.write(1, &said(Some(1), None), second(5)), person);
    let other = contacts.write(3, &said(Some(1), Some(3)), second(6));
    assert_ne!(other, person);
    assert_eq!(contacts.identity(person), &said(None, Some(1)));
}

#[test]
fn a_number_that_was_left_leads_to_them_no_longer_in_no_form() {
    for (from, late) in [(WRITTEN, false), (OF_CHANNEL, false), (OF_CHANNEL, true)] {
        let mut contacts = ContactStore::default();
        let person = contacts.add(named(WRITTEN, None), second(1));
        contacts.report(person, &named(OF_CHANNEL, Some(1)), &sent_to(WRITTEN), second(2));
        if late {
            contacts.write(1, &said(Some(7), Some(1)), second(5));
        }
        let (from, to) = (named(from, Some(1)), said(Some(7), Some(1)));
        contacts.change(from.clone(), to.clone(), second(4));
        assert_eq!(contacts.identity(person), &to);
        assert_eq!(contacts.change(from, to, second(4)).steps, []);
        for (who, number) in [(2, WRITTEN), (3, OF_CHANNEL)] {
            assert_ne!(contacts.write(who, &named(number, Some(who)), second(9)), person);
        }
        assert_eq!(
            contacts
                .written
                .get(&person)
                .map_or(0, |it| it.iter().filter(|who| **who != 1).count()),
            0
        );
    }
}

#[test]
fn a_user_id_of_linked_businesses_leads_to_the_person() {
    let parent = |id: Option<u8>| Identity {
        user_id: id.map(user),
        parent_user_id: Some(ChannelUserId::parse("US.ENT.9").unwrap()),
        ..Identity::default()
    };
    // The contact was created by a message that was sent to a parent id.
    let written = Address::User(ChannelUserId::parse("US.ENT.9").unwrap());
    let mut contacts = ContactStore::default();
    let person = contacts.add(Identity::from_address(&written), second(1));
    assert_eq!(contacts.identity(person).address(), Some(written));
    // A message with both ids belongs to the contact, and so does a later message with one of them.
    assert_eq!(contacts.write(1, &parent(Some(1)), second(2)), person);
    assert_eq!(contacts.identity(person), &parent(Some(1)));
    assert_eq!(contacts.write(1, &said(None, Some(1)), second(3)), person);
    assert_eq!(contacts.write(1, &parent(None), second(4)), person);
    // Two contacts, each with one of the person's two ids, are merged when a message contains both
    // ids.
    let mut contacts = ContactStore::default();
    let by_parent = contacts.add(parent(None), second(1));
    let by_child = contacts.write(1, &said(None, Some(1)), second(2));
    assert_ne!(by_parent, by_child);
    let kept = contacts.write(1, &parent(Some(1)), second(3));
    assert_eq!(contacts.all.len(), 1);
    assert_eq!(contacts.living(by_parent), kept);
    assert_eq!(contacts.living(by_child), kept);
    // A message with the same parent id but another user id belongs to the contact. A message with
    // only another user id does not.
    assert_eq!(contacts.write(1, &parent(Some(2)), second(4)), kept);
    assert_eq!(contacts.identity(kept), &parent(Some(2)));
    assert_ne!(contacts.write(3, &said(None, Some(3)), second(5)), kept);
}

#[derive(Clone, Copy, Debug)]
enum NumbersAction {
    /// The business sends a message to a person, with one of the two forms of the number.
    Sent { who: usize, form: bool, answered: bool },
    /// The person writes. The channel reports the number in the channel's form, the user id, or
    /// both.
    Writes { who: usize, number: bool, user: bool },
    /// The channel reports on the last message that was sent to the person.
    Reported { who: usize, user: bool },
}

/// The numbers of three people, each number in two forms.
const FORMS: [[&str; 2]; 3] = [
    [WRITTEN, OF_CHANNEL],
    ["+5215512345678", "+525512345678"],
    ["+5491123456789", "+541123456789"],
];

fn happening() -> impl Strategy<Value = NumbersAction> {
    let who = || 0..FORMS.len();
    let bit = any::<bool>;
    prop_oneof![
        (who(), bit(), bit()).prop_map(|(who, form, answered)| NumbersAction::Sent {
            who,
            form,
            answered
        }),
        (who(), bit(), bit()).prop_map(|(who, number, user)| NumbersAction::Writes {
            who,
            number,
            user: user || !number
        }),
        (who(), bit()).prop_map(|(who, user)| NumbersAction::Reported { who, user }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

    /// Messages in both directions and reports happen in any order, and use any form of the
    /// numbers. No contact ever has messages of two people. After each person was written to and
    /// has written, each person has one contact, and all identifiers of the person lead to it.
    #[test]
    fn one_person_is_one_contact_in_the_end(
        uses in prop::array::uniform3(any::<bool>()),
        story in prop::collection::vec(happening(), 0..30),
    ) {
        let mut contacts = ContactStore::default();
        let mut sent: [Option<(ContactId, Timestamp)>; 3] = [None; 3];
        let form = |who: usize| FORMS[who][usize::from(uses[who])];
        let id = |who: usize| u8::try_from(who).unwrap() + 1;
        let all = (0..3).flat_map(|who| [
            NumbersAction::Sent { who, form: false, answered: true },
            NumbersAction::Sent { who, form: true, answered: true },
            NumbersAction::Writes { who, number: true, user: true },
        ]);
        for (at, it) in (1..).map(second).zip(story.into_iter().chain(all)) {
            match it {
                NumbersAction::Sent { who, form: written, answered } => {
                    let to = FORMS[who][usize::from(written)];
                    let named_so = named(to, None);
                    let contact = contacts.reached(&named_so).unwrap_or_else(|| contacts.add(named_so, at));
                    sent[who] = Some((contact, at));
                    if answered {
                        let number = contacts.identity(contact).phone_number.clone().unwrap();
                        contacts.report(contact, &named(form(who), None), &OutboundMatch::To(Address::Phone(number)), at);
                    }
                }
                NumbersAction::Writes { who, number, user } => {
                    let said = Identity {
                        phone_number: number.then(|| parsed(form(who))),
                        user_id: user.then(|| super::user(id(who))),
                        ..Identity::default()
                    };
                    contacts.write(id(who), &said, at);
                    let again = match_message(&contacts.named(&[&said]), &said, at);
                    prop_assert_eq!(again.steps, vec![]);
                }
                NumbersAction::Reported { who, user } => {
                    let Some((contact, accepted)) = sent[who] else { continue };
                    let said = named(form(who), user.then(|| id(who)));
                    contacts.report(contact, &said, &OutboundMatch::At(accepted), at);
                    let again = contacts.report(contact, &said, &OutboundMatch::At(accepted), at);
                    prop_assert_eq!(again.steps, vec![]);
                }
            }
        }
        for words in contacts.written.values() {
            prop_assert!(words.iter().all(|who| *who == words[0]), "{:?}", contacts);
        }
        prop_assert_eq!(contacts.all.len(), 3, "{:?}", contacts);
        for (who, forms) in FORMS.iter().enumerate() {
            let found: Vec<_> = forms.iter().map(|it| contacts.reached(&named(it, None))).collect();
            prop_assert_eq!(found[0], found[1]);
            let person = contacts.identity(found[0].unwrap());
            prop_assert_eq!(person, &named(form(who), Some(id(who))));
        }
    }
}
