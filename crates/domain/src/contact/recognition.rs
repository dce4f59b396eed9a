//! Recognizes people: finds the known contact that a report of the channel is about, and decides
//! what changes in that contact.
//!
//! A user id belongs to one person. The user id moves to another contact only when the channel
//! reports that. A phone number can get a new owner, who then writes from the number under another
//! user id. A report that is older than the known data does not replace that data.
//!
//! A person may have several numbers, because the channel writes some numbers in another form than
//! people do. Each number that the channel has reported for a person leads to that person's
//! contact: a message from the number belongs to the contact. In some countries, a number has two
//! forms ([`PhoneNumber::other_form`]). If a report has the other form of a contact's number, the
//! report can be about that contact. After the channel has reported the contact's number itself,
//! the other form belongs to somebody else.

use super::{Address, Identity, stays};
use crate::id::ContactId;
use crate::phone::PhoneNumber;
use crate::time::Timestamp;

/// A contact that is stored already, and that a reported phone number or user id may match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownContact {
    pub contact: ContactId,
    pub identity: Identity,
    /// Numbers that lead to the contact, besides the contact's own number.
    pub other_numbers: Vec<PhoneNumber>,
    /// Whether a member or a program chose the contact's name. If so, a name from the channel does
    /// not replace it.
    pub has_edited_name: bool,
    /// Whether the channel has reported the contact's own number. If so, the number is in the
    /// channel's form.
    pub is_confirmed: bool,
    /// Number of messages in the contact's conversation.
    pub messages: i64,
    pub since: Timestamp,
    /// The last time at which the contact's number or user id was confirmed or changed.
    pub identified_at: Timestamp,
    /// The time of the last message from the contact.
    pub last_inbound_at: Option<Timestamp>,
}

impl KnownContact {
    /// Returns the last time at which the contact's number is known to have been the person's.
    fn seen_at(&self) -> Timestamp {
        self.last_inbound_at.map_or(self.identified_at, |at| at.max(self.identified_at))
    }

    /// Whether the number leads to the contact: the contact's own number, or one of its other
    /// numbers.
    fn goes_by(&self, number: &PhoneNumber) -> bool {
        self.identity.phone_number.as_ref() == Some(number) || self.other_numbers.contains(number)
    }

    /// Returns all numbers that lead to the contact: first its own number, then its other numbers.
    fn numbers(&self) -> impl Iterator<Item = PhoneNumber> + '_ {
        self.identity.phone_number.iter().chain(&self.other_numbers).cloned()
    }

    /// Whether the number can belong to the contact. This is so if the contact has no number, if
    /// the number leads to the contact, or if the number is the other form of the contact's own
    /// number.
    fn may_have(&self, number: Option<&PhoneNumber>) -> bool {
        let is_form = |own: &PhoneNumber| own.other_form().as_ref() == number;
        let theirs = number.is_some_and(|it| self.goes_by(it));
        self.identity.phone_number.as_ref().is_none_or(|own| is_form(own) || theirs)
    }

    /// Returns the contact's identity after the person wrote a message at `at`. `said` is the
    /// identity that the channel reported with the message.
    fn learning(&self, said: &Identity, at: Timestamp) -> Identity {
        let (known, addresses) = (self.identity.clone(), at >= self.identified_at);
        let newest = addresses && self.last_inbound_at.is_none_or(|last| at >= last);
        let text = |said: &Option<String>, known: Option<String>| {
            let said = said.clone();
            if newest { said.or(known) } else { known.or(said) }
        };
        let replaced = newest || (addresses && known.phone_number.is_none());
        // A contact that was created when somebody sent to a parent id has that parent id as its
        // user id. A message from the contact contains the business's own id, which then replaces
        // the parent id.
        let written = known.user_id.as_ref().filter(|id| id.is_parent()).cloned();
        let own = known.user_id.clone().filter(|id| !id.is_parent());
        let relinked = newest && said.parent_user_id.is_some() && said.shares_user_id(&known);
        let user_id = match &said.user_id {
            Some(said) if relinked => Some(said.clone()),
            said => own.or_else(|| said.clone()).or_else(|| written.clone()),
        };
        let parent = known.parent_user_id.clone().or(written.filter(|_| said.user_id.is_some()));
        Identity {
            phone_number: said.phone_number.clone().filter(|_| replaced).or(known.phone_number),
            user_id,
            parent_user_id: match &said.parent_user_id {
                Some(said) if newest => Some(said.clone()),
                said => parent.or_else(|| said.clone()),
            },
            username: text(&said.username, known.username),
            name: if self.has_edited_name { known.name } else { text(&said.name, known.name) },
        }
    }
}

