use super::*;
use crate::contact::ChannelUserId;
use std::collections::BTreeMap;

mod numbers;
mod stories;

fn second(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_262_400 + second)
}

fn number(number: u8) -> PhoneNumber {
    PhoneNumber::parse(&format!("+1202555{number:04}")).unwrap()
}

fn user(number: u8) -> ChannelUserId {
    ChannelUserId::parse(&format!("US.{number}")).unwrap()
}

fn said(phone: Option<u8>, id: Option<u8>) -> Identity {
    Identity { phone_number: phone.map(number), user_id: id.map(user), ..Identity::default() }
}

/// Returns a match for a message that was accepted before all other times of a test.
fn long_ago() -> OutboundMatch {
    OutboundMatch::At(Timestamp::from_micros(0))
}

/// The contacts as they would be in the database, and the authors of the messages in each of them.
#[derive(Clone, Debug, Default)]
struct ContactStore {
    all: Vec<KnownContact>,
    written: BTreeMap<ContactId, Vec<u8>>,
    /// Each merged contact, with the contact into which it was merged.
    merged: BTreeMap<ContactId, ContactId>,
    /// The numbers that the channel has reported, each with the contact to which it leads.
    numbers: BTreeMap<PhoneNumber, ContactId>,
    next: u8,
}

impl ContactStore {
    fn add(&mut self, identity: Identity, at: Timestamp) -> ContactId {
        self.next += 1;
        let contact = ContactId::new(at, [self.next; 10]);
        let (since, identified_at) = (at, at);
        self.all.push(KnownContact {
            contact,
            identity,
            other_numbers: Vec::new(),
            has_edited_name: false,
            is_confirmed: false,
            messages: 0,
            since,
            identified_at,
            last_inbound_at: None,
        });
        contact
    }

    /// Finds the contacts that have one of these identifiers, as the crate `persistence` does.
    fn named(&self, by: &[&Identity]) -> Vec<KnownContact> {
        let named = |known: &&KnownContact| {
            by.iter().any(|by| {
                let numbers = by.phone_number.iter().cloned();
                let forms = by.phone_number.iter().filter_map(PhoneNumber::other_form);
                let own =
                    numbers.clone().chain(forms).any(|it| known.identity.phone_number == Some(it));
                let other = numbers.clone().any(|it| self.numbers.get(&it) == Some(&known.contact));
                own || other || known.identity.shares_user_id(by)
            })
        };
        self.all.iter().filter(named).map(|it| self.with_numbers(it)).collect()
    }

    fn with_numbers(&self, known: &KnownContact) -> KnownContact {
        let theirs = self.numbers.iter().filter(|(_, contact)| **contact == known.contact);
        let (own, other_numbers): (Vec<PhoneNumber>, _) = theirs
            .map(|(number, _)| number.clone())
            .partition(|it| known.identity.phone_number.as_ref() == Some(it));
        let is_confirmed = !own.is_empty() || known.last_inbound_at.is_some();
        KnownContact { other_numbers, is_confirmed, ..known.clone() }
    }

    fn apply(&mut self, judgement: &MatchResult) {
        for step in &judgement.steps {
            match step {
                RecognitionStep::Update(update) => {
                    let Update { contact, before, after, joins, leaves, identified_at } = &**update;
                    let row = self.all.iter_mut().find(|it| it.contact == *contact).unwrap();
                    assert_eq!(row.identity, *before);
                    assert!(
                        before != after || !joins.is_empty() || !leaves.is_empty(),
                        "nothing is written where nothing changes"
                    );
                    row.identity = after.clone();
                    row.identified_at = *identified_at;
                    for number in leaves {
                        assert!(self.numbers.get(number).is_none_or(|it| it == contact));
                        self.numbers.remove(number);
                    }
                    for number in joins {
                        let holder = self.numbers.insert(number.clone(), *contact);
                        assert!(holder.is_none_or(|it| it == *contact), "{number} leads to two");
                    }
                }
                RecognitionStep::Merge { kept, merged } => {
                    let place = self.all.iter().position(|it| it.contact == *merged).unwrap();
                    let gone = self.all.remove(place);
                    let row = self.all.iter_mut().find(|it| it.contact == *kept).unwrap();
                    assert!(row.messages >= gone.messages, "the one with more messages stays");
                    row.messages += gone.messages;
                    row.last_inbound_at = row.last_inbound_at.max(gone.last_inbound_at);
                    self.merged.insert(*merged, *kept);
                    for contact in self.numbers.values_mut().filter(|it| **it == *merged) {
                        *contact = *kept;
                    }
                    let words = self.written.remove(merged).unwrap_or_default();
                    self.written.entry(*kept).or_default().extend(words);
                }
            }
            self.each_name_is_one_contacts();
        }
    }

