//! `POST /api/v1/templates` (`service.md` 4.4).

use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation, write};
use crate::problem::{Code, Problem};
use crate::wire::object::Object;
use crate::wire::template::{PartWire, TemplateRecord};
use actix_web::http::{Method, StatusCode};
use domain::id::TemplateId;
use domain::scope::Scope;
use domain::template::{NewTemplate, Proposal, TemplateStatus};
use domain::violation::Violations;
use persistence::Document;
use persistence::rows::{Creation, Template};
use schemars::JsonSchema;
use serde::Deserialize;

/// Makes a template and hands it to the reviewer.
pub struct CreateTemplate;

/// A template to be made.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct CreateTemplateBody {
    /// 1 to 512 of `a-z`, `0-9` and `_`. With the language it names the template.
    name: Option<String>,
    /// Such as `en` or `en_US`.
    language: Option<String>,
    /// `utility`, `marketing` or `authentication`.
    category: Option<String>,
    /// `positional`, which is the default, for variables like `{{1}}`, or `named`, for `{{first_name}}`.
    parameter_format: Option<String>,
    /// One BODY, and at most one HEADER, FOOTER and BUTTONS.
    components: Option<Vec<Object<PartWire>>>,
}

impl Operation for CreateTemplate {
    const ID: &'static str = "create_template";
    const SUMMARY: &'static str = "Make a template; it is handed to the reviewer at once.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/templates";
    const ACCESS: Access = Access::Key(Scope::TemplatesWrite);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = &[Code::TemplateExists, Code::NoMessagingAccount];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = CreateTemplateBody;
    type Reply = TemplateRecord;

    async fn handle(mut call: Call<Self>) -> Result<Answer<TemplateRecord>, Problem> {
        let (new, components) = call.parse(CreateTemplateBody::parse)?;
        let row = row(&call, &new, components)?;
        let reply = TemplateRecord::from(&row);
        let keep = match &call.slot {
            Some(slot) => Some((slot.with(Self::SUCCESS), write(&reply)?)),
            None => None,
        };
        match call.deps.db.create_template(row, keep).await? {
            Creation::Made => {
                call.deps.proposed.notify_one();
                let answer = Answer::new(Self::SUCCESS, &reply)?;
                Ok(if call.slot.is_some() { answer.kept() } else { answer })
            }
            Creation::Exists => {
                Err(Problem::template_exists(new.name.as_str(), new.language.as_str()))
            }
            Creation::Answered(stored) => match &call.slot {
                Some(slot) => slot.again(stored),
                None => Err(Problem::internal()),
            },
        }
    }
}

impl CreateTemplateBody {
    fn parse(&self, faults: &mut Violations) -> Option<(NewTemplate, Document)> {
        let parts = self.components.as_ref();
        let proposal = Proposal {
            name: self.name.as_deref(),
            language: self.language.as_deref(),
            category: self.category.as_deref(),
            parameter_format: self.parameter_format.as_deref(),
            components: parts.map(|all| all.iter().map(|part| part.proposal()).collect()),
        };
        let new = NewTemplate::parse(&proposal, faults)?;
        let kept: Vec<PartWire> = parts?.iter().map(|part| part.kept()).collect();
        Some((new, Document(write(&kept).ok()?)))
    }
}

fn row(
    call: &Call<CreateTemplate>,
    new: &NewTemplate,
    components: Document,
) -> Result<Template, Problem> {
    let now = call.deps.clock.now();
    let id: TemplateId = call.deps.id(now);
    Ok(Template {
        id: id.into(),
        organization_id: call.organization().into(),
        account_id: call.sending_account()?.into(),
        name: new.name.to_string(),
        language: new.language.to_string(),
        category: new.category.into(),
        status: TemplateStatus::Draft.into(),
        rejection_reason: None,
        rejection_detail: None,
        parameter_format: new.parameter_format.into(),
        components,
        external_id: None,
        submitted_at: None,
        reviewed_at: None,
        created_at: now.into(),
        updated_at: now.into(),
        submission_due_at: Some(now.into()),
        submission_attempts: 0,
    })
}
