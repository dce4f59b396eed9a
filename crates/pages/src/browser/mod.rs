//! Code that all pages share: visitors, forms and responses.

mod appearance;
mod contact;
mod cookies;
pub mod device;
mod disabled_by;
mod field_errors;
mod form;
mod initials;
mod last_organization;
mod multipart;
mod page;
mod return_to;
mod scopes;
mod shown_time;
mod status;
mod visitor;

pub use appearance::Appearance;
pub use contact::SupportContact;
pub use cookies::cookies;
pub use disabled_by::DisabledBy;
pub use field_errors::{FieldErrors, sentence};
pub use form::{Form, decode_form};
pub use initials::initials;
pub use last_organization::{last_organization, remember_organization};
pub use multipart::{FormFile, ReceivedFile, read_with_file};
pub use page::{
    ErrorWords, POLICY, PageError, PagePolicy, PlainPage, SignInRequired, accepts_page,
    end_of_request, expired_form, form_only, is_person, message, permitted, redirect, refuse,
};
pub use return_to::{ReturnTo, SUBMITTED_TO, TYPED};
pub use scopes::{ScopeChoice, scope_choices, selected_scopes};
pub use shown_time::ShownTime;
pub use status::{ObjectState, StateLabel};
pub use visitor::{SIGN_IN, SIGN_OUT, Visitor, session_client};