    /// Checks that each number and each user id belongs to only one contact, after each step. The
    /// unique indexes of the database demand that.
    fn each_name_is_one_contacts(&self) {
        let mut numbers: Vec<_> =
            self.all.iter().filter_map(|it| it.identity.phone_number.as_ref()).collect();
        let mut users: Vec<_> =
            self.all.iter().filter_map(|it| it.identity.user_id.as_ref()).collect();
        let number_count = numbers.len();
        let user_count = users.len();
        numbers.sort_unstable();
        numbers.dedup();
        users.sort_unstable();
        users.dedup();
        assert_eq!(numbers.len(), number_count, "{self:?}");
        assert_eq!(users.len(), user_count, "{self:?}");
    }

    /// Checks that each number leads to a contact that still exists, and that no number leads to
    /// one contact while it is another contact's own number.
    fn numbers_lead_to_one(&self) {
        for (number, contact) in &self.numbers {
            assert!(
                self.all.iter().any(|it| it.contact == *contact),
                "{number} leads nowhere: {self:?}"
            );
            let own = self.all.iter().find(|it| it.identity.phone_number.as_ref() == Some(number));
            assert!(own.is_none_or(|it| it.contact == *contact), "{number} leads to two: {self:?}");
        }
    }

    /// Matches a message that the person `who` wrote, and applies the result.
    fn write(&mut self, who: u8, said: &Identity, at: Timestamp) -> ContactId {
        let judgement = match_message(&self.named(&[said]), said, at);
        self.apply(&judgement);
        let contact = judgement.person.unwrap_or_else(|| self.add(judgement.new.clone(), at));
        self.numbers_lead_to_one();
        let row = self.all.iter_mut().find(|it| it.contact == contact).unwrap();
        row.messages += 1;
        row.last_inbound_at = row.last_inbound_at.max(Some(at));
        self.written.entry(contact).or_default().push(who);
        contact
    }

    fn change(&mut self, from: Identity, to: Identity, at: Timestamp) -> MatchResult {
        let change = IdentityChange { from, to };
        loop {
            let known = self.named(&[&change.from, &change.to]);
            let judgement = match_change(&known, &change, at);
            self.apply(&judgement);
            if !judgement.unfinished {
                self.numbers_lead_to_one();
                return judgement;
            }
        }
    }

    /// Returns the contact itself, or the contact into which it was merged.
    fn living(&self, contact: ContactId) -> ContactId {
        self.merged.get(&contact).map_or(contact, |kept| self.living(*kept))
    }

    /// Matches a report about a message to this contact, and applies the result.
    fn report(
        &mut self,
        contact: ContactId,
        said: &Identity,
        sent: &OutboundMatch,
        at: Timestamp,
    ) -> MatchResult {
        let contact = self.living(contact);
        let mut known = self.named(&[said]);
        if known.iter().all(|it| it.contact != contact) {
            let person = self.all.iter().find(|it| it.contact == contact);
            known.extend(person.map(|it| self.with_numbers(it)));
        }
        let judgement = match_status(&known, contact, said, sent, at);
        self.apply(&judgement);
        self.numbers_lead_to_one();
        judgement
    }

    /// Finds the contact that a message to a number reaches, as the crate `persistence` does: first
    /// by the number, otherwise by the number's other form.
    fn reached(&self, to: &Identity) -> Option<ContactId> {
        let number = to.phone_number.clone()?;
        let find = |number: &PhoneNumber| {
            let own = self.all.iter().find(|it| it.identity.phone_number.as_ref() == Some(number));
            own.map(|it| it.contact).or_else(|| self.numbers.get(number).copied())
        };
        find(&number).or_else(|| find(&number.other_form()?))
    }

    fn identity(&self, contact: ContactId) -> &Identity {
        &self.all.iter().find(|it| it.contact == contact).unwrap().identity
    }
}

#[test]
fn what_comes_with_both_joins_them() {
    let mut contacts = ContactStore::default();
    let by_number = contacts.write(1, &said(Some(1), None), second(1));
    assert_eq!(contacts.write(1, &said(Some(1), Some(1)), second(2)), by_number);
    assert_eq!(contacts.write(1, &said(None, Some(1)), second(3)), by_number);
    assert_eq!(contacts.identity(by_number), &said(Some(1), Some(1)));
}

