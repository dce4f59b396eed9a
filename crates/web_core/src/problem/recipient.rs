//! Why a message cannot go to a person.

use super::{Code, Problem};

impl Problem {
    /// The message cannot go to a person whose number is not known.
    #[must_use]
    pub fn phone_number_required() -> Self {
        let message = "This person's phone number is not known, and the message needs it. Ask for it with an \
                       interactive message of type request_contact_info.";
        Self::new(Code::PhoneNumberRequired, message)
    }

    /// Marketing for a person who wants none.
    #[must_use]
    pub fn recipient_opted_out() -> Self {
        let message = "This person has stopped marketing messages of your business. Templates of the other categories \
                       can be sent.";
        Self::new(Code::RecipientOptedOut, message)
    }
}
