use super::*;
use crate::contact::ChannelUserId;
use proptest::prelude::*;
use std::collections::BTreeMap;

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

/// Contacts, as persistence keeps them, with who wrote what in each.
#[derive(Clone, Debug, Default)]
struct Contacts {
    all: Vec<Known>,
    written: BTreeMap<ContactId, Vec<u8>>,
    next: u8,
}

impl Contacts {
    fn add(&mut self, identity: Identity, at: Timestamp) -> ContactId {
        self.next += 1;
        let contact = ContactId::new(at, [self.next; 10]);
        let (since, identified_at) = (at, at);
        self.all.push(Known {
            contact,
            identity,
            messages: 0,
            since,
            identified_at,
            last_inbound_at: None,
        });
        contact
    }

    /// Those that go by one of these.
    fn named(&self, by: &[&Identity]) -> Vec<Known> {
        let named = |known: &&Known| {
            by.iter().any(|by| {
                let phone =
                    by.phone_number.is_some() && by.phone_number == known.identity.phone_number;
                phone || (by.user_id.is_some() && by.user_id == known.identity.user_id)
            })
        };
        self.all.iter().filter(named).cloned().collect()
    }

    fn apply(&mut self, judgement: &Judgement) {
        for step in &judgement.steps {
            match step {
                Step::Update(update) => {
                    let Update { contact, before, after, identified_at } = &**update;
                    let row = self.all.iter_mut().find(|it| it.contact == *contact).unwrap();
                    assert_eq!(row.identity, *before);
                    assert_ne!(before, after, "nothing is written where nothing changes");
                    row.identity = after.clone();
                    row.identified_at = *identified_at;
                }
                Step::Merge { kept, merged } => {
                    let place = self.all.iter().position(|it| it.contact == *merged).unwrap();
                    let gone = self.all.remove(place);
                    let row = self.all.iter_mut().find(|it| it.contact == *kept).unwrap();
                    assert!(row.messages >= gone.messages, "the one with more messages stays");
                    row.messages += gone.messages;
                    row.last_inbound_at = row.last_inbound_at.max(gone.last_inbound_at);
                    let words = self.written.remove(merged).unwrap_or_default();
                    self.written.entry(*kept).or_default().extend(words);
                }
            }
            self.each_name_is_one_contacts();
        }
    }

    /// As the unique indexes demand it, after each step.
    fn each_name_is_one_contacts(&self) {
        let mut numbers: Vec<_> =
            self.all.iter().filter_map(|it| it.identity.phone_number.as_ref()).collect();
        let mut users: Vec<_> =
            self.all.iter().filter_map(|it| it.identity.user_id.as_ref()).collect();
        let many = (numbers.len(), users.len());
        numbers.sort_unstable();
        numbers.dedup();
        users.sort_unstable();
        users.dedup();
        assert_eq!((numbers.len(), users.len()), many, "{self:?}");
    }

    /// Person `who` writes.
    fn write(&mut self, who: u8, said: &Identity, at: Timestamp) -> ContactId {
        let judgement = of_message(&self.named(&[said]), said, at);
        self.apply(&judgement);
        let contact = judgement.person.unwrap_or_else(|| self.add(judgement.new.clone(), at));
        let row = self.all.iter_mut().find(|it| it.contact == contact).unwrap();
        row.messages += 1;
        row.last_inbound_at = row.last_inbound_at.max(Some(at));
        self.written.entry(contact).or_default().push(who);
        contact
    }

    fn change(&mut self, from: Identity, to: Identity, at: Timestamp) -> Judgement {
        let change = Change { from, to };
        loop {
            let known = self.named(&[&change.from, &change.to]);
            let judgement = of_change(&known, &change, at);
            self.apply(&judgement);
            if !judgement.unfinished {
                return judgement;
            }
        }
    }

    fn identity(&self, contact: ContactId) -> &Identity {
        &self.all.iter().find(|it| it.contact == contact).unwrap().identity
    }
}

#[test]
fn what_comes_with_both_joins_them() {
    let mut contacts = Contacts::default();
    let by_number = contacts.write(1, &said(Some(1), None), second(1));
    assert_eq!(contacts.write(1, &said(Some(1), Some(1)), second(2)), by_number);
    assert_eq!(contacts.write(1, &said(None, Some(1)), second(3)), by_number);
    assert_eq!(contacts.identity(by_number), &said(Some(1), Some(1)));
}