#[test]
fn two_contacts_that_are_one_person_are_merged() {
    let mut contacts = ContactStore::default();
    let by_number = contacts.write(1, &said(Some(1), None), second(1));
    let by_user = contacts.write(1, &said(None, Some(1)), second(2));
    contacts.write(1, &said(None, Some(1)), second(3));
    assert_ne!(by_number, by_user);
    assert_eq!(contacts.write(1, &said(Some(1), Some(1)), second(4)), by_user);
    assert_eq!(contacts.all.len(), 1);
    assert_eq!(contacts.identity(by_user), &said(Some(1), Some(1)));
}

#[test]
fn a_number_with_another_user_id_has_a_new_owner() {
    let mut contacts = ContactStore::default();
    let first = contacts.write(1, &said(Some(1), Some(1)), second(1));
    let second_owner = contacts.write(2, &said(Some(1), Some(2)), second(2));
    assert_ne!(first, second_owner);
    assert_eq!(contacts.identity(first), &said(None, Some(1)));
    assert_eq!(contacts.identity(second_owner), &said(Some(1), Some(2)));
    // The first owner's message from before the handover of the number arrives late. It does not
    // give the number back.
    assert_eq!(contacts.write(1, &said(Some(1), Some(1)), second(1)), first);
    assert_eq!(contacts.identity(second_owner), &said(Some(1), Some(2)));
}

#[test]
fn a_late_message_of_an_earlier_owner_takes_no_number() {
    let mut contacts = ContactStore::default();
    let owner = contacts.write(2, &said(Some(1), Some(2)), second(5));
    let earlier = contacts.write(1, &said(Some(1), Some(1)), second(1));
    assert_ne!(owner, earlier);
    assert_eq!(contacts.identity(owner), &said(Some(1), Some(2)));
    assert_eq!(contacts.identity(earlier), &said(None, Some(1)));
}

#[test]
fn a_number_and_a_user_id_of_two_people_do_not_mix_their_histories() {
    let mut contacts = ContactStore::default();
    let one = contacts.write(1, &said(Some(1), Some(1)), second(1));
    let other = contacts.write(2, &said(Some(2), Some(2)), second(2));
    assert_eq!(contacts.write(2, &said(Some(1), Some(2)), second(3)), other);
    assert_eq!(contacts.identity(one), &said(None, Some(1)));
    assert_eq!(contacts.identity(other), &said(Some(1), Some(2)));
    assert_eq!(contacts.written[&one], [1]);
}

#[test]
fn a_changed_number_moves_with_the_person_once() {
    let mut contacts = ContactStore::default();
    let person = contacts.write(1, &said(Some(1), None), second(1));
    let change = || (said(Some(1), None), said(Some(2), None), second(2));
    let (from, to, at) = change();
    contacts.change(from, to, at);
    assert_eq!(contacts.identity(person), &said(Some(2), None));
    // The person left the old number, and somebody else writes from it before the change is
    // reported again.
    let other = contacts.write(2, &said(Some(1), None), second(3));
    assert_ne!(person, other);
    let (from, to, at) = change();
    assert_eq!(contacts.change(from, to, at).steps, []);
}

#[test]
fn who_wrote_from_the_new_number_before_the_change_was_told_is_the_same() {
    let mut contacts = ContactStore::default();
    let person = contacts.write(1, &said(Some(1), None), second(1));
    contacts.write(1, &said(Some(1), None), second(2));
    contacts.write(1, &said(Some(2), None), second(5));
    contacts.change(said(Some(1), None), said(Some(2), None), second(4));
    assert_eq!(contacts.all.len(), 1);
    assert_eq!(contacts.identity(person), &said(Some(2), None));
    // The owner wrote from the number before somebody else's change to it. The owner and the person
    // who changed are different people.
    let owner = contacts.write(3, &said(Some(7), None), second(6));
    contacts.change(said(Some(2), None), said(Some(7), None), second(7));
    assert_eq!(contacts.all.len(), 2);
    assert_eq!(contacts.identity(owner).address(), None);
}