/// A change of a person's phone number or user id that the channel reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityChange {
    /// The phone number, the user id or both, before the change.
    pub from: Identity,
    /// The identifiers after the change, as far as the channel reports them.
    pub to: Identity,
}

/// One change to the contacts. The steps of a result are carried out in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecognitionStep {
    /// Changes the identity of a contact.
    Update(Box<Update>),
    /// Merges two contacts of the same person. All numbers of both lead to the contact that stays.
    Merge {
        /// The contact that stays.
        kept: ContactId,
        /// The contact whose messages are moved to the contact that stays.
        merged: ContactId,
    },
}

/// An update of a contact: a new identity, and the numbers that begin or stop to lead to the
/// contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub contact: ContactId,
    /// The identity before the update.
    pub before: Identity,
    /// The identity after the update.
    pub after: Identity,
    /// Numbers that the channel has reported and that lead to the contact from now on. The
    /// contact's own number is among them when the channel confirms it for the first time.
    pub joins: Vec<PhoneNumber>,
    /// Numbers that do not lead to the contact anymore.
    pub leaves: Vec<PhoneNumber>,
    /// The last time at which the contact's number or user id was confirmed or changed, as it is
    /// after the update.
    pub identified_at: Timestamp,
}

/// The result of matching a report of the channel with the known contacts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchResult {
    /// The contact of the person, after all steps were carried out. `None` if the person is new.
    pub person: Option<ContactId>,
    /// The changes to carry out. Empty if the report contains nothing new.
    pub steps: Vec<RecognitionStep>,
    /// The identity of the contact to create, if the person is new.
    pub new: Identity,
    /// Whether the caller must match the report again after it has carried out the steps.
    pub unfinished: bool,
}

/// The numbers that begin to lead to a contact (`joins`), and those that stop (`leaves`).
#[derive(Default)]
struct NumberChanges {
    joins: Vec<PhoneNumber>,
    leaves: Vec<PhoneNumber>,
}

impl NumberChanges {
    fn joining(joins: impl IntoIterator<Item = PhoneNumber>) -> Self {
        Self { joins: joins.into_iter().collect(), leaves: Vec::new() }
    }

    fn leaving(leaves: impl IntoIterator<Item = PhoneNumber>) -> Self {
        Self { joins: Vec::new(), leaves: leaves.into_iter().collect() }
    }
}

impl MatchResult {
    fn update(
        &mut self,
        known: &KnownContact,
        after: Identity,
        numbers: NumberChanges,
        at: Timestamp,
    ) {
        let NumberChanges { joins, leaves } = numbers;
        if after == known.identity && joins.is_empty() && leaves.is_empty() {
            return;
        }
        let same = after.phone_number == known.identity.phone_number
            && after.user_id == known.identity.user_id;
        let identified_at = if same { known.identified_at } else { known.identified_at.max(at) };
        let (contact, before) = (known.contact, known.identity.clone());
        let update = Update { contact, before, after, joins, leaves, identified_at };
        self.steps.push(RecognitionStep::Update(Box::new(update)));
    }

    /// Adds an update of a contact with a reported identity. If the contact gets a new number, its
    /// previous number still leads to the contact.
    fn add_identity(&mut self, person: &KnownContact, said: &Identity, at: Timestamp) {
        let after = person.learning(said, at);
        let former = person.identity.phone_number.clone();
        let former = former.filter(|it| after.phone_number.as_ref() != Some(it));
        let joins = former.filter(|it| !person.other_numbers.contains(it));
        self.update(person, after, NumberChanges::joining(joins), at);
    }

    /// Takes a number from its holder, because the number now belongs to somebody else. If the
    /// number was the holder's own, all other numbers stop leading to the holder too.
    fn hand_on(&mut self, holder: &KnownContact, number: &PhoneNumber, at: Timestamp) {
        if holder.identity.phone_number.as_ref() == Some(number) {
            let after = Identity { phone_number: None, ..holder.identity.clone() };
            self.update(holder, after, NumberChanges::leaving(holder.numbers()), at);
        } else {
            let leaves = NumberChanges::leaving([number.clone()]);
            self.update(holder, holder.identity.clone(), leaves, at);
        }
    }

