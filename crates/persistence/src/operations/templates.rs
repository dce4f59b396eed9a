//! Operations on templates and their reviews.
use super::{
    DbFuture, OperatorDb, OrganizationDb, all_tenants_query, any_node_query, tenant_query,
    unscoped_query,
};
use crate::Db;
use crate::records::{
    ClaimedSubmission, Creation, Idempotent, StoredVerdict, Template, TemplateFilter,
    TemplateResubmission, TemplateRevision, TemplateTransition,
};
use domain::id::{AccountId, InstanceId, OrganizationId, TemplateId};
use domain::time::Timestamp;
use std::collections::BTreeMap;

impl Db {
    pub fn insert_template(&self, new: Template) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, templates::insert_template(new))
    }

    /// Creates a template, which a worker later submits to the reviewer, and stores the answer of
    /// an idempotent request.
    pub fn create_template(
        &self,
        new: Template,
        keep: Option<(Idempotent, String)>,
    ) -> DbFuture<'_, Creation> {
        unscoped_query!(self, write, templates::create_template(new, keep))
    }
}

impl<'a> OrganizationDb<'a> {
    pub fn template(self, id: TemplateId) -> DbFuture<'a, Option<Template>> {
        tenant_query!(self.organization, read, templates::template(id))
    }

    /// Returns the organization's newest templates that match, and their total number. The filter
    /// must be one that a single index can answer.
    pub fn newest_templates(
        self,
        wanted: TemplateFilter,
        limit: i64,
    ) -> DbFuture<'a, (Vec<Template>, i64)> {
        tenant_query!(self.organization, read, template_lists::newest_templates(wanted, limit))
    }

    /// Returns a page of the organization's templates, and the total number of templates that
    /// match.
    pub fn list_templates(
        self,
        wanted: TemplateFilter,
        limit: i64,
        offset: i64,
    ) -> DbFuture<'a, (Vec<Template>, i64)> {
        tenant_query!(
            self.organization,
            long_read,
            template_lists::list_templates(wanted, limit, offset)
        )
    }

    /// Postpones the submission of a template.
    pub fn reschedule_submission(self, id: TemplateId, due: Option<Timestamp>) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, templates::reschedule_submission(id, due))
    }

    /// Stores the changes that the channel made to a template. Returns `false` if the template has
    /// changed meanwhile.
    pub fn revise_template(self, revision: TemplateRevision) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, templates::revise_template(revision))
    }

    /// Stores changes of one template's status. The reviewer is asked for the status again at
    /// `ask_at`. Returns `false` if the template is not in the expected status.
    pub fn change_template(
        self,
        changes: Vec<TemplateTransition>,
        ask_at: Option<Timestamp>,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, templates::change_template(changes, ask_at))
    }

    /// Reserves a template for a change. Returns `false` if the template is reserved, is being
    /// submitted, or has changed.
    pub fn reserve_template(
        self,
        id: TemplateId,
        changed_at: Timestamp,
        until: Timestamp,
        server: InstanceId,
    ) -> DbFuture<'a, bool> {
        tenant_query!(
            self.organization,
            write,
            templates::reserve_template(id, changed_at, until, server)
        )
    }

    /// Ends the reservation of a template.
    pub fn release_template(
        self,
        id: TemplateId,
        until: Timestamp,
        due: Option<Timestamp>,
    ) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, templates::release_template(id, until, due))
    }

    /// Stores a change that the reviewer accepted. Returns `false` if the reservation has ended.
    pub fn resubmit_template(self, new: TemplateResubmission) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, templates::resubmit_template(new))
    }

    /// Returns all verdicts of the reviewer on a template.
    pub fn list_verdicts(self, id: TemplateId) -> DbFuture<'a, Vec<StoredVerdict>> {
        tenant_query!(self.organization, read, templates::list_verdicts(id))
    }

    /// Returns the organization's template with this name and language.
    pub fn template_named(self, name: String, language: String) -> DbFuture<'a, Option<Template>> {
        tenant_query!(self.organization, read, templates::template_named(name, language))
    }

    /// Returns the organization's templates with these names and languages, in any order.
    pub fn templates_named(self, wanted: Vec<(String, String)>) -> DbFuture<'a, Vec<Template>> {
        tenant_query!(self.organization, read, templates::templates_named(wanted))
    }
}

impl<'a> OperatorDb<'a> {
    /// Claims templates to be submitted for review.
    pub fn claim_submissions(
        self,
        server: InstanceId,
        limit: i64,
        now: Timestamp,
        until: Timestamp,
    ) -> DbFuture<'a, Vec<ClaimedSubmission>> {
        any_node_query!(self, write_after, templates::claim_submissions(server, limit, now, until))
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes up to `portion` of the reviewer's verdicts from before `cutoff`, and returns how
    /// many.
    pub fn delete_expired_verdicts(self, cutoff: Timestamp, portion: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, retention::delete_expired_verdicts(cutoff, portion))
    }

    /// Returns the template that a callback of the channel is about.
    pub fn template_on_channel(
        self,
        within: BTreeMap<OrganizationId, Vec<AccountId>>,
        external_id: String,
        name: String,
        language: String,
    ) -> DbFuture<'a, Option<Template>> {
        all_tenants_query!(
            self,
            read,
            templates::template_on_channel(within, external_id, name, language)
        )
    }
}