#[test]
fn two_contacts_that_are_one_person_are_merged() {
    let mut contacts = Contacts::default();
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
    let mut contacts = Contacts::default();
    let first = contacts.write(1, &said(Some(1), Some(1)), second(1));
    let second_owner = contacts.write(2, &said(Some(1), Some(2)), second(2));
    assert_ne!(first, second_owner);
    assert_eq!(contacts.identity(first), &said(None, Some(1)));
    assert_eq!(contacts.identity(second_owner), &said(Some(1), Some(2)));
    // What the first owner wrote before that comes late, and takes nothing back.
    assert_eq!(contacts.write(1, &said(Some(1), Some(1)), second(1)), first);
    assert_eq!(contacts.identity(second_owner), &said(Some(1), Some(2)));
}

#[test]
fn a_late_message_of_an_earlier_owner_takes_no_number() {
    let mut contacts = Contacts::default();
    let owner = contacts.write(2, &said(Some(1), Some(2)), second(5));
    let earlier = contacts.write(1, &said(Some(1), Some(1)), second(1));
    assert_ne!(owner, earlier);
    assert_eq!(contacts.identity(owner), &said(Some(1), Some(2)));
    assert_eq!(contacts.identity(earlier), &said(None, Some(1)));
}

#[test]
fn a_number_and_a_user_id_of_two_people_do_not_mix_their_histories() {
    let mut contacts = Contacts::default();
    let one = contacts.write(1, &said(Some(1), Some(1)), second(1));
    let other = contacts.write(2, &said(Some(2), Some(2)), second(2));
    assert_eq!(contacts.write(2, &said(Some(1), Some(2)), second(3)), other);
    assert_eq!(contacts.identity(one), &said(None, Some(1)));
    assert_eq!(contacts.identity(other), &said(Some(1), Some(2)));
    assert_eq!(contacts.written[&one], [1]);
}

#[test]
fn a_changed_number_moves_with_the_person_once() {
    let mut contacts = Contacts::default();
    let person = contacts.write(1, &said(Some(1), None), second(1));
    let change = || (said(Some(1), None), said(Some(2), None), second(2));
    let (from, to, at) = change();
    contacts.change(from, to, at);
    assert_eq!(contacts.identity(person), &said(Some(2), None));
    // The old number is somebody else's by the time the same is said again.
    let other = contacts.write(2, &said(Some(1), None), second(3));
    assert_ne!(person, other);
    let (from, to, at) = change();
    assert_eq!(contacts.change(from, to, at).steps, []);
}

#[test]
fn who_wrote_from_the_new_number_before_the_change_was_told_is_the_same() {
    let mut contacts = Contacts::default();
    let person = contacts.write(1, &said(Some(1), None), second(1));
    contacts.write(1, &said(Some(1), None), second(2));
    contacts.write(1, &said(Some(2), None), second(5));
    contacts.change(said(Some(1), None), said(Some(2), None), second(4));
    assert_eq!(contacts.all.len(), 1);
    assert_eq!(contacts.identity(person), &said(Some(2), None));
    // Somebody who had the number before the change is not.
    let owner = contacts.write(3, &said(Some(7), None), second(6));
    contacts.change(said(Some(2), None), said(Some(7), None), second(7));
    assert_eq!(contacts.all.len(), 2);
    assert_eq!(contacts.identity(owner).address(), None);
}

#[test]
fn a_changed_number_brings_a_new_user_id() {
    let mut contacts = Contacts::default();
    let person = contacts.write(1, &said(Some(1), Some(1)), second(1));
    contacts.write(1, &said(Some(2), Some(2)), second(5));
    contacts.change(said(Some(1), Some(1)), said(Some(2), Some(2)), second(4));
    assert_eq!(contacts.all.len(), 1);
    assert_eq!(contacts.identity(person), &said(Some(2), Some(2)));
    let again = contacts.change(said(Some(1), Some(1)), said(Some(2), Some(2)), second(4));
    assert_eq!(again.steps, []);
}

#[test]
fn a_changed_user_id_without_a_number_keeps_the_number() {
    let mut contacts = Contacts::default();
    let person = contacts.write(1, &said(Some(1), Some(1)), second(1));
    contacts.change(said(None, Some(1)), said(None, Some(2)), second(4));
    assert_eq!(contacts.identity(person), &said(Some(1), Some(2)));
}

#[test]
fn a_report_teaches_what_is_missing_and_no_more() {
    let mut contacts = Contacts::default();
    let person = contacts.add(said(Some(1), None), second(1));
    let status = said(Some(1), Some(1));
    let judgement = of_status(&contacts.named(&[&status]), person, &status, second(2));
    contacts.apply(&judgement);
    assert_eq!(contacts.identity(person), &status);
    let other = said(Some(1), Some(2));
    assert_eq!(of_status(&contacts.named(&[&other]), person, &other, second(3)).steps, []);
    let twin = contacts.add(said(None, Some(4)), second(4));
    let lone = contacts.add(said(Some(4), None), second(4));
    let status = said(Some(4), Some(4));
    let judgement = of_status(&contacts.named(&[&status]), lone, &status, second(5));
    contacts.apply(&judgement);
    assert_eq!(contacts.identity(judgement.person.unwrap()), &status);
    assert!(judgement.person == Some(twin) || judgement.person == Some(lone));
}

