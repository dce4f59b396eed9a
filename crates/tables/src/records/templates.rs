//! Message templates.
use super::{ChannelAccess, StoredAnswer};
use crate::schema::{templates, verdicts};
use crate::types::{Attempts, Document};
use domain::event::{NewEvent, TemplateSnapshot};
use domain::id::{AccountId, OrganizationId, TemplateId, VerdictId};
use domain::template::{
    Category, ParameterFormat, RejectionReason, ReportedVerdict, Review, TemplateQuality,
    TemplateStatus,
};
use domain::time::Timestamp;

record! {
    pub struct Template of templates {
        pub id: TemplateId,
        pub organization_id: OrganizationId,
        pub account_id: AccountId,
        pub name: String,
        pub language: String,
        pub category: Category,
        pub status: TemplateStatus,
        pub rejection_reason: Option<RejectionReason>,
        pub rejection_detail: Option<String>,
        pub parameter_format: ParameterFormat,
        pub components: Document,
        pub external_id: Option<String>,
        pub submitted_at: Option<Timestamp>,
        pub reviewed_at: Option<Timestamp>,
        pub created_at: Timestamp,
        pub updated_at: Timestamp,
        pub submission_due_at: Option<Timestamp>,
        pub submission_attempts: Attempts,
        pub message_send_ttl_seconds: Option<i32>,
        pub quality: Option<TemplateQuality>,
    }
}

impl Template {
    /// Returns the state of the review.
    #[must_use]
    pub fn review(&self) -> Review {
        Review {
            status: self.status,
            rejection_reason: self.rejection_reason,
            rejection_detail: self.rejection_detail.clone(),
            submitted_at: self.submitted_at,
            reviewed_at: self.reviewed_at,
        }
    }

    /// Returns the template as events show it.
    #[must_use]
    pub fn snapshot(&self) -> TemplateSnapshot {
        TemplateSnapshot {
            id: self.id,
            account: self.account_id,
            name: self.name.clone(),
            language: self.language.clone(),
            category: self.category,
            review: self.review(),
            parameter_format: self.parameter_format,
            components: self.components.0.clone(),
            message_send_ttl_seconds: self.message_send_ttl_seconds,
            quality: self.quality,
            external_id: self.external_id.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// Sets the state of the review. `at` is the time of the change.
    pub fn apply_review(&mut self, review: &Review, at: Timestamp) {
        self.status = review.status;
        self.rejection_reason = review.rejection_reason;
        self.rejection_detail.clone_from(&review.rejection_detail);
        self.submitted_at = review.submitted_at;
        self.reviewed_at = review.reviewed_at;
        self.updated_at = at;
    }
}

/// A change that the channel made to a template by itself, and the event for its organization.
#[derive(Clone, Debug)]
pub struct TemplateRevision {
    pub id: TemplateId,
    /// The template's `updated_at` when the change was decided. If the template has changed since,
    /// nothing is done.
    pub changed_at: Timestamp,
    /// The new quality, if it changed.
    pub quality: Option<TemplateQuality>,
    /// The new category, if it changed.
    pub category: Option<Category>,
    /// The new components, if they changed.
    pub components: Option<Document>,
    pub event: NewEvent,
}

/// An edit of a template that the reviewer has received and reviews again, and the event for its
/// organization.
#[derive(Clone, Debug)]
pub struct TemplateResubmission {
    pub id: TemplateId,
    /// The end of the reservation of the template for this edit, which identifies the reservation.
    pub reserved_until: Timestamp,
    pub category: Category,
    pub components: Document,
    pub review: Review,
    pub event: Option<NewEvent>,
    pub at: Timestamp,
}

/// The result of creating a template.
#[derive(Clone, Debug)]
pub enum Creation {
    Made,
    /// The organization already has a template with this name and language.
    Exists,
    /// The request had been answered before. Nothing was done.
    Answered(StoredAnswer),
}

/// A filter for templates.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct TemplateFilter {
    pub status: Option<TemplateStatus>,
    pub category: Option<Category>,
    pub language: Option<String>,
    pub name: Option<String>,
}

impl TemplateFilter {
    /// Whether one index returns the matching templates in order.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        let given = [self.status.is_some(), self.category.is_some(), self.language.is_some()];
        self.name.is_none() && given.into_iter().filter(|it| *it).count() < 2
    }
}

/// The number of an organization's templates with one status, one category and one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateCount {
    pub status: TemplateStatus,
    /// The language code.
    pub language: String,
    /// The number of templates, at least one.
    pub templates: i64,
}

/// A template to submit for review, claimed by one worker until its claim expires.
#[derive(Clone, Debug)]
pub struct ClaimedSubmission {
    pub template: Template,
    /// The access to the channel of the template's account.
    pub access: ChannelAccess,
}

/// A change of a template: its submission, or a verdict of the reviewer.
#[derive(Clone, Debug)]
pub struct TemplateTransition {
    /// The status when the change was decided. If the template has another status since, nothing is
    /// done.
    pub from: TemplateStatus,
    /// The new state of the review. `None` if the verdict changes nothing.
    pub to: Option<Review>,
    /// The reviewer's id of the template, if this change made it known.
    pub external_id: Option<String>,
    /// The event for the organization.
    pub event: Option<NewEvent>,
    /// The verdict, which is stored next to earlier verdicts on the template.
    pub said: StoredVerdict,
}

record! {
    /// A stored verdict of the reviewer.
    pub struct StoredVerdict of verdicts {
        pub organization_id: OrganizationId,
        pub id: VerdictId,
        pub template_id: TemplateId,
        pub verdict: TemplateStatus,
        pub reason: Option<RejectionReason>,
        pub detail: Option<String>,
        pub took_effect: bool,
        pub received_at: Timestamp,
    }
}

impl StoredVerdict {
    /// Converts the row into the domain's verdict.
    #[must_use]
    pub fn reported(self) -> ReportedVerdict {
        ReportedVerdict {
            status: self.verdict,
            reason: self.reason,
            detail: self.detail,
            took_effect: self.took_effect,
            at: self.received_at,
        }
    }
}
