//! Explains to a member why a message is not sent.

use crate::browser::PageError;
use crate::dashboard::frame::refused;
use service::messages::MemberSendError;
use service::sending::SendError;

/// Returns a sentence for the member, or the error page.
pub fn why_not_sent(error: MemberSendError) -> Result<String, PageError> {
    Ok(match error {
        MemberSendError::NotFound => return Err(PageError::NotFound),
        MemberSendError::Database(error) | MemberSendError::Send(SendError::Database(error)) => {
            return Err(error.into());
        }
        MemberSendError::NotFailed => "Only a failed message can be sent again.".to_owned(),
        MemberSendError::SentAgain(_) => {
            "It was sent again already. The conversation has the new message.".to_owned()
        }
        MemberSendError::Billing(why) => refused(why).to_owned(),
        MemberSendError::Unreadable(_) => "Its content can’t be read by this version.".to_owned(),
        MemberSendError::Send(error) => match error {
            SendError::NotFound(what) => format!("The {what} that it names does not exist."),
            SendError::TemplateNotApproved { name, status, .. } => {
                format!("The template {name} is {status}. Only approved templates can be sent.")
            }
            SendError::Mismatch(it) => format!("The parameters don’t match the template: {it:?}."),
            SendError::NotSupported(what, channel) => {
                format!("{what} is not supported by {channel}.")
            }
            SendError::PhoneNumberRequired => {
                "The customer’s phone number is needed, and not known.".to_owned()
            }
            SendError::AgentRefused(_) => "The AI agent may not answer here.".to_owned(),
            SendError::RecipientOptedOut => "The customer has opted out of marketing.".to_owned(),
            SendError::CapReached(_) => {
                "The messages of this connection are used up for this month.".to_owned()
            }
            SendError::AllowanceReached(_) => {
                "This month’s messages are used up. The plan says when they are renewed.".to_owned()
            }
            SendError::AnsweredMeanwhile(_) => "Somebody else answered in the meantime.".to_owned(),
            SendError::UnreadableTemplate(..)
            | SendError::Unwritable(_)
            | SendError::Database(_) => "It can’t be read by this version.".to_owned(),
        },
    })
}