#[test]
fn names_follow_what_was_written_last() {
    let mut contacts = Contacts::default();
    let named = |name: &str| Identity { name: Some(name.to_owned()), ..said(None, Some(1)) };
    let person = contacts.write(1, &named("Ada"), second(1));
    contacts.write(1, &named("Countess"), second(3));
    contacts.write(1, &named("Ada"), second(2));
    assert_eq!(contacts.identity(person).name.as_deref(), Some("Countess"));
}

#[derive(Clone, Debug)]
enum Happening {
    /// A person writes, and shows the number, the user id or both.
    Writes { who: u8, number: bool, user: bool },
    /// A person leaves a number for one that nobody has; the channel says so.
    Moves { who: u8 },
}

fn happening() -> impl Strategy<Value = Happening> {
    let writes = (0..4_u8, any::<bool>(), any::<bool>())
        .prop_map(|(who, number, user)| Happening::Writes { who, number, user: user || !number });
    prop_oneof![9 => writes, 1 => (0..4_u8).prop_map(|who| Happening::Moves { who })]
}

proptest! {
    /// Whatever people show of themselves and however often they move: no history holds the words of two, and
    /// what was said once changes nothing when it is said again.
    #[test]
    fn nobody_is_shown_under_another(story in prop::collection::vec(happening(), 1..40)) {
        let mut contacts = Contacts::default();
        let mut names: Vec<(u8, u8)> = (0..4).map(|who| (who, who)).collect();
        let mut fresh = 4;
        for (at, it) in (1..).zip(story) {
            match it {
                Happening::Writes { who, number, user } => {
                    let (phone, id) = names[usize::from(who)];
                    let said = said(number.then_some(phone), user.then_some(id));
                    contacts.write(who, &said, second(at));
                    let again = of_message(&contacts.named(&[&said]), &said, second(at));
                    prop_assert_eq!(again.steps, vec![]);
                }
                Happening::Moves { who } => {
                    let (phone, id) = names[usize::from(who)];
                    names[usize::from(who)] = (fresh, fresh);
                    let (from, to) = (said(Some(phone), Some(id)), said(Some(fresh), Some(fresh)));
                    fresh += 1;
                    contacts.change(from.clone(), to.clone(), second(at));
                    prop_assert_eq!(contacts.change(from, to, second(at)).steps, vec![]);
                }
            }
        }
        for words in contacts.written.values() {
            prop_assert!(words.iter().all(|who| *who == words[0]), "{contacts:?}");
        }
        // Once each has shown both, each is one contact.
        for who in 0..4_u8 {
            let (phone, id) = names[usize::from(who)];
            contacts.write(who, &said(Some(phone), Some(id)), second(100));
        }
        let whole: Vec<_> = contacts.all.iter().filter(|it| it.identity.phone_number.is_some()).collect();
        prop_assert_eq!(whole.len(), 4, "{:?}", contacts);
    }

    /// Whatever is said, in whatever order: a number and a user id lead to one contact at most, and no message
    /// is lost.
    #[test]
    fn names_stay_unique(
        story in prop::collection::vec((0..3_u8, prop::option::of(0..4_u8), prop::option::of(0..4_u8), prop::option::of(0..4_u8), prop::option::of(0..4_u8), 0..50_i64), 1..50),
    ) {
        let mut contacts = Contacts::default();
        let mut written = 0;
        for (kind, phone, id, new_phone, new_id, at) in story {
            let before = said(phone, id);
            match kind {
                0 if before.address().is_some() => {
                    contacts.write(0, &before, second(at));
                    written += 1;
                }
                1 => {
                    contacts.change(before, said(new_phone, new_id), second(at));
                }
                2 if phone.is_some() && id.is_some() => {
                    let Some(contact) = contacts.all.first().map(|it| it.contact) else { continue };
                    let mut known = contacts.named(&[&before]);
                    if known.iter().all(|it| it.contact != contact) {
                        known.push(contacts.all[0].clone());
                    }
                    contacts.apply(&of_status(&known, contact, &before, second(at)));
                }
                _ => {}
            }
        }
        prop_assert_eq!(contacts.written.values().map(Vec::len).sum::<usize>(), written);
    }
}