#[test]
fn a_changed_number_brings_a_new_user_id() {
    let mut contacts = ContactStore::default();
    let person = contacts.write(1, &said(Some(1), Some(1)), second(1));
    contacts.write(1, &said(Some(2), Some(2)), second(5));
    contacts.change(said(Some(1), Some(1)), said(Some(2), Some(2)), second(4));
    assert_eq!(contacts.all.len(), 1);
    assert_eq!(contacts.identity(person), &said(Some(2), Some(2)));
    let again = contacts.change(said(Some(1), Some(1)), said(Some(2), Some(2)), second(4));
    assert_eq!(again.steps, []);
}

#[test]
fn a_change_that_is_said_again_joins_nobody_by_a_number_that_was_handed_on() {
    let mut contacts = ContactStore::default();
    let carol = contacts.write(3, &said(Some(5), None), second(1));
    let alice = contacts.write(1, &said(Some(3), Some(3)), second(2));
    // Alice had Carol's number 5 for a while. The channel reports that only when Alice changes from
    // number 5 to number 6.
    let (from, to) = (said(Some(5), Some(3)), said(Some(6), Some(6)));
    contacts.change(from.clone(), to.clone(), second(4));
    assert_eq!(contacts.identity(alice), &to);
    // The same change is reported again. It does not merge the contacts of Alice and Carol.
    assert_eq!(contacts.change(from, to, second(4)).steps, []);
    assert_eq!(contacts.written[&carol], [3]);
}

#[test]
fn a_changed_user_id_without_a_number_keeps_the_number() {
    let mut contacts = ContactStore::default();
    let person = contacts.write(1, &said(Some(1), Some(1)), second(1));
    contacts.change(said(None, Some(1)), said(None, Some(2)), second(4));
    assert_eq!(contacts.identity(person), &said(Some(1), Some(2)));
}

#[test]
fn a_report_teaches_what_is_missing_and_no_more() {
    let mut contacts = ContactStore::default();
    let person = contacts.add(said(Some(1), None), second(1));
    let status = said(Some(1), Some(1));
    let judgement =
        match_status(&contacts.named(&[&status]), person, &status, &long_ago(), second(2));
    contacts.apply(&judgement);
    assert_eq!(contacts.identity(person), &status);
    let other = said(Some(1), Some(2));
    let judgement =
        match_status(&contacts.named(&[&other]), person, &other, &long_ago(), second(3));
    assert_eq!(judgement.steps, []);
    let twin = contacts.add(said(None, Some(4)), second(4));
    let lone = contacts.add(said(Some(4), None), second(4));
    let status = said(Some(4), Some(4));
    let judgement =
        match_status(&contacts.named(&[&status]), lone, &status, &long_ago(), second(5));
    contacts.apply(&judgement);
    assert_eq!(contacts.identity(judgement.person.unwrap()), &status);
    assert!(judgement.person == Some(twin) || judgement.person == Some(lone));
}

#[test]
fn a_late_report_joins_no_new_owner_to_the_history_of_the_one_before() {
    let mut contacts = ContactStore::default();
    let alice = contacts.write(1, &said(Some(1), None), second(1));
    let bob = contacts.write(2, &said(Some(2), Some(2)), second(2));
    // The number of the first owner, Alice, gets a new owner: Bob writes from it.
    assert_eq!(contacts.write(2, &said(Some(1), Some(2)), second(3)), bob);
    assert_eq!(contacts.identity(alice).address(), None);
    // A message to Alice is reported as delivered to the new owner of her number. That changes
    // nothing.
    assert_eq!(contacts.report(alice, &said(Some(1), Some(2)), &long_ago(), second(4)).steps, []);
    // The channel reports that Carol's number now belongs to Dave. A report about a message to
    // Carol then changes nothing either.
    let carol = contacts.write(3, &said(Some(3), None), second(5));
    let dave = contacts.write(4, &said(Some(4), Some(4)), second(5));
    contacts.change(said(Some(4), Some(4)), said(Some(3), Some(4)), second(6));
    assert_eq!(contacts.identity(dave), &said(Some(3), Some(4)));
    assert_eq!(contacts.report(carol, &said(Some(3), Some(4)), &long_ago(), second(7)).steps, []);
}

#[test]
fn names_follow_what_was_written_last() {
    let mut contacts = ContactStore::default();
    let named = |name: &str| Identity { name: Some(name.to_owned()), ..said(None, Some(1)) };
    let person = contacts.write(1, &named("Ada"), second(1));
    contacts.write(1, &named("Countess"), second(3));
    contacts.write(1, &named("Ada"), second(2));
    assert_eq!(contacts.identity(person).name.as_deref(), Some("Countess"));
}
