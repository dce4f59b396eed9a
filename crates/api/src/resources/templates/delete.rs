//! `DELETE /api/v1/templates/{id}` (`docs/contract.md#manage-templates`).

use super::change_problem;
use super::get::TemplatePath;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::template::TemplateRecord;
use domain::scope::Scope;
use domain::template::TemplateStatus;
use http_layer::problem::{Code, Problem};
use persistence::records::Template;
use service::templates::change;

/// Deletes a template.
pub struct DeleteTemplate;

impl Operation for DeleteTemplate {
    const ID: &'static str = "delete_template";
    const SUMMARY: &'static str = "Delete a template.";
    const DESCRIPTION: &'static str = "\
Deletes a template at the reviewer and here, in this language only, and returns it with the status `deleted`. Deleting a deleted
template has the same response. The name and language can be used again with `POST /templates`; Meta refuses the name of a
template that was approved for 30 days. The event `template.deleted` reports it.

Sends with a deleted template are refused with `template_not_approved`. A scheduled message or a fallback template is judged when
its time comes, and then fails for the same reason. Messages that wait for the channel are handed over; the channel refuses them
with `template_not_found`.

The reviewer is called before the response: 503 if it cannot be reached, 409 `template_locked` if it refuses or if the template is
being submitted or changed at this moment.";
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/api/v1/templates/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::TemplatesWrite);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound, Code::TemplateLocked];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = TemplatePath;
    type Input = Nothing;
    type Reply = TemplateRecord;

    fn example() -> ExampleOf<Self> {
        let id = sample::DELETED_TEMPLATE;
        let deleted = Template {
            id,
            name: "order_delayed".to_owned(),
            ..sample::template(TemplateStatus::Deleted)
        };
        let reply = TemplateRecord::from(&deleted);
        Example { path: TemplatePath::of(id), input: None, reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<TemplateRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let id = call.path.parse()?;
        let (organization, account) = (call.organization(), call.bound_account());
        let deleted = change::delete(&call.deps, organization, account, id).await;
        Answer::new(Self::SUCCESS, &TemplateRecord::from(&deleted.map_err(change_problem)?))
    }
}
