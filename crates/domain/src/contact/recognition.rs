//! Matches the channel's reports about a person with the known contacts: who the person is, and
//! what changes.
//!
//! A user id belongs to one person and changes only if the channel says so. A phone number may get
//! a new owner: a person who comes with the number and a different user id is the new owner. A
//! report that is older than the stored data does not overwrite it.

use super::{Identity, stays};
use crate::id::ContactId;
use crate::phone::PhoneNumber;
use crate::time::Timestamp;

/// A known contact that matches a reported phone number or user id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub contact: ContactId,
    pub identity: Identity,
    /// Number of messages in the contact's conversation.
    pub messages: i64,
    pub since: Timestamp,
    /// The last time at which the phone number and the user id were confirmed or changed.
    pub identified_at: Timestamp,
    /// The time of the last message from the contact.
    pub last_inbound_at: Option<Timestamp>,
}

impl Known {
    /// Returns the last time at which the person is known to have had the number.
    fn seen_at(&self) -> Timestamp {
        self.last_inbound_at.map_or(self.identified_at, |at| at.max(self.identified_at))
    }

    /// Returns the identity after the person wrote at `at` and was reported as `said`.
    fn learning(&self, said: &Identity, at: Timestamp) -> Identity {
        let (known, addresses) = (self.identity.clone(), at >= self.identified_at);
        let newest = addresses && self.last_inbound_at.is_none_or(|last| at >= last);
        let text = |said: &Option<String>, known: Option<String>| {
            let said = said.clone();
            if newest { said.or(known) } else { known.or(said) }
        };
        let replaced = newest || (addresses && known.phone_number.is_none());
        Identity {
            phone_number: said.phone_number.clone().filter(|_| replaced).or(known.phone_number),
            user_id: known.user_id.or_else(|| said.user_id.clone()),
            parent_user_id: match &said.parent_user_id {
                Some(said) if newest => Some(said.clone()),
                said => known.parent_user_id.or_else(|| said.clone()),
            },
            username: text(&said.username, known.username),
            name: text(&said.name, known.name),
        }
    }
}

/// A change of a person's identifiers, as the channel reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The previous phone number, user id or both.
    pub from: Identity,
    /// The new identifiers, as far as they are reported.
    pub to: Identity,
}

/// One change to make. The steps are done in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The identity of a contact changes.
    Update(Box<Update>),
    /// Two contacts are the same person.
    Merge {
        /// The contact that stays.
        kept: ContactId,
        /// The contact whose messages are moved to it.
        merged: ContactId,
    },
}

/// A new identity for a contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    pub contact: ContactId,
    /// The identity before the update.
    pub before: Identity,
    /// The identity after the update.
    pub after: Identity,
    /// The time at which the addresses were last confirmed or changed.
    pub identified_at: Timestamp,
}

/// The outcome of matching a report with the known contacts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The person's contact once the steps are done, or nothing if the person is new.
    pub person: Option<ContactId>,
    /// The changes to make. Empty if nothing is new.
    pub steps: Vec<Step>,
    /// The identity for the new contact, if the person is new.
    pub new: Identity,
    /// Whether the report must be matched again after the steps are done.
    pub unfinished: bool,
}

impl Judgement {
    fn update(&mut self, known: &Known, after: Identity, at: Timestamp) {
        if after == known.identity {
            return;
        }
        let same = after.phone_number == known.identity.phone_number
            && after.user_id == known.identity.user_id;
        let identified_at = if same { known.identified_at } else { known.identified_at.max(at) };
        let (contact, before) = (known.contact, known.identity.clone());
        let update = Update { contact, before, after, identified_at };
        self.steps.push(Step::Update(Box::new(update)));
    }

    /// Removes the number of `holder`, because it has a new owner.
    fn hand_on(&mut self, holder: &Known, at: Timestamp) {
        let after = Identity { phone_number: None, ..holder.identity.clone() };
        self.update(holder, after, at);
    }

    fn merge(&mut self, one: &Known, other: &Known, after: Identity, at: Timestamp) {
        let (kept, merged) = if stays(one, other) { (one, other) } else { (other, one) };
        self.person = Some(kept.contact);
        self.steps.push(Step::Merge { kept: kept.contact, merged: merged.contact });
        self.update(kept, after, at.max(merged.identified_at));
    }
}

fn by_number<'a>(known: &'a [Known], number: Option<&PhoneNumber>) -> Option<&'a Known> {
    number
        .and_then(|it| known.iter().find(|known| known.identity.phone_number.as_ref() == Some(it)))
}

fn by_user<'a>(known: &'a [Known], said: &Identity) -> Option<&'a Known> {
    let user = said.user_id.as_ref()?;
    known.iter().find(|known| known.identity.user_id.as_ref() == Some(user))
}

/// Combines the identities of two contacts that are the same person: `first`, with gaps filled from
/// `other`.
fn together(first: Identity, other: &Identity) -> Identity {
    Identity {
        phone_number: first.phone_number.or_else(|| other.phone_number.clone()),
        user_id: first.user_id.or_else(|| other.user_id.clone()),
        parent_user_id: first.parent_user_id.or_else(|| other.parent_user_id.clone()),
        username: first.username.or_else(|| other.username.clone()),
        name: first.name.or_else(|| other.name.clone()),
    }
}