    /// Merges two contacts of the same person. All numbers of both lead to the contact that stays.
    fn merge(&mut self, one: &KnownContact, other: &KnownContact, after: Identity, at: Timestamp) {
        let own = after.phone_number.clone();
        let numbers = [one, other].into_iter().filter_map(|it| it.identity.phone_number.clone());
        let joins = NumberChanges::joining(numbers.filter(|it| own.as_ref() != Some(it)));
        self.merge_with(one, other, after, joins, at);
    }

    fn merge_with(
        &mut self,
        one: &KnownContact,
        other: &KnownContact,
        after: Identity,
        numbers: NumberChanges,
        at: Timestamp,
    ) {
        let (kept, merged) = if stays(one, other) { (one, other) } else { (other, one) };
        self.person = Some(kept.contact);
        self.steps.push(RecognitionStep::Merge { kept: kept.contact, merged: merged.contact });
        self.update(kept, after, numbers, at.max(merged.identified_at));
    }
}

/// The reason why a member or a program may not merge two contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnmergeableContacts {
    #[error("both are the same contact")]
    Same,
    #[error("they write to two of your numbers; each number has contacts of its own")]
    OtherNumber,
    #[error("the channel has two user ids for them, so they are two people")]
    OtherPerson,
}

/// Merges a contact into another one, because a member or a program says that they are the same
/// person. All numbers of both lead to the contact that stays.
///
/// # Errors
///
/// The two are the same contact, or the channel has two user ids for them. In the latter case they
/// are two people, whom the channel would separate again.
pub fn merge_by_hand(
    kept: &KnownContact,
    merged: &KnownContact,
    at: Timestamp,
) -> Result<MatchResult, UnmergeableContacts> {
    if kept.contact == merged.contact {
        return Err(UnmergeableContacts::Same);
    }
    let users = kept.identity.user_id.as_ref().zip(merged.identity.user_id.as_ref());
    if users.is_some_and(|(one, other)| one != other) {
        return Err(UnmergeableContacts::OtherPerson);
    }
    let after = together(kept.identity.clone(), &merged.identity);
    let numbers = [kept, merged].into_iter().filter_map(|it| it.identity.phone_number.clone());
    let joins = numbers.filter(|it| after.phone_number.as_ref() != Some(it)).collect();
    let mut result = MatchResult { person: Some(kept.contact), ..MatchResult::default() };
    let (kept_id, merged_id) = (kept.contact, merged.contact);
    result.steps.push(RecognitionStep::Merge { kept: kept_id, merged: merged_id });
    result.update(kept, after, NumberChanges { joins, leaves: Vec::new() }, at);
    Ok(result)
}

/// Finds the contact to which a number leads. A contact whose own number it is takes precedence
/// over a contact that has the number among its other numbers.
fn by_number<'a>(
    known: &'a [KnownContact],
    number: Option<&PhoneNumber>,
) -> Option<&'a KnownContact> {
    let number = number?;
    let own = |it: &&KnownContact| it.identity.phone_number.as_ref() == Some(number);
    known.iter().find(own).or_else(|| known.iter().find(|it| it.other_numbers.contains(number)))
}

/// Finds the contact whose own number is the other form of `number`. If the channel has confirmed
/// the contact's number, the contact is not returned: two confirmed forms belong to two people.
fn by_other_form<'a>(
    known: &'a [KnownContact],
    number: Option<&PhoneNumber>,
) -> Option<&'a KnownContact> {
    let other = number?.other_form();
    let other = |it: &&KnownContact| other.is_some() && it.identity.phone_number == other;
    known.iter().filter(|it| !it.is_confirmed).find(other)
}

/// Finds the contact that has the reported user id. If there is none, finds one that has a user id
/// or a parent id in common with the report.
fn by_user<'a>(known: &'a [KnownContact], said: &Identity) -> Option<&'a KnownContact> {
    let user = said.user_id.as_ref();
    let own = known.iter().find(|it| user.is_some() && it.identity.user_id.as_ref() == user);
    own.or_else(|| known.iter().find(|it| it.identity.shares_user_id(said)))
}

