//! `/numbers/new`: connecting a number of the sandbox, of the Cloud API or of Twilio.

use crate::browser::{FieldErrors, Form, PageError, PagePolicy, permitted};
use crate::dashboard::NUMBERS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::account::ChannelKind;
use domain::keyword::Keyword as _;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use service::admin::{AdminError, Created, NewChannel};
use service::numbers::{self, CallbackSetup, NewNumber};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "numbers/new.html")]
struct ConnectPage {
    frame: Frame,
    token: String,
    values: ConnectValues,
    errors: FieldErrors,
    cloud_api: Option<CallbackSetup>,
    twilio: Option<CallbackSetup>,
}

/// The submitted fields, without the access token.
#[derive(Default)]
struct ConnectValues {
    channel: String,
    phone_number: String,
    display_name: String,
    phone_number_id: String,
    waba_id: String,
}

impl ConnectValues {
    fn of(form: &Form) -> Self {
        let value = |name: &str| form.value(name).trim().to_owned();
        Self {
            channel: value("channel"),
            phone_number: value("phone_number"),
            display_name: value("display_name"),
            phone_number_id: value("phone_number_id"),
            waba_id: value("waba_id"),
        }
    }
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Numbers)?;
    let mut values = member_context.form_values_for(request.path()).map(ConnectValues::of);
    let values = values.take().unwrap_or_default();
    Ok(render(&deps, &member_context, values, FieldErrors::default(), StatusCode::OK))
}

pub async fn connect(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let work = async {
            match connected(&deps, &member_context, &form).await? {
                Ok(Created { id, name }) => {
                    let sentence = format!("{name} can send and receive messages.");
                    let notice = Notice::saying("Number connected", sentence);
                    Ok(Ok(ActionResult { location: format!("{NUMBERS}/{id}"), notice }))
                }
                Err(errors) => Ok(Err(errors)),
            }
        };
        let refused = async |errors: FieldErrors| {
            let values = ConnectValues::of(&form);
            Ok(render(&deps, &member_context, values, errors, StatusCode::UNPROCESSABLE_ENTITY))
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    values: ConnectValues,
    errors: FieldErrors,
    status: StatusCode,
) -> HttpResponse {
    let base_url = &deps.config.base_url;
    let page = ConnectPage {
        frame: member_context.frame(NUMBERS),
        token: member_context.token(),
        values,
        errors,
        cloud_api: numbers::callback_setup(deps, base_url, ChannelKind::CloudApi),
        twilio: numbers::callback_setup(deps, base_url, ChannelKind::Twilio),
    };
    PagePolicy::Dashboard.page(status, &page)
}

/// Connects the number of a form, or returns all faults of the form.
async fn connected(
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
) -> Result<Result<Created, FieldErrors>, PageError> {
    let typed = ConnectValues::of(form);
    let access_token = form.value("access_token").trim();
    let mut errors = FieldErrors::default();
    let required = [
        ("phone_number", &typed.phone_number, "Enter the phone number."),
        ("display_name", &typed.display_name, "Enter the name that customers see."),
    ];
    for (field, value, why) in required {
        if value.is_empty() {
            errors.add(field, why);
        }
    }
    let channel = match ChannelKind::from_keyword(&typed.channel) {
        Some(ChannelKind::Sandbox) => Some(NewChannel::Sandbox),
        Some(ChannelKind::Twilio) => Some(NewChannel::Twilio),
        Some(ChannelKind::CloudApi) => {
            let needed = [
                ("phone_number_id", typed.phone_number_id.as_str(), "Enter the phone number ID."),
                ("waba_id", &typed.waba_id, "Enter the WhatsApp Business account ID."),
                ("access_token", access_token, "Enter the access token."),
            ];
            for (field, value, why) in needed {
                if value.is_empty() {
                    errors.add(field, why);
                }
            }
            Some(NewChannel::CloudApi {
                phone_number_id: &typed.phone_number_id,
                waba_id: &typed.waba_id,
                access_token,
            })
        }
        None => {
            errors.add("channel", "Choose a channel.");
            None
        }
    };
    let (Some(channel), true) = (channel, errors.is_empty()) else { return Ok(Err(errors)) };
    let new =
        NewNumber { phone_number: &typed.phone_number, display_name: &typed.display_name, channel };
    match permitted(member_context.actor(deps).numbers().connect(new).await)? {
        Ok(created) => Ok(Ok(created)),
        Err(AdminError::Database(error)) => Err(error.into()),
        Err(error) => Ok(Err(FieldErrors::one(field_of(&error), error))),
    }
}

/// Returns the field that an error is about.
const fn field_of(error: &AdminError) -> &'static str {
    match error {
        AdminError::Name(_) => "display_name",
        AdminError::CloudApiIds => "phone_number_id",
        AdminError::AccessToken => "access_token",
        _ => "phone_number",
    }
}
