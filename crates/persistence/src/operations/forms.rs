//! Operations on submitted forms of the dashboard.
use super::{DbFuture, OperatorDb, all_tenants_query, unscoped_query};
use crate::Db;
use crate::records::{FormKey, FormResult};
use domain::time::Timestamp;

impl Db {
    /// Records that a form is submitted. Returns `false` if it was submitted before.
    pub fn insert_form(&self, new: FormResult) -> DbFuture<'_, bool> {
        unscoped_query!(self, write, forms::insert_form(new))
    }

    /// Returns the result of a submitted form.
    pub fn form_result(&self, key: FormKey) -> DbFuture<'_, Option<FormResult>> {
        unscoped_query!(self, read, forms::form_result(key))
    }

    /// Stores the result of a submitted form.
    pub fn finish_form(
        &self,
        key: FormKey,
        location: String,
        notice: Option<Vec<u8>>,
    ) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, forms::finish_form(key, location, notice))
    }

    /// Removes the record of a submitted form, so that the form can be submitted again.
    pub fn release_form(&self, key: FormKey) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, forms::release_form(key))
    }

    /// Returns and deletes the notice that a page shows once after a form.
    pub fn consume_notice(&self, key: FormKey, cutoff: Timestamp) -> DbFuture<'_, Option<Vec<u8>>> {
        unscoped_query!(self, write, forms::consume_notice(key, cutoff))
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes old forms and notices, and returns how many.
    pub fn delete_expired_forms(
        self,
        unread: Timestamp,
        cutoff: Timestamp,
        portion: i64,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, forms::delete_expired_forms(unread, cutoff, portion))
    }
}