/// Combines the identities of two contacts that are the same person. A value that `first` does not
/// have is taken from `other`.
fn together(first: Identity, other: &Identity) -> Identity {
    Identity {
        phone_number: first.phone_number.or_else(|| other.phone_number.clone()),
        user_id: first.user_id.or_else(|| other.user_id.clone()),
        parent_user_id: first.parent_user_id.or_else(|| other.parent_user_id.clone()),
        username: first.username.or_else(|| other.username.clone()),
        name: first.name.or_else(|| other.name.clone()),
    }
}

/// Matches a message that a person wrote at `at` with the known contacts. `said` is the identity
/// that the channel reported with the message. `known` must have all contacts with the reported
/// number, with its other form, or with one of the reported user ids.
#[must_use]
pub fn match_message(known: &[KnownContact], said: &Identity, at: Timestamp) -> MatchResult {
    let (mut judgement, mut said) = (MatchResult::default(), said.clone());
    let number = said.phone_number.clone();
    let exact = by_number(known, number.as_ref());
    let holder = exact.or_else(|| by_other_form(known, number.as_ref()));
    let fits = |it: &&KnownContact| said.user_id.is_none() || it.identity.user_id.is_none();
    let person = by_user(known, &said)
        .or_else(|| holder.filter(fits).filter(|it| !it.identity.contradicts(&said)));
    if let Some(holder) = holder.filter(|it| person.is_none_or(|one| one.contact != it.contact)) {
        let agrees = |person: &&KnownContact| {
            let known = &holder.identity;
            known.user_id.is_none()
                && !known.contradicts(&said)
                && !known.contradicts(&person.identity)
        };
        match person.filter(|it| it.may_have(number.as_ref())).filter(agrees) {
            Some(person) if holder.identified_at <= at => {
                let after = together(person.learning(&said, at), &holder.identity);
                judgement.merge(person, holder, after, at);
                return judgement;
            }
            // Only the other form of the holder's number is reported, which does not prove that the
            // number has a new owner.
            _ if exact.is_none() => {}
            // The holder has used the number after this message was written. The number is
            // therefore still the holder's.
            _ if holder.seen_at() > at => said.phone_number = None,
            _ if person
                .is_none_or(|it| it.learning(&said, at).phone_number == said.phone_number) =>
            {
                if let Some(number) = &number {
                    judgement.hand_on(holder, number, at);
                }
            }
            _ => said.phone_number = None,
        }
    }
    let Some(person) = person else {
        judgement.new = said;
        return judgement;
    };
    judgement.person = Some(person.contact);
    if let Some(twin) = find_other_form(known, person, &said)
        && judgement.steps.is_empty()
        && twin.identified_at.max(person.identified_at) <= at
    {
        let after = together(person.learning(&said, at), &twin.identity);
        judgement.merge(person, twin, after, at);
    } else {
        judgement.add_identity(person, &said, at);
    }
    judgement
}

/// Finds a second contact of the same person, by a user id or a parent id that both have. Messages
/// that were sent to a person's two ids create two contacts, as long as it is not known that the
/// two ids are one person's.
fn find_other_form<'a>(
    known: &'a [KnownContact],
    person: &KnownContact,
    said: &Identity,
) -> Option<&'a KnownContact> {
    let named = Identity {
        user_id: said.user_id.clone(),
        parent_user_id: said.parent_user_id.clone(),
        ..Identity::default()
    };
    let mut others = known.iter().filter(|it| it.contact != person.contact);
    others.find(|it| {
        let number = it.identity.phone_number.as_ref();
        let fits = number.is_none() || number == said.phone_number.as_ref();
        let theirs = it.identity.shares_user_id(&named) && !it.identity.contradicts(&named);
        fits && theirs && !it.identity.contradicts(&person.identity)
    })
}

/// The address to which a message was sent, as far as it is known. It is needed to match a report
/// about the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboundMatch {
    /// The message was sent to this address.
    To(Address),
    /// The address was not stored. The message was accepted at this time, and was sent to the
    /// address that the contact had then.
    At(Timestamp),
}

