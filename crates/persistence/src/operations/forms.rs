//! Operations on submitted forms of the dashboard.
use super::operations;
use crate::Db;
use crate::operations::OperatorDb;
use crate::records::{FormKey, FormResult};
use domain::time::Timestamp;

operations! {
    Db;
    /// Records that a form is submitted. Returns `false` if it was submitted before.
    write forms::insert_form(new: FormResult) -> bool;
    /// Returns the result of a submitted form.
    read forms::form_result(key: FormKey) -> Option<FormResult>;
    /// Stores the result of a submitted form.
    write forms::finish_form(key: FormKey, location: String, notice: Option<Vec<u8>>) -> ();
    /// Removes the record of a submitted form.
    write forms::release_form(key: FormKey) -> ();
    /// Takes the notice that a form's page shows once.
    write forms::consume_notice(key: FormKey, cutoff: Timestamp) -> Option<Vec<u8>>;
}

operations! {
    OperatorDb;
    /// Deletes old forms and notices, and returns how many.
    write_after forms::delete_expired_forms(unread: Timestamp, cutoff: Timestamp, portion: i64) -> usize;
}
