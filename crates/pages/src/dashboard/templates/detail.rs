//! `/templates/{id}`: the template as the customer sees it, the verdicts of the reviewer, and what
//! the member can do about them.

use super::checks::{ReviewerCheck, checks, title};
use super::parameters::{components, unsupported};
use super::{TEMPLATES, category, edit, edit_path, named, quality, state};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel};
use crate::dashboard::frame::{Frame, MemberContext};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use api_types::template::{PartWire, definition};
use domain::content::ContentType;
use domain::keyword::Keyword as _;
use domain::role::{Area, MemberAction};
use domain::template::parts::in_either_case;
use domain::template::variables::variables;
use domain::template::{
    ButtonInput, ComponentType, Definition, HeaderFormat, NewTemplate, PartInput, RejectionReason,
    TemplateInput, TemplateStatus,
};
use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use persistence::records::{Account, StoredVerdict, Template};
use service::templates::{self, sent};
use std::sync::Arc;

/// The recipient in the example call: a simulated contact of the sandbox, which answers.
const RECIPIENT: &str = "+12025550100";
/// The URL of the file in the example call.
const FILE: &str = "https://example.com/file";
/// The text in the example call for a variable without an example.
const NO_EXAMPLE: &str = "…";
/// Number of verdicts that the page shows, the newest ones.
const VERDICTS_SHOWN: usize = 20;