/// Whether a report about a message can contain something new about the message's contact: an
/// unknown user id, or another number. `said` is the recipient that the report names. Returns
/// `false` if the report has another user id than the contact. Returns `false` also if the contact
/// has no address anymore, because its address now belongs to somebody else.
#[must_use]
pub fn may_teach(known: &Identity, said: &Identity) -> bool {
    let missing = |said: bool, known: bool| said && !known;
    let number = said.phone_number.is_some() && said.phone_number != known.phone_number;
    let user = missing(said.user_id.is_some(), known.user_id.is_some());
    let parent = missing(said.parent_user_id.is_some(), known.parent_user_id.is_some());
    known.address().is_some() && !known.contradicts(said) && (number || user || parent)
}

/// Whether the recipient `said` of a reported message can be the contact `person`. The number in
/// `said` must lead to the contact, be the other form of the contact's own number, or be the
/// channel's form of the number to which the message was sent. If `said` or the contact has no
/// number, they must have a user id in common.
fn is_named(person: &KnownContact, said: &Identity, sent: &OutboundMatch) -> bool {
    let known = &person.identity;
    let Some(number) = &said.phone_number else { return known.shares_user_id(said) };
    let Some(own) = &known.phone_number else { return known.shares_user_id(said) };
    let went_there = || match sent {
        OutboundMatch::To(Address::Phone(number)) => person.goes_by(number),
        OutboundMatch::To(Address::User(_)) => false,
        // If only the time of the message is known, the reported number must have the same last
        // seven digits as a number of the contact. Any other number could be somebody else's, and a
        // merge of two conversations cannot be undone.
        OutboundMatch::At(accepted) => {
            person.identified_at <= *accepted
                && person.numbers().any(|own| own.has_same_subscriber(number))
        }
    };
    person.goes_by(number) || own.other_form().as_ref() == Some(number) || went_there()
}

/// Matches a report about a message to `contact` with the known contacts. The report was made at
/// `at`, and names the recipient `said`. Such a report can be late. It therefore adds only
/// identifiers that the contact does not have, and the channel's form of the number to which the
/// message was sent.
#[must_use]
pub fn match_status(
    known: &[KnownContact],
    contact: ContactId,
    said: &Identity,
    sent: &OutboundMatch,
    at: Timestamp,
) -> MatchResult {
    let mut judgement = MatchResult { person: Some(contact), ..MatchResult::default() };
    let said = Identity { username: None, name: None, ..said.clone() };
    let said = &said;
    let Some(person) = known.iter().find(|it| it.contact == contact) else { return judgement };
    let number = said.phone_number.as_ref();
    if matches!(sent, OutboundMatch::To(_)) && confirms(person, number) {
        let numbers = NumberChanges::joining(number.cloned());
        judgement.update(person, person.identity.clone(), numbers, at);
        return judgement;
    }
    if !may_teach(&person.identity, said) || !is_named(person, said, sent) {
        return judgement;
    }
    let others = || known.iter().filter(|it| it.contact != contact);
    let by_number = others().find(|it| number.is_some_and(|number| it.goes_by(number)));
    let by_user = others().find(|it| it.identity.shares_user_id(said));
    let both = by_number.zip(by_user).filter(|(one, other)| one.contact != other.contact);
    let only_number = Identity { phone_number: said.phone_number.clone(), ..Identity::default() };
    // If the number and the user id belong to two other contacts, this report merges only the
    // contact with the number. The next report merges the contact with the user id.
    let said = if both.is_some() { &only_number } else { said };
    let Some(other) = by_number.or(by_user) else {
        judgement.add_identity(person, said, at);
        return judgement;
    };
    let number_fits =
        other.identity.phone_number.is_none() || number.is_none_or(|it| other.goes_by(it));
    let agree = !other.identity.contradicts(said) && !other.identity.contradicts(&person.identity);
    let is_known = other.identity.address().is_some();
    if number_fits && agree && is_known && other.identified_at.max(person.identified_at) <= at {
        let after = together(person.learning(said, at), &other.identity);
        judgement.merge(person, other, after, at);
    }
    judgement
}

/// Whether a report confirms the contact's own number for the first time, and the number has two
/// forms. After the confirmation, the other form can only be somebody else's.
fn confirms(person: &KnownContact, number: Option<&PhoneNumber>) -> bool {
    let own = person.identity.phone_number.as_ref();
    let has_forms = number.is_some_and(|it| it.other_form().is_some());
    has_forms && own == number && !person.is_confirmed
}

