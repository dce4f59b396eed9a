//! Property tests: whatever people do, each contact belongs to one person.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum StoryAction {
    /// A person writes. The channel reports the number, the user id or both.
    Writes { who: u8, number: bool, user: bool },
    /// A person changes to an unused number and user id, and the channel reports the change.
    Moves { who: u8 },
    /// A person takes over the number of another person, and then either writes or changes to an
    /// unused number. It only happens if a contact already has the first person's number and user
    /// id.
    Takes { who: u8, whose: u8, writes: bool },
    /// The business sends an answer to one of the contacts.
    Answered { whom: prop::sample::Index },
    /// The channel reports on an answer. The report names the recipient at the time of the answer
    /// (`at_once`), or the recipient at the time of the report.
    Reported { answer: prop::sample::Index, at_once: bool },
}

fn happening() -> impl Strategy<Value = StoryAction> {
    let who = || 0..4_u8;
    let writes = (who(), any::<bool>(), any::<bool>())
        .prop_map(|(who, number, user)| StoryAction::Writes { who, number, user: user || !number });
    let index = any::<prop::sample::Index>;
    prop_oneof![
        9 => writes,
        1 => who().prop_map(|who| StoryAction::Moves { who }),
        3 => (who(), who(), any::<bool>()).prop_map(|(who, whose, writes)| StoryAction::Takes { who, whose, writes }),
        5 => index().prop_map(|whom| StoryAction::Answered { whom }),
        5 => (index(), any::<bool>()).prop_map(|(answer, at_once)| StoryAction::Reported { answer, at_once }),
    ]
}

/// An answer of the business: the contact, the address, the recipient's number and user id at that
/// time, and the time.
type Answered = (ContactId, Identity, Option<(u8, u8)>, Timestamp);

/// All people, with their current numbers and user ids, and their contacts.
struct World {
    contacts: ContactStore,
    names: Vec<(u8, u8)>,
    fresh: u8,
    answers: Vec<Answered>,
}

impl World {
    fn new() -> Self {
        let names = (0..4).map(|who| (who, who)).collect();
        Self { contacts: ContactStore::default(), names, fresh: 4, answers: Vec::new() }
    }

    /// Returns the number and the user id of the person who currently receives messages to an
    /// address.
    fn reached_by(&self, address: &Identity) -> Option<(u8, u8)> {
        let number_is = |it: &u8| address.phone_number == Some(number(*it));
        let user_is = |it: &u8| address.user_id == Some(user(*it));
        let mut names = self.names.iter().copied();
        match address.phone_number {
            Some(_) => names.find(|(phone, _)| number_is(phone)),
            None => names.find(|(_, id)| user_is(id)),
        }
    }

    /// Whether a contact has both this number and this user id.
    fn is_known(&self, (phone, id): (u8, u8)) -> bool {
        let both = said(Some(phone), Some(id));
        self.contacts.all.iter().any(|it| it.identity == both)
    }

    /// Applies an action, and then its report a second time. Returns the steps that the second
    /// report causes.
    fn happen(&mut self, it: StoryAction, at: Timestamp) -> Vec<RecognitionStep> {
        match it {
            StoryAction::Writes { who, number, user } => {
                let (phone, id) = self.names[usize::from(who)];
                let said = said(number.then_some(phone), user.then_some(id));
                self.contacts.write(who, &said, at);
                match_message(&self.contacts.named(&[&said]), &said, at).steps
            }
            StoryAction::Moves { who } => {
                let (phone, id) = self.names[usize::from(who)];
                let (from, to) =
                    (said(Some(phone), Some(id)), said(Some(self.fresh), Some(self.fresh)));
                self.names[usize::from(who)] = (self.fresh, self.fresh);
                self.fresh += 1;
                self.contacts.change(from.clone(), to.clone(), at);
                self.contacts.change(from, to, at).steps
            }
            StoryAction::Takes { who, whose, writes } => {
                if who == whose || !self.is_known(self.names[usize::from(who)]) {
                    return Vec::new();
                }
                let taken = std::mem::replace(&mut self.names[usize::from(whose)].0, self.fresh);
                self.fresh += 1;
                self.names[usize::from(who)].0 = taken;
                let next = if writes {
                    StoryAction::Writes { who, number: true, user: true }
                } else {
                    StoryAction::Moves { who }
                };
                self.happen(next, at)
            }
            StoryAction::Answered { whom } => {
                if self.contacts.all.is_empty() {
                    return Vec::new();
                }
                let known = whom.get(&self.contacts.all);
                if let Some(address) = known.identity.address() {
                    let address = Identity::from_address(&address);
                    let named = self.reached_by(&address);
                    self.answers.push((known.contact, address, named, at));
                }
                Vec::new()
            }
            StoryAction::Reported { answer, at_once } => {
                if self.answers.is_empty() {
                    return Vec::new();
                }
                let (contact, address, named, sent) = answer.get(&self.answers).clone();
                let (named, at) =
                    if at_once { (named, sent) } else { (self.reached_by(&address), at) };
                let Some((phone, id)) = named else { return Vec::new() };
                let said = said(Some(phone), Some(id));
                let sent = OutboundMatch::At(sent);
                self.contacts.report(contact, &said, &sent, at);
                self.contacts.report(contact, &said, &sent, at).steps
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

    /// People show any of their identifiers, change their numbers and take over the numbers of
    /// others, and the channel reports on answers late. No contact ever has messages of two people,
    /// and a repeated report changes nothing.
    #[test]
    fn nobody_is_shown_under_another(story in prop::collection::vec(happening(), 1..40)) {
        let mut world = World::new();
        for (at, it) in (1..).zip(story) {
            prop_assert_eq!(world.happen(it, second(at)), vec![]);
        }
        for words in world.contacts.written.values() {
            prop_assert!(words.iter().all(|who| *who == words[0]), "{:?}", world.contacts);
        }
        // After each person has written with number and user id, a contact has both of them.
        for who in 0..4_u8 {
            world.happen(StoryAction::Writes { who, number: true, user: true }, second(100));
        }
        for names in &world.names {
            prop_assert!(world.is_known(*names), "{:?}", world.contacts);
        }
    }
}

proptest! {
    /// Reports contain any identifiers in any order. Each number and each user id belongs to at
    /// most one contact, and no message is lost.
    #[test]
    fn names_stay_unique(
        story in prop::collection::vec((0..3_u8, prop::option::of(0..4_u8), prop::option::of(0..4_u8), prop::option::of(0..4_u8), prop::option::of(0..4_u8), 0..50_i64), 1..50),
    ) {
        let mut contacts = ContactStore::default();
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
                    contacts.apply(&match_status(&known, contact, &before, &OutboundMatch::At(second(at)), second(at)));
                }
                _ => {}
            }
        }
        prop_assert_eq!(contacts.written.values().map(Vec::len).sum::<usize>(), written);
    }
}