/// Matches a person who wrote at `at` and was reported as `said`. `known` are the contacts with the
/// reported number or user id.
#[must_use]
pub fn of_message(known: &[Known], said: &Identity, at: Timestamp) -> Judgement {
    let (mut judgement, mut said) = (Judgement::default(), said.clone());
    let holder = by_number(known, said.phone_number.as_ref());
    let person = by_user(known, &said)
        .or_else(|| holder.filter(|it| said.user_id.is_none() || it.identity.user_id.is_none()));
    if let Some(holder) = holder.filter(|it| person.is_none_or(|one| one.contact != it.contact)) {
        let numberless = person.filter(|it| it.identity.phone_number.is_none());
        match numberless.filter(|_| holder.identity.user_id.is_none()) {
            Some(person) if holder.identified_at <= at => {
                let after = together(person.learning(&said, at), &holder.identity);
                judgement.merge(person, holder, after, at);
                return judgement;
            }
            // The holder was seen with the number after this message, so the number is still the
            // holder's.
            _ if holder.seen_at() > at => said.phone_number = None,
            _ if person
                .is_none_or(|it| it.learning(&said, at).phone_number == said.phone_number) =>
            {
                judgement.hand_on(holder, at);
            }
            _ => said.phone_number = None,
        }
    }
    if let Some(person) = person {
        judgement.person = Some(person.contact);
        judgement.update(person, person.learning(&said, at), at);
    } else {
        judgement.new = said;
    }
    judgement
}

/// Whether the known identity does not contradict the one in a report. A contact without an address
/// never fits, because its messages went to an address that now belongs to somebody else.
fn fits(known: &Identity, said: &Identity) -> bool {
    let number = known.phone_number.is_none() || known.phone_number == said.phone_number;
    let user = known.user_id.is_none() || known.user_id == said.user_id;
    known.address().is_some() && number && user
}

/// Whether a report on a message can complete the recipient's identity: it has both a number and a
/// user id, one of which is known and the other is not.
#[must_use]
pub fn adds_identity(known: &Identity, said: &Identity) -> bool {
    let named = said.phone_number.is_some() && said.user_id.is_some();
    let missing = known.phone_number.is_none() || known.user_id.is_none();
    named && missing && fits(known, said)
}

/// Matches the recipient of a message to `contact`, whom the channel reported at `at` as `said`.
/// Only missing identifiers are added, because a report may be late.
#[must_use]
pub fn of_status(known: &[Known], contact: ContactId, said: &Identity, at: Timestamp) -> Judgement {
    let mut judgement = Judgement { person: Some(contact), ..Judgement::default() };
    let person = known.iter().find(|it| it.contact == contact);
    let Some(person) = person.filter(|it| adds_identity(&it.identity, said)) else {
        return judgement;
    };
    let said = Identity {
        phone_number: said.phone_number.clone(),
        user_id: said.user_id.clone(),
        ..Identity::default()
    };
    let after = person.learning(&said, at);
    match known.iter().find(|it| it.contact != contact) {
        None => judgement.update(person, after, at),
        Some(other)
            if fits(&other.identity, &said)
                && other.identified_at.max(person.identified_at) <= at =>
        {
            judgement.merge(person, other, together(after, &other.identity), at);
        }
        Some(_) => {}
    }
    judgement
}

/// Matches a change of a person's identifiers that the channel reported at `at`. `known` are the
/// contacts with any of the reported numbers and user ids. A change never creates a contact.
#[must_use]
pub fn of_change(known: &[Known], change: &Change, at: Timestamp) -> Judgement {
    let (mut judgement, Change { from, to }) = (Judgement::default(), change);
    // A new user id had no owner before. If a contact has had it since before the change, then the
    // change was already applied, and this is a repeat.
    let renamed = from.user_id.is_some() && from.user_id != to.user_id;
    let repeated = renamed && by_user(known, to).is_some_and(|it| it.since < at);
    let named = by_number(known, from.phone_number.as_ref())
        .filter(|it| from.user_id.is_none() || (it.identity.user_id.is_none() && !repeated))
        // The number may have got a new owner since.
        .filter(|it| it.identified_at <= at);
    if let (Some(person), Some(named)) = (by_user(known, from), named)
        && person.contact != named.contact
        && person.identity.phone_number.is_none()
    {
        let after = together(person.identity.clone(), &named.identity);
        judgement.merge(person, named, after, at);
        return Judgement { unfinished: true, ..judgement };
    }
    let Some(person) = by_user(known, from).or(named) else {
        let person = by_user(known, to);
        return person.map_or(judgement, |_| of_message(known, to, at));
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
    // If the person has written under the new user id since, the number reported then counts.
    let newer = twin.filter(|it| it.identified_at > at);
    if let Some(number) = newer.and_then(|it| it.identity.phone_number.clone()) {
        after.phone_number = Some(number);
    }
    let mut same = twin;
    match holder.filter(|it| it.identity.phone_number == after.phone_number) {
        // A contact known only by the new number, and only since the change, is this person.
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
        Some(holder) => judgement.hand_on(holder, at),
        None => {}
    }
    match same {
        Some(other) => judgement.merge(person, other, together(after, &other.identity), at),
        None => judgement.update(person, after, at),
    }
    judgement
}

#[cfg(test)]
mod tests;