/// Matches a change of identifiers, which the channel reported at `at`, with the known contacts.
/// `known` must have all contacts with one of the reported numbers or user ids. A change creates no
/// contact. If the person has left a number, that number and its other form stop leading to the
/// contact, because somebody else may get the number.
#[must_use]
pub fn match_change(known: &[KnownContact], change: &IdentityChange, at: Timestamp) -> MatchResult {
    let (mut judgement, IdentityChange { from, to }) = (MatchResult::default(), change);
    // A changed user id is new at the time of the change. If a contact that is older than the
    // change has the new user id, the change was already applied and is reported again.
    let renamed = from.user_id.is_some() && from.user_id != to.user_id;
    let repeated = renamed && by_user(known, to).is_some_and(|it| it.since < at);
    let named = by_number(known, from.phone_number.as_ref())
        .filter(|it| from.user_id.is_none() || (it.identity.user_id.is_none() && !repeated))
        // A contact that was identified after the change may be a new owner of the number.
        .filter(|it| it.identified_at <= at);
    if let (Some(person), Some(named)) = (by_user(known, from), named)
        && person.contact != named.contact
        && person.identity.phone_number.is_none()
    {
        let after = together(person.identity.clone(), &named.identity);
        judgement.merge(person, named, after, at);
        return MatchResult { unfinished: true, ..judgement };
    }
    let Some(person) = by_user(known, from).or(named) else {
        let person = by_user(known, to);
        return person.map_or(judgement, |_| match_message(known, to, at));
    };
    judgement.person = Some(person.contact);
    let twin = by_user(known, to).filter(|it| it.contact != person.contact);
    let holder = by_number(known, to.phone_number.as_ref());
    let holder = holder
        .filter(|it| it.contact != person.contact)
        .filter(|it| twin.is_none_or(|twin| twin.contact != it.contact));
    let mut after = person.identity.clone();
    after.user_id = to.user_id.clone().or(after.user_id);
    after.parent_user_id = to.parent_user_id.clone().or(after.parent_user_id);
    if to.phone_number.is_some() && person.identified_at <= at {
        after.phone_number.clone_from(&to.phone_number);
    }
    // If the contact that already has the new user id was identified after the change, its number
    // is newer than the number in the change.
    let newer = twin.filter(|it| it.identified_at > at);
    if let Some(number) = newer.and_then(|it| it.identity.phone_number.clone()) {
        after.phone_number = Some(number);
    }
    let mut same = twin;
    let number = after.phone_number.clone();
    match holder.filter(|it| number.as_ref().is_some_and(|number| it.goes_by(number))) {
        // The holder has only the new number, and was created after the change. The holder is
        // therefore the same person.
        Some(holder)
            if twin.is_none() && holder.identity.user_id.is_none() && holder.since >= at =>
        {
            same = Some(holder);
        }
        Some(holder) if holder.seen_at() > at => {
            after.phone_number = None;
            if after.address().is_none() {
                after.phone_number.clone_from(&person.identity.phone_number);
            }
        }
        Some(holder) => {
            if let Some(number) = &after.phone_number {
                judgement.hand_on(holder, number, at);
            }
        }
        None => {}
    }
    let left = number_changes(person, change, &after);
    match same {
        Some(other) => {
            let after = together(after, &other.identity);
            judgement.merge_with(person, other, after, left, at);
        }
        None => judgement.update(person, after, left, at),
    }
    judgement
}

/// Returns the numbers that stop leading to the contact after a change: all but the new number.
/// Returns no numbers if the contact's own number does not change and the number that the person
/// left does not lead to the contact.
fn number_changes(
    person: &KnownContact,
    change: &IdentityChange,
    after: &Identity,
) -> NumberChanges {
    let moves = change.to.phone_number.is_some() && change.from.phone_number != after.phone_number;
    let changed = after.phone_number != person.identity.phone_number;
    let leaves = change.from.phone_number.as_ref();
    let leaves = leaves.is_some_and(|number| person.other_numbers.contains(number));
    if !moves || !(changed || leaves) {
        return NumberChanges::default();
    }
    NumberChanges::leaving(person.numbers().filter(|it| Some(it) != after.phone_number.as_ref()))
}

#[cfg(test)]
mod tests;
