//! The frame of every dashboard page: tabs, organization, notices and sign-out.

use super::KEYS;
use super::notice::{self, Notice};
use crate::browser::{
    Form, PageError, ReturnTo, SIGN_OUT, SUBMITTED_TO, Visitor, redirect, remember_organization,
};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::account::HealthState;
use domain::id::OrganizationId;
use domain::key::RateLimit;
use domain::number::with_commas;
use domain::plan::BillingRefusal;
use domain::time::Timestamp;
use http_layer::deps::Deps;
use persistence::records::{Account, Organization};
use persistence::{Reader, Seen};
use service::endpoints::MAX_COUNTED;
use service::{accounts, sessions, usage};
use std::sync::Arc;
use tracing::field::display;

/// The CSRF purpose of dashboard forms.
pub const PURPOSE: &str = "dashboard";

pub struct Frame {
    /// The path of the current tab.
    pub tab: &'static str,
    /// The name of the organization that the member works for.
    pub organization: String,
    /// The member's organizations: id, name and whether the member works for it now.
    pub organizations: Vec<(String, String, bool)>,
    /// The email address of the member.
    pub member: String,
    /// The CSRF token of the sign-out form.
    pub sign_out: String,
    /// The CSRF token of the form that switches the organization.
    pub switch: String,
    /// The result of the form that led to this page.
    pub notice: Option<Notice>,
    /// Why all calls with the organization's keys are refused, if they are.
    pub refusal: Option<&'static str>,
    /// The organization's numbers that are held or restricted.
    pub alerts: Vec<NumberAlert>,
}

/// A number that is held or restricted by its channel.
#[derive(Clone, Debug)]
pub struct NumberAlert {
    /// Display name and phone number.
    pub number: String,
    /// Whether the account is held, so that its messages wait.
    pub held: bool,
    /// The reason, as the channel gives it.
    pub message: String,
    pub since: String,
}

/// A signed-in member with the organization that they work for.
pub struct MemberContext {
    pub visitor: Visitor,
    pub organization: Organization,
    /// The result of the form that led to this page.
    notice: Option<Notice>,
    /// Why all calls with the organization's keys are refused, if they are.
    refusal: Option<&'static str>,
    /// The organization's numbers that are held or restricted.
    alerts: Vec<NumberAlert>,
    /// The input of a form of this page, submitted before the member had to sign in again.
    form_values: Option<Form>,
    /// A random value in the CSRF tokens of this page, which makes the forms of each page load
    /// unique.
    nonce: String,
    /// The log position that lists on the page must include. Unknown for a form, so that its
    /// response is read from the primary and shows the change.
    seen: Seen,
}

impl MemberContext {
    /// Identifies the member who requests a page.
    ///
    /// # Errors
    ///
    /// [`PageError::SignIn`] if nobody is signed in. The browser returns to the page after sign-in.
    pub async fn of(request: &HttpRequest, deps: &Deps) -> Result<Self, PageError> {
        let visitor = Visitor::of(request, deps).await?;
        let Some(organization) = visitor.organization().cloned() else {
            let page = request.uri().path_and_query().map_or("/", |it| it.as_str());
            return Err(visitor.sign_in_first(deps, &ReturnTo::page(page), false)?);
        };
        let (notice, form_values) = notice::take(request, deps, &visitor, organization.id).await?;
        let seen = visitor.seen();
        let alerts = alerts(deps, Reader { organization: organization.id, seen }).await?;
        let refusal = usage::find_refusal(deps, &organization).await?.map(refused);
        let context = Self::new(deps, visitor, organization);
        Ok(Self { notice, refusal, alerts, form_values, seen, ..context })
    }

    /// Identifies the member who submits a form, and reads the form.
    ///
    /// # Errors
    ///
    /// [`PageError::Form`] if the form is rejected. [`PageError::SignIn`] if the session has ended:
    /// the input is shown in the form again after sign-in.
    pub async fn with_form(
        request: &HttpRequest,
        payload: web::Payload,
        deps: &Deps,
    ) -> Result<(Self, Form), PageError> {
        let visitor = Visitor::of(request, deps).await?;
        let proves = |form: &Form| {
            let (nonce, proof) = form.value("token").split_once('.').unwrap_or_default();
            visitor.is_form_token(&purpose(nonce), proof)
        };
        let form = Form::read_if(request, payload, proves).await;
        let form = form.map_err(|_| PageError::Form(page_of(request).to_owned()))?;
        let Some(organization) = visitor.organization().cloned() else {
            let to = ReturnTo::form(page_of(request), &form, request.path());
            return Err(visitor.sign_in_first(deps, &to, true)?);
        };
        Ok((Self::new(deps, visitor, organization), form))
    }

    fn new(deps: &Deps, visitor: Visitor, organization: Organization) -> Self {
        tracing::Span::current().record("organization", display(organization.id));
        let nonce = auth::digest::hex(&deps.entropy.bytes::<16>());
        let (notice, refusal, form_values, alerts) = (None, None, None, Vec::new());
        let seen = Seen::UNKNOWN;
        Self { visitor, organization, notice, refusal, alerts, form_values, nonce, seen }
    }

