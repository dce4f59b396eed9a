//! Templates: creating, changing and deleting them (`docs/contract.md#manage-templates`). A new
//! template is submitted to the reviewer.

pub mod change;
pub mod changes;
pub mod sent;

use api_types::template::definition;
use channel::capabilities::Unsupported;
use domain::account::ChannelKind;
use domain::id::{AccountId, OrganizationId, TemplateId};
use domain::number::saturating;
use domain::template::{BodyPart, NewTemplate, TemplateStatus};
use persistence::records::{
    Creation, Idempotent, StoredAnswer, StoredVerdict, Template, TemplateCount, TemplateFilter,
};
use persistence::{Db, Document, Reader};
use platform::Deps;
use std::collections::BTreeSet;

/// The number of newest templates whose texts are searched.
pub const MAX_SEARCHED_TEMPLATES: i64 = 500;

/// The reason why a template is not created.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The organization already has a template with this name and language.
    #[error("there is a template {name} in {language} already")]
    Exists { name: String, language: String },
    /// The channel does not support this.
    #[error("{0} is not supported by {1}")]
    NotSupported(Unsupported, ChannelKind),
    /// The organization has no such account.
    #[error("the organization has no such number")]
    NoNumber,
    /// The answer to store cannot be encoded.
    #[error("the answer cannot be written: {0}")]
    Unwritable(#[from] serde_json::Error),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// The result of a request for a template.
#[derive(Clone, Debug)]
pub enum CreatedTemplate {
    /// The template is created and will be submitted to the reviewer.
    Created(Box<Template>),
    /// The same request was answered before.
    Answered(StoredAnswer),
}

/// Finds one of the organization's templates.
pub async fn find(
    deps: &Deps,
    reader: Reader,
    id: TemplateId,
) -> persistence::Result<Option<Template>> {
    deps.db.reads(reader).template(id).await
}

/// Lists at most `limit` of the organization's templates after the first `offset`, and counts all
/// of them.
pub async fn list(
    deps: &Deps,
    reader: Reader,
    wanted: TemplateFilter,
    limit: i64,
    offset: i64,
) -> persistence::Result<(Vec<Template>, i64)> {
    if offset == 0 && wanted.is_indexed() {
        return deps.db.reads(reader).newest_templates(wanted, limit).await;
    }
    let read =
        move |db: Db| async move { db.reads(reader).list_templates(wanted, limit, offset).await };
    deps.read_limiter.run(reader.organization, &deps.db, read).await
}

/// Finds templates by a part of their name or of their text, the newest first, and counts them.
/// Searches the newest [`MAX_SEARCHED_TEMPLATES`] templates, and any template with exactly this
/// name.
pub async fn search(
    deps: &Deps,
    reader: Reader,
    wanted: TemplateFilter,
    text: &str,
    limit: i64,
    offset: i64,
) -> persistence::Result<(Vec<Template>, i64)> {
    let text = text.to_lowercase();
    let named = TemplateFilter { name: Some(text.clone()), ..wanted.clone() };
    let (named, _) = list(deps, reader, named, MAX_SEARCHED_TEMPLATES, 0).await?;
    let (newest, _) = list(deps, reader, wanted, MAX_SEARCHED_TEMPLATES, 0).await?;
    let known: BTreeSet<TemplateId> = newest.iter().map(|it| it.id).collect();
    let older = named.into_iter().filter(|it| !known.contains(&it.id));
    let found: Vec<Template> =
        newest.into_iter().filter(|it| contains(it, &text)).chain(older).collect();
    let total = saturating(found.len(), i64::MAX);
    let page = found.into_iter().skip(saturating(offset, usize::MAX));
    Ok((page.take(saturating(limit, usize::MAX)).collect(), total))
}

/// Whether the name or the body of a template contains `text`, which is in lowercase.
fn contains(template: &Template, text: &str) -> bool {
    if template.name.contains(text) {
        return true;
    }
    match definition(&template.components.0) {
        Ok(known) => {
            matches!(known.body, BodyPart::Text(body) if body.to_lowercase().contains(text))
        }
        Err(error) => {
            tracing::error!(%error, template = %template.id, "a template cannot be read");
            false
        }
    }
}

/// Counts the organization's templates by status, category and language.
pub async fn counts(deps: &Deps, reader: Reader) -> persistence::Result<Vec<TemplateCount>> {
    deps.db.reads(reader).count_templates().await
}

/// Returns the submission and the reviewer's verdicts on a template that are still kept, the oldest
/// first.
pub async fn verdicts(
    deps: &Deps,
    organization: OrganizationId,
    id: TemplateId,
) -> persistence::Result<Vec<StoredVerdict>> {
    deps.db.organization(organization).list_verdicts(id).await
}

/// Checks a template as [`create`] does, without creating it.
pub async fn check(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    new: &NewTemplate,
    components: &Document,
) -> Result<(), TemplateError> {
    check_channel(deps, organization, account, new, components).await?;
    let (name, language) = (new.name.to_string(), new.language.to_string());
    let tenant = deps.db.organization(organization);
    let existing = tenant.template_named(name.clone(), language.clone()).await?;
    // The name of a deleted template can be used again.
    match existing.filter(|template| template.status != TemplateStatus::Deleted) {
        Some(_) => Err(TemplateError::Exists { name, language }),
        None => Ok(()),
    }
}

/// Checks whether the channel of the organization's account supports a template.
async fn check_channel(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    new: &NewTemplate,
    components: &Document,
) -> Result<(), TemplateError> {
    let found = deps.account_channels.capabilities(&deps.db, organization, account).await?;
    let (channel, can) = found.ok_or(TemplateError::NoNumber)?;
    let checked = can.check_template(new, &components.0);
    checked.map_err(|what| TemplateError::NotSupported(what, channel))
}

/// Creates a template of the organization's account. `components` are in their stored form. With
/// `once`, the answer that `write` returns is stored in the same transaction.
pub async fn create(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    new: &NewTemplate,
    components: Document,
    once: Option<Idempotent>,
    write: impl FnOnce(&Template) -> serde_json::Result<String>,
) -> Result<CreatedTemplate, TemplateError> {
    check_channel(deps, organization, account, new, &components).await?;
    let now = deps.clock.now();
    let id: TemplateId = deps.id(now);
    let template = Template {
        id,
        organization_id: organization,
        account_id: account,
        name: new.name.to_string(),
        language: new.language.to_string(),
        category: new.category,
        status: TemplateStatus::Draft,
        rejection_reason: None,
        rejection_detail: None,
        parameter_format: new.parameter_format,
        components,
        external_id: None,
        submitted_at: None,
        reviewed_at: None,
        created_at: now,
        updated_at: now,
        submission_due_at: Some(now),
        submission_attempts: 0.into(),
        message_send_ttl_seconds: new.message_send_ttl_seconds,
        quality: None,
    };
    let keep = match once {
        Some(request) => Some((request, write(&template)?)),
        None => None,
    };
    match deps.db.create_template(template.clone(), keep).await? {
        Creation::Made => {
            deps.wakeups.proposed.notify_one();
            Ok(CreatedTemplate::Created(Box::new(template)))
        }
        Creation::Exists => Err(TemplateError::Exists {
            name: new.name.to_string(),
            language: new.language.to_string(),
        }),
        Creation::Answered(stored) => Ok(CreatedTemplate::Answered(stored)),
    }
}