#[derive(askama::Template)]
#[template(path = "templates/template.html")]
struct TemplateDetailPage {
    frame: Frame,
    id: String,
    name: String,
    state: StateLabel,
    notice: Option<ReviewNotice>,
    /// The known reasons why the reviewer may reject the template, if it may still be rejected.
    checks: Vec<ReviewerCheck>,
    steps: Vec<ReviewStep>,
    /// The call that sends the template. `None` if the template takes parameters other than texts
    /// and files.
    curl: Option<String>,
    /// The text that the recipient reads.
    text: String,
    buttons: Vec<String>,
    /// Name and content of each component and button.
    parts: Vec<(&'static str, String)>,
    category: &'static str,
    language: String,
    quality: &'static str,
    number: String,
    external_id: Option<String>,
    created: ShownTime,
    updated: ShownTime,
    /// The path of the form that changes the template; empty if the member may not, or if the form
    /// cannot change it now.
    edit_path: String,
    /// The path that deletes the template; empty if the member may not, or if it is deleted.
    delete_path: String,
}

/// The meaning of the template's status, and what the member can do.
struct ReviewNotice {
    /// The CSS class of the notice.
    class: &'static str,
    icon: &'static str,
    title: &'static str,
    sentence: &'static str,
    /// The reviewer's explanation.
    detail: String,
}

/// A step of the review.
struct ReviewStep {
    /// The CSS class of the step.
    class: &'static str,
    icon: &'static str,
    title: &'static str,
    sentence: String,
    at: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let mut member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Templates)?;
    let template = named(&deps, &member_context, &request).await?;
    let verdicts = templates::verdicts(&deps, member_context.id(), template.id).await?;
    let accounts = member_context.take_accounts();
    let base_url = &deps.config.base_url;
    let page = page(&member_context, &template, &verdicts, &accounts, base_url)?;
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn page(
    member_context: &MemberContext,
    template: &Template,
    verdicts: &[StoredVerdict],
    accounts: &[Account],
    base_url: &str,
) -> Result<TemplateDetailPage, PageError> {
    let stored = &template.components.0;
    let unreadable = |error: serde_json::Error| -> PageError {
        let error = persistence::records::UnreadableRow::new("template", &template.id, error);
        persistence::Error::from(error).into()
    };
    let filled = sent::with_examples(stored).map_err(unreadable)?;
    let definition = definition(stored).map_err(unreadable)?;
    let parts: Vec<PartWire> = serde_json::from_str(stored).map_err(unreadable)?;
    let parts: Vec<PartInput<'_>> = parts.iter().map(PartWire::proposal).collect();
    let is_deleted = template.status == TemplateStatus::Deleted;
    let may_delete = member_context.may(MemberAction::TemplateDeleted) && !is_deleted;
    let may_be_rejected = matches!(
        template.status,
        TemplateStatus::Draft | TemplateStatus::Pending | TemplateStatus::Rejected
    );
    let account = accounts.iter().find(|it| it.id == template.account_id);
    let may_edit = member_context.may(MemberAction::TemplateUpdated)
        && edit::values_of(template, accounts).is_some();
    Ok(TemplateDetailPage {
        frame: member_context.frame(TEMPLATES),
        id: template.id.to_string(),
        name: template.name.clone(),
        state: state(template.status),
        notice: notice(template),
        checks: if may_be_rejected { known_objections(template, &parts) } else { Vec::new() },
        steps: steps(template, verdicts),
        curl: unsupported(&definition)
            .is_none()
            .then(|| curl(base_url, template, &definition, &parts)),
        text: filled.text,
        buttons: filled.buttons,
        parts: parts.iter().flat_map(in_words).collect(),
        category: category(template.category),
        language: template.language.clone(),
        quality: quality(template.quality),
        number: account.map(|it| it.display_name.clone()).unwrap_or_default(),
        external_id: template.external_id.clone(),
        created: ShownTime::exact(template.created_at),
        updated: ShownTime::exact(template.updated_at),
        edit_path: if may_edit { edit_path(template) } else { String::new() },
        delete_path: if may_delete {
            format!("{TEMPLATES}/{}/delete", template.id)
        } else {
            String::new()
        },
    })
}

fn notice(template: &Template) -> Option<ReviewNotice> {
    let detail = template.rejection_detail.clone().unwrap_or_default();
    let notice = |class, icon, title, sentence| {
        Some(ReviewNotice { class, icon, title, sentence, detail: String::new() })
    };
    match template.status {
        TemplateStatus::Approved => None,
        TemplateStatus::Rejected => Some(ReviewNotice {
            class: "bad",
            icon: "circle-x",
            title: template
                .rejection_reason
                .map_or("The reviewer rejected this template", RejectionReason::title),
            sentence: template
                .rejection_reason
                .map_or("The reviewer gave no known reason.", RejectionReason::advice),
            detail,
        }),
        TemplateStatus::Draft => notice(
            "info",
            "clock",
            "Not submitted yet",
            "It is submitted to the channel’s reviewer within seconds, or as soon as the channel can be \
             reached.",
        ),
        TemplateStatus::Pending => notice(
            "info",
            "clock",
            "In review",
            "The reviewer decides within minutes to a day. Until then the template can’t be sent.",
        ),
        TemplateStatus::Paused => notice(
            "warn",
            "circle-pause",
            "The channel has paused this template",
            "Recipients blocked or reported messages of it. It can’t be sent until the channel \
             reinstates it, or until a changed text is approved.",
        ),
        TemplateStatus::Disabled => notice(
            "warn",
            "ban",
            "The channel has disabled this template",
            "It can’t be sent unless the channel reinstates it. Create another template with another \
             text.",
        ),
        TemplateStatus::Archived => notice(
            "info",
            "info",
            "The channel has archived this template",
            "It can’t be sent until somebody takes it out of the archive at the channel.",
        ),
        TemplateStatus::Deleted => notice(
            "info",
            "info",
            "This template is deleted",
            "It can’t be sent. Its name and language can be used for a new one.",
        ),
    }
}

/// Returns the known reasons why the reviewer may reject a stored template.
fn known_objections(template: &Template, parts: &[PartInput<'_>]) -> Vec<ReviewerCheck> {
    let input = TemplateInput {
        name: Some(&template.name),
        language: Some(&template.language),
        category: Some(template.category.as_str()),
        parameter_format: Some(template.parameter_format.as_str()),
        components: Some(parts.to_vec()),
        message_send_ttl_seconds: template.message_send_ttl_seconds.map(i64::from),
    };
    let parsed = NewTemplate::parse(&input, &mut Violations::default());
    parsed.map(|new| checks(&new, parts)).unwrap_or_default()
}

/// Returns the history of a template, earliest step first.
fn steps(template: &Template, verdicts: &[StoredVerdict]) -> Vec<ReviewStep> {
    let created = ReviewStep {
        class: "ok",
        icon: "check",
        title: "Created",
        sentence: String::new(),
        at: ShownTime::exact(template.created_at),
    };
    let took_effect: Vec<&StoredVerdict> = verdicts.iter().filter(|it| it.took_effect).collect();
    let older = took_effect.len().saturating_sub(VERDICTS_SHOWN);
    let shown = took_effect.into_iter().skip(older).map(step);
    std::iter::once(created).chain(shown).collect()
}

fn step(verdict: &StoredVerdict) -> ReviewStep {
    let (class, icon, title) = match verdict.verdict {
        TemplateStatus::Draft | TemplateStatus::Pending => ("ok", "check", "Submitted for review"),
        TemplateStatus::Approved => ("ok", "check", "Approved"),
        TemplateStatus::Rejected => ("bad", "x", "Rejected"),
        TemplateStatus::Paused => ("warn", "circle-pause", "Paused by the channel"),
        TemplateStatus::Disabled => ("warn", "ban", "Disabled by the channel"),
        TemplateStatus::Archived => ("", "minus", "Archived at the channel"),
        TemplateStatus::Deleted => ("", "trash-2", "Deleted"),
    };
    let reason = verdict.reason.map(|it| format!("{}.", it.title()));
    let words = [reason.as_deref(), verdict.detail.as_deref()].into_iter().flatten();
    ReviewStep {
        class,
        icon,
        title,
        sentence: words.collect::<Vec<_>>().join(" "),
        at: ShownTime::exact(verdict.received_at),
    }
}

/// Returns name and content of a component, and of each of its buttons.
fn in_words(part: &PartInput<'_>) -> Vec<(&'static str, String)> {
    let title = title(part.kind);
    if let Some(buttons) = &part.buttons {
        return buttons.iter().map(|it| ("Button", button_in_words(it))).collect();
    }
    let minutes = part.code_expiration_minutes;
    let text = match part.kind.and_then(in_either_case) {
        Some(ComponentType::Header) if part.text.is_none() => file_in_words(part.format),
        Some(ComponentType::Body) if part.text.is_none() => "One-time code".to_owned(),
        Some(ComponentType::Carousel) => {
            part.cards.as_ref().map_or_else(String::new, |it| it.len().to_string())
        }
        Some(ComponentType::LimitedTimeOffer) => {
            let offer = part.limited_time_offer.as_ref();
            offer.and_then(|it| it.text).unwrap_or_default().to_owned()
        }
        _ => match (part.text, minutes) {
            (Some(text), _) => text.to_owned(),
            (None, Some(minutes)) => format!("The code expires in {minutes} minutes"),
            (None, None) => part.kind.unwrap_or_default().to_owned(),
        },
    };
    vec![(title, text)]
}

fn file_in_words(format: Option<&str>) -> String {
    let word = match format.and_then(in_either_case) {
        Some(HeaderFormat::Image) => "Picture",
        Some(HeaderFormat::Video) => "Video",
        Some(HeaderFormat::Gif) => "Animation",
        Some(HeaderFormat::Document) => "Document",
        Some(HeaderFormat::Location) => "Place on the map",
        Some(HeaderFormat::Product) => "Product",
        Some(HeaderFormat::Text) | None => format.unwrap_or_default(),
    };
    word.to_owned()
}

fn button_in_words(button: &ButtonInput<'_>) -> String {
    let target = button.url.or(button.phone_number);
    let words = [button.text, target].into_iter().flatten().collect::<Vec<_>>();
    if words.is_empty() { button.kind.unwrap_or_default().to_owned() } else { words.join(" · ") }
}

/// Returns the call that sends a template with the examples of its variables.
fn curl(
    base_url: &str,
    template: &Template,
    definition: &Definition,
    parts: &[PartInput<'_>],
) -> String {
    let value = |place: &str| example(parts, place).unwrap_or_else(|| NO_EXAMPLE.to_owned());
    let body = serde_json::json!({
        "type": ContentType::Template.as_str(),
        "phone_number": RECIPIENT,
        "template_name": template.name,
        "language": template.language,
        "components": components(definition, template.parameter_format, value, FILE),
    });
    let body = serde_json::to_string_pretty(&body).ok().unwrap_or_default();
    let body = body.replace('\'', "'\\''");
    format!(
        "curl {base_url}/api/v1/messages \\\n  -H \"x-client-id: $SWITCHBOARD_CLIENT_ID\" \\\n  \
         -H \"x-client-secret: $SWITCHBOARD_CLIENT_SECRET\" \\\n  \
         -H 'Content-Type: application/json' \\\n  -d '{body}'"
    )
}

/// Returns the example for a place: `header.1`, `body.first_name` or `button.0`.
fn example(parts: &[PartInput<'_>], place: &str) -> Option<String> {
    let (component, variable) = place.split_once('.')?;
    let kind = match component {
        "header" => ComponentType::Header,
        "body" => ComponentType::Body,
        _ => ComponentType::Buttons,
    };
    let part =
        parts.iter().find(|it| it.kind.and_then(in_either_case::<ComponentType>) == Some(kind))?;
    if kind != ComponentType::Buttons {
        return part.example.as_ref()?.of(variable).map(str::to_owned);
    }
    let button = part.buttons.as_ref()?.get(variable.parse::<usize>().ok()?)?;
    let example = button.example?.first()?;
    // The example of a link is the whole URL. The parameter is only the end of the URL.
    let start = button.url.filter(|it| !variables(it).is_empty());
    let start = start.and_then(|it| it.split_once("{{")).map(|(start, _)| start);
    let end = start.and_then(|start| example.strip_prefix(start)).unwrap_or(example);
    Some(end.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::template::ExampleInput;

    #[test]
    fn an_example_is_found_by_its_place() {
        let body = ["Ada".to_owned(), String::new()];
        let (track, code) = (["https://a.example/o/7".to_owned()], ["CARIBE25".to_owned()]);
        let link = ButtonInput {
            url: Some("https://a.example/o/{{1}}"),
            example: Some(&track),
            ..ButtonInput::default()
        };
        let copy = ButtonInput { example: Some(&code), ..ButtonInput::default() };
        let example_of_body = ExampleInput { positional: Some(&body), ..ExampleInput::default() };
        let parts = [
            PartInput {
                kind: Some("BODY"),
                example: Some(example_of_body),
                ..PartInput::default()
            },
            PartInput {
                kind: Some("BUTTONS"),
                buttons: Some(vec![link, copy]),
                ..PartInput::default()
            },
        ];
        let found = |place| example(&parts, place);
        assert_eq!(found("body.1").as_deref(), Some("Ada"));
        assert_eq!(found("button.0").as_deref(), Some("7"));
        assert_eq!(found("button.1").as_deref(), Some("CARIBE25"));
        for place in ["body.2", "body.3", "header.1", "button.2", "body"] {
            assert_eq!(found(place), None, "{place}");
        }
    }
}
