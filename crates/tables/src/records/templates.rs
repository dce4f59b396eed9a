//! Templates.
use super::{ChannelAccess, StoredAnswer};
use crate::schema::{templates, verdicts};
use crate::types::{Attempts, Document};
use domain::event::{Event, TemplateSnapshot};
use domain::id::{AccountId, OrganizationId, TemplateId, VerdictId};
use domain::template::{
    Category, ParameterFormat, RejectionReason, ReportedVerdict, Review, TemplateQuality,
    TemplateStatus,
};
use domain::time::Timestamp;

record! {
    /// A template.
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
    /// Where it stands with the reviewer.
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

    /// As an event tells of it.
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

    /// Lets it stand there since `at`.
    pub fn come_to(&mut self, review: &Review, at: Timestamp) {
        self.status = review.status;
        self.rejection_reason = review.rejection_reason;
        self.rejection_detail.clone_from(&review.rejection_detail);
        self.submitted_at = review.submitted_at;
        self.reviewed_at = review.reviewed_at;
        self.updated_at = at;
    }
}

/// What the channel changed of a template by itself, and what its organization is told of that.
#[derive(Clone, Debug)]
pub struct TemplateRevision {
    /// Which template.
    pub id: TemplateId,
    /// When it had last changed when this was decided; should it have changed since, nothing is done.
    pub changed_at: Timestamp,
    /// Its quality from now on, if that is another.
    pub quality: Option<TemplateQuality>,
    /// Its category from now on, if that is another.
    pub category: Option<Category>,
    /// Its parts from now on, if they are others.
    pub components: Option<Document>,
    /// What is told.
    pub event: Event,
}

/// The result of a template that was to be made.
#[derive(Clone, Debug)]
pub enum Creation {
    /// It is made.
    Made,
    /// The organization has one of that name in that language.
    Exists,
    /// The request had been answered before, so nothing was done.
    Answered(StoredAnswer),
}

/// Which templates are wanted.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct TemplateFilter {
    pub status: Option<TemplateStatus>,
    pub category: Option<Category>,
    pub language: Option<String>,
    pub name: Option<String>,
}

impl TemplateFilter {
    /// Whether one index has the templates that it leaves in their order.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        let given = [self.status.is_some(), self.category.is_some(), self.language.is_some()];
        self.name.is_none() && given.into_iter().filter(|it| *it).count() < 2
    }
}

/// A template that is to be submitted for review, by one worker until its claim runs out.
#[derive(Clone, Debug)]
pub struct ClaimedSubmission {
    /// The template.
    pub template: Template,
    /// How the channel is reached for its number.
    pub access: ChannelAccess,
}

/// What changes a template: that it was submitted, or what the reviewer said.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where it stood when this was decided; should it stand elsewhere by now, nothing is done.
    pub from: TemplateStatus,
    /// Where it stands from now on; nothing if the machine does not lead there.
    pub to: Option<Review>,
    /// The reviewer's id of it, where that has become known.
    pub external_id: Option<String>,
    /// What its organization is told of that.
    pub event: Option<Event>,
    /// What was said, for the log.
    pub said: Judgement,
}

record! {
    /// Something that the reviewer said, as it is kept.
    pub struct Judgement of verdicts {
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

impl Judgement {
    /// As the rules of reviews see it.
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