    /// Returns the input of any form of this page, submitted before the member had to sign in
    /// again.
    pub const fn form_values(&self) -> Option<&Form> {
        self.form_values.as_ref()
    }

    /// Returns the same input, if its form is submitted to this path.
    pub fn form_values_for(&self, path: &str) -> Option<&Form> {
        self.form_values.as_ref().filter(|form| form.value(SUBMITTED_TO) == path)
    }

    pub const fn has_form_values(&self) -> bool {
        self.form_values.is_some()
    }

    /// Returns the reader for the lists on the page.
    pub fn reader(&self) -> Reader {
        Reader { organization: self.organization.id, seen: self.seen }
    }

    /// Returns the log position that lists on the page must include.
    pub const fn seen(&self) -> Seen {
        self.seen
    }

    /// Returns the id of the organization.
    pub fn id(&self) -> OrganizationId {
        self.organization.id
    }

    /// Returns the CSRF token for the forms of this page. Every page load has a different one.
    pub fn token(&self) -> String {
        let Self { nonce, visitor, .. } = self;
        format!("{nonce}.{}", visitor.form_token(&purpose(nonce)))
    }

    /// Creates the frame of a page under this tab.
    pub fn frame(&self, tab: &'static str) -> Frame {
        let (member, all) = self
            .visitor
            .member
            .as_ref()
            .map_or(("", &[][..]), |(member, all)| (member.email.as_str(), all.as_slice()));
        let organization =
            |it: &Organization| (it.id.to_string(), it.name.clone(), it.id == self.organization.id);
        Frame {
            tab,
            organization: self.organization.name.clone(),
            organizations: all.iter().map(organization).collect(),
            member: member.to_owned(),
            sign_out: self.visitor.form_token(SIGN_OUT),
            switch: self.token(),
            notice: self.notice.clone(),
            refusal: self.refusal,
            alerts: self.alerts.clone(),
        }
    }
}

/// Describes why billing refuses every call, for members.
pub const fn refused(why: BillingRefusal) -> &'static str {
    match why {
        BillingRefusal::SubscriptionRequired => {
            "API calls are refused until this organization has an active subscription."
        }
        BillingRefusal::PlanUpgradeRequired => {
            "API calls are refused: this plan does not include API access."
        }
    }
}

async fn alerts(deps: &Deps, reader: Reader) -> Result<Vec<NumberAlert>, PageError> {
    let (numbers, now) = (accounts::list(deps, reader).await?, deps.clock.now());
    let alert = |it: &Account| {
        let health = it.known_health().at(now);
        (health.state != HealthState::Ok).then(|| NumberAlert {
            number: named(it),
            held: health.state == HealthState::Held,
            message: health.message.unwrap_or_default(),
            since: health.since.map(day).unwrap_or_default(),
        })
    };
    Ok(numbers.iter().filter_map(alert).collect())
}

/// Returns the path of the page that contains the submitted form.
fn page_of(request: &HttpRequest) -> &str {
    let path = request.path();
    let only_forms = [(KEYS, "/integrations/keys/"), ("/", "/organization")];
    let page = only_forms.into_iter().find(|(_, forms)| path.starts_with(forms));
    page.map_or(path, |(page, _)| page)
}

fn purpose(nonce: &str) -> String {
    format!("{PURPOSE} {nonce}")
}

/// Formats a time as date, hour and minute in UTC.
pub fn day(at: Timestamp) -> String {
    let text = at.to_string();
    let (day, time) = text.split_once('T').unwrap_or((&text, ""));
    format!("{day} {} UTC", time.get(..5).unwrap_or_default())
}

/// Formats a count that stops at [`MAX_COUNTED`].
pub fn counted(number: i64) -> String {
    if number < MAX_COUNTED { number.to_string() } else { format!("{MAX_COUNTED}+") }
}

pub fn limit(limit: RateLimit) -> String {
    match limit.number() {
        0 => "Unlimited".to_owned(),
        limit => format!("{} requests/min", with_commas(limit.into())),
    }
}

/// Formats an account as display name and phone number.
pub fn named(account: &Account) -> String {
    format!("{} ({})", account.display_name, account.phone_number)
}

/// Switches the organization that the member works for.
pub async fn switch(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
    let member = member_context.visitor.member.as_ref().map(|(member, _)| member.id);
    let visitor = &member_context.visitor;
    if let (Some(member), Ok(id)) = (member, form.value("organization").parse())
        && sessions::choose_organization(&deps, member, visitor.digest(), id).await?
    {
        let name = visitor.organization_of(id).map_or("", |it| it.name.as_str());
        let sentence = format!("The pages show what belongs to {name}.");
        let notice = Notice::saying("Organization switched", sentence);
        let mut response = redirect(&notice.keep(&deps, visitor, id, KEYS).await?);
        remember_organization(&deps, id, &mut response);
        return Ok(response);
    }
    Ok(redirect("/"))
}
