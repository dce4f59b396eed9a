//! `/_components`: every component of the pages in every state, for developers. Only debug builds
//! have it.

use super::frame::{Frame, MemberContext};
use super::keys::fields::KeyFields;
use crate::browser::{FieldErrors, ObjectState, PageError, PagePolicy, ShownTime, StateLabel};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use http_layer::deps::ServerDeps;
use std::sync::Arc;
use std::time::Duration;

#[derive(Template)]
#[template(path = "components.html")]
struct ComponentsPage {
    frame: Frame,
    states: Vec<StateLabel>,
    errors: FieldErrors,
    fields: KeyFields,
    options: Vec<(String, String)>,
    chosen: String,
    times: Vec<ShownTime>,
    exact: ShownTime,
    precise: ShownTime,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource("/_components").route(web::get().to(show)));
}

async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let mut errors = FieldErrors::one("name", "A name needs at least one character.");
    errors.add("scope", "Choose at least one permission.");
    let now = deps.clock.now();
    let ago = [20, 3 * 60, 2 * 3600, 30 * 3600, 90 * 86400].map(Duration::from_secs);
    let page = ComponentsPage {
        frame: member_context.frame("/_components"),
        states: ObjectState::ALL.iter().map(|state| state.label()).collect(),
        errors,
        fields: KeyFields::empty(),
        options: vec![
            (String::new(), "All numbers".to_owned()),
            ("acc_1".to_owned(), "Main line (+12025550190)".to_owned()),
        ],
        chosen: "acc_1".to_owned(),
        times: ago.map(|ago| ShownTime::relative(now.minus(ago), now)).into(),
        exact: ShownTime::exact(now),
        precise: ShownTime::precise(now),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
