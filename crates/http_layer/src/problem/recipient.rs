//! Errors for messages that cannot be sent to a contact.

use super::{Code, Problem};

impl Problem {
    /// Returns the error for a message that needs the contact's phone number, which is not known.
    #[must_use]
    pub fn phone_number_required() -> Self {
        let message = "This person's phone number is not known, and the message needs it. Ask for it with an \
                       interactive message of type request_contact_info.";
        Self::new(Code::PhoneNumberRequired, message)
    }

    /// Returns the error for a marketing template to a contact who has opted out.
    #[must_use]
    pub fn recipient_opted_out() -> Self {
        let message = "This person has stopped marketing messages of your business. Templates of the other categories \
                       can be sent.";
        Self::new(Code::RecipientOptedOut, message)
    }
}
