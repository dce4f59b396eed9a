//! Templates.
use crate::schema::templates;
use crate::types::{Col, Document};
use diesel::prelude::*;
use domain::id::{AccountId, OrganizationId, TemplateId};
use domain::template::{Category, ParameterFormat, RejectionReason, TemplateStatus};
use domain::time::Timestamp;

/// A template.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = templates, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Template {
    pub id: Col<TemplateId>,
    pub organization_id: Col<OrganizationId>,
    pub account_id: Col<AccountId>,
    pub name: String,
    pub language: String,
    pub category: Col<Category>,
    pub status: Col<TemplateStatus>,
    pub rejection_reason: Option<Col<RejectionReason>>,
    pub rejection_detail: Option<String>,
    pub parameter_format: Col<ParameterFormat>,
    pub components: Document,
    pub external_id: Option<String>,
    pub submitted_at: Option<Col<Timestamp>>,
    pub reviewed_at: Option<Col<Timestamp>>,
    pub created_at: Col<Timestamp>,
    pub updated_at: Col<Timestamp>,
}
