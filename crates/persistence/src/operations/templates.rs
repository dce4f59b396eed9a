//! Operations on templates and their reviews.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{
    ClaimedSubmission, Creation, Idempotent, StoredVerdict, Template, TemplateFilter,
    TemplateRevision, TemplateTransition,
};
use domain::id::{AccountId, InstanceId, OrganizationId, TemplateId};
use domain::time::Timestamp;
use std::collections::BTreeMap;

operations! {
    Db;
    write templates::insert_template(new: Template) -> ();
    /// Creates a template to be submitted, and stores the answer of an idempotent request.
    write templates::create_template(new: Template, keep: Option<(Idempotent, String)>) -> Creation;
}

operations! {
    OrganizationDb<organization>;
    read templates::template(id: TemplateId) -> Option<Template>;
    /// Returns the organization's newest templates and their total, for a filter that an index
    /// answers.
    read template_lists::newest_templates(wanted: TemplateFilter, limit: i64) -> (Vec<Template>, i64);
    /// Returns a page of the organization's templates and their total.
    long_read template_lists::list_templates(wanted: TemplateFilter, limit: i64, offset: i64) -> (Vec<Template>, i64);
    /// Postpones the submission of a template.
    write templates::reschedule_submission(id: TemplateId, due: Option<Timestamp>) -> ();
    /// Stores the changes that the channel made to a template. Returns `false` if the template has
    /// changed meanwhile.
    write templates::revise_template(revision: TemplateRevision) -> bool;
    /// Stores changes of one template's status; the reviewer is asked again at `ask_at`. Returns
    /// `false` if the template is not in the expected status.
    write templates::change_template(changes: Vec<TemplateTransition>, ask_at: Option<Timestamp>) -> bool;
    /// Returns all that the reviewer said about a template.
    read templates::list_verdicts(id: TemplateId) -> Vec<StoredVerdict>;
    /// Returns the organization's template with this name and language.
    read templates::template_named(name: String, language: String) -> Option<Template>;
}

operations! {
    OperatorDb anywhere;
    /// Claims templates to be submitted for review.
    write_after templates::claim_submissions(server: InstanceId, limit: i64, now: Timestamp, until: Timestamp) -> Vec<ClaimedSubmission>;
}

operations! {
    OperatorDb;
    /// Deletes some of the reviewer's verdicts from before `cutoff`, and returns how many.
    write_after retention::delete_expired_verdicts(cutoff: Timestamp, portion: i64) -> usize;
    /// Returns the template that a callback of the channel is about.
    read templates::template_on_channel(within: BTreeMap<OrganizationId, Vec<AccountId>>, external_id: String, name: String, language: String) -> Option<Template>;
}
