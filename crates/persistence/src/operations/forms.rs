//! Submitted forms of the dashboard.
use super::operations;
use crate::Db;
use crate::operations::OperatorDb;
use crate::records::{FormKey, FormResult};
use domain::time::Timestamp;

operations! {
    Db;
    /// Notes that a form is submitted, if it was not before.
    write forms::insert_form(new: FormResult) -> bool;
    /// What a submitted form led to.
    read forms::form_result(key: FormKey) -> Option<FormResult>;
    /// Notes what a submitted form led to.
    write forms::finish_form(key: FormKey, location: String, notice: Option<Vec<u8>>) -> ();
    /// Forgets that a form was submitted.
    write forms::release_form(key: FormKey) -> ();
    /// Takes what a form's page shows once.
    write forms::take_notice(key: FormKey, cutoff: Timestamp) -> Option<Vec<u8>>;
}

operations! {
    OperatorDb;
    /// Removes old forms and notices; returns how many.
    write_after forms::forget_forms(unread: Timestamp, cutoff: Timestamp, portion: i64) -> usize;
}
