//! Checks whether an account can send a draft, and whether the objects that it names exist.

use super::{SendError, Sender};
use channel::capabilities::{Capabilities, Unsupported};
use domain::account::ChannelKind;
use domain::contact::Address;
use domain::content::{self, Content, TemplateContent};
use domain::id::OrganizationId;
use domain::message::Draft;
use domain::template::Category;
use parking_lot::Mutex;
use persistence::records::{Addressee, PersonKey, Template};
use platform::Deps;
use std::collections::HashMap;
use std::sync::Arc;

/// The channel of an account, with its capabilities.
pub type ChannelWithCapabilities = (ChannelKind, &'static Capabilities);

/// The templates that the messages of one request name, each looked up once.
#[derive(Default)]
pub struct TemplateLookups(Mutex<HashMap<TemplateKey, Option<Arc<Template>>>>);

/// The name and the language of a template.
type TemplateKey = (String, String);

impl TemplateLookups {
    pub async fn find(
        &self,
        deps: &Deps,
        organization: OrganizationId,
        content: &TemplateContent,
    ) -> Result<Option<Arc<Template>>, SendError> {
        let key = (content.name.to_string(), content.language.to_string());
        if let Some(found) = self.0.lock().get(&key) {
            return Ok(found.clone());
        }
        let (name, language) = key.clone();
        let found = deps.db.organization(organization).template_named(name, language).await?;
        let found = found.map(Arc::new);
        self.0.lock().insert(key, found.clone());
        Ok(found)
    }
}

/// Checks whether the channel of the sender's account supports the draft.
pub async fn check_channel(
    deps: &Deps,
    sender: &Sender,
    draft: &Draft,
    to: &Address,
) -> Result<ChannelWithCapabilities, SendError> {
    let Sender { organization, account, .. } = *sender;
    let found = deps.account_channels.capabilities(&deps.db, organization, account).await?;
    let (channel, can) = found.ok_or(SendError::NotFound("number"))?;
    let checked = can.check_address(to);
    let checked = checked.and_then(|()| can.check(&draft.content, draft.reply_to.is_some()));
    checked.map_err(|what| SendError::NotSupported(what, channel))?;
    Ok((channel, can))
}

/// Checks the message that a draft replies to and the template that it names. Returns the text that
/// the recipient would read.
pub async fn check_references(
    deps: &Deps,
    sender: &Sender,
    channel: ChannelWithCapabilities,
    draft: &Draft,
    to: &Address,
    templates: &TemplateLookups,
) -> Result<String, SendError> {
    check_reply(deps, sender, draft, to).await?;
    match &draft.content {
        Content::Template(content) => {
            check_template(deps, sender, channel, content, to, templates).await
        }
        content => Ok(content.words()),
    }
}

/// Checks that a draft replies or reacts to a message of its own conversation. The channel does not
/// know the message in another conversation.
pub async fn check_reply(
    deps: &Deps,
    sender: &Sender,
    draft: &Draft,
    to: &Address,
) -> Result<(), SendError> {
    let Some(id) = draft.reply_to else { return Ok(()) };
    let owner = deps.db.organization(sender.organization);
    let is_reaction = matches!(draft.content, Content::Reaction(_));
    let what = if is_reaction { "message in reaction" } else { "message in reply_to" };
    let found = owner.message(sender.bound_to, id).await?.ok_or(SendError::NotFound(what))?;
    let there = owner.addressee(PersonKey::Conversation(found.conversation_id)).await?;
    let there = there.filter(|it| it.account_id == sender.account);
    let there = there.ok_or(SendError::NotFound(what))?;
    if there.address.as_ref() != Some(to) {
        // Another number may lead to the same contact.
        let person_key = PersonKey::Address(to.clone(), sender.account);
        let person = owner.addressee(person_key).await?;
        let is_here = |it: &Addressee| it.contact == there.contact;
        person.filter(is_here).ok_or(SendError::NotFound(what))?;
    }
    Ok(())
}

/// Checks a template that is known here before the message is accepted. Returns the text of the
/// filled-in template.
async fn check_template(
    deps: &Deps,
    sender: &Sender,
    (channel, can): ChannelWithCapabilities,
    content: &TemplateContent,
    to: &Address,
    templates: &TemplateLookups,
) -> Result<String, SendError> {
    let name = content.name.to_string();
    let owner = deps.db.organization(sender.organization);
    let found = templates.find(deps, sender.organization, content).await?;
    let refused = |what| Err(SendError::NotSupported(Unsupported::entirely(what), channel));
    if let Some(known) = found.as_ref().filter(|_| !can.templates.made_elsewhere) {
        let of =
            deps.account_channels.find(&deps.db, sender.organization, known.account_id).await?;
        if let Some(other) = of.filter(|other| *other != channel) {
            return refused(format!("a template of a {other} number"));
        }
    }
    let Some(known) = found else {
        if !can.templates.made_elsewhere {
            return refused("templates that were not made with POST /templates".to_owned());
        }
        return Ok(Content::Template(content.clone()).words());
    };
    if !known.status.is_sendable() {
        let (status, reason) = (known.status, known.rejection_reason);
        return Err(SendError::TemplateNotApproved { name, status, reason });
    }
    if known.category == Category::Authentication && to.phone_number().is_none() {
        return Err(SendError::PhoneNumberRequired);
    }
    if known.category == Category::Marketing
        && owner.has_opted_out(sender.account, to.clone()).await?
    {
        return Err(SendError::RecipientOptedOut);
    }
    let definition = api_types::template::definition(&known.components.0)
        .map_err(|error| SendError::UnreadableTemplate(known.id.to_string(), error))?;
    content::check(&definition, content).map_err(SendError::Mismatch)?;
    Ok(content::render(&definition, content))
}
