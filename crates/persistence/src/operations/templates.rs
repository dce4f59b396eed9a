//! Templates and their reviews.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{
    Change, ClaimedSubmission, Creation, Idempotent, Judgement, Template, TemplateFilter,
    TemplateRevision,
};
use domain::id::{AccountId, InstanceId, OrganizationId, TemplateId};
use domain::time::Timestamp;
use std::collections::BTreeMap;

operations! {
    Db;
    /// Makes a template.
    write templates::insert_template(new: Template) -> ();
    /// Makes a template to be submitted, and keeps the answer for a request that comes again.
    write templates::create_template(new: Template, keep: Option<(Idempotent, String)>) -> Creation;
}

operations! {
    OrganizationDb<organization>;
    /// One of the organization's templates.
    read templates::template(id: TemplateId) -> Option<Template>;
    /// The organization's newest templates of a filter that an index answers, and how many there are.
    read template_lists::newest_templates(wanted: TemplateFilter, limit: i64) -> (Vec<Template>, i64);
    /// A page of the organization's templates, and how many there are.
    long_read template_lists::templates_page(wanted: TemplateFilter, limit: i64, offset: i64) -> (Vec<Template>, i64);
    /// Puts off the handing in of a template.
    write templates::reschedule_submission(id: TemplateId, due: Option<Timestamp>) -> ();
    /// Records what the channel changed of a template; `false` if it is another by now.
    write templates::revise_template(revision: TemplateRevision) -> bool;
    /// Records changes of one template, about which to ask at `ask_at`; `false` if it stands elsewhere by now.
    write templates::change_template(changes: Vec<Change>, ask_at: Option<Timestamp>) -> bool;
    /// All that the reviewer said of a template.
    read templates::judgements(id: TemplateId) -> Vec<Judgement>;
    /// The organization's template of that name in that language.
    read templates::template_named(name: String, language: String) -> Option<Template>;
}

operations! {
    OperatorDb anywhere;
    /// Claims templates that are to be submitted for review.
    write_after templates::claim_submissions(server: InstanceId, limit: i64, now: Timestamp, until: Timestamp) -> Vec<ClaimedSubmission>;
}

operations! {
    OperatorDb;
    /// Forgets a portion of what the reviewer said before `cutoff`; returns how many.
    write_after retention::forget_verdicts(cutoff: Timestamp, portion: i64) -> usize;
    /// The template that a report of the channel is about.
    read templates::template_on_channel(within: BTreeMap<OrganizationId, Vec<AccountId>>, external_id: String, name: String, language: String) -> Option<Template>;
}
