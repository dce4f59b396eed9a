//! What stands around every page: the tabs, the organization, the way out.

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

/// What every form of the dashboard proves.
pub const PURPOSE: &str = "dashboard";

/// The frame of a page.
pub struct Frame {
    /// The path of the tab that is open.
    pub tab: &'static str,
    /// The organization that the member works for.
    pub organization: String,
    /// All of theirs: id, name, whether it is this one.
    pub organizations: Vec<(String, String, bool)>,
    /// The member's email address.
    pub member: String,
    /// What signing out proves.
    pub sign_out: String,
    /// What switching proves.
    pub switch: String,
    /// What came of the form that led here.
    pub notice: Option<Notice>,
    /// Why every call of the organization's keys is refused, if it is.
    pub refusal: Option<&'static str>,
    /// The organization's numbers that cannot send, or not freely.
    pub alerts: Vec<NumberAlert>,
}

/// A number that cannot send, or not freely.
#[derive(Clone, Debug)]
pub struct NumberAlert {
    /// The number, as people read it.
    pub number: String,
    /// Whether its messages wait.
    pub held: bool,
    /// Why, in the channel's sentence.
    pub message: String,
    /// Since when.
    pub since: String,
}

/// A signed-in member, with their organization.
pub struct MemberContext {
    /// The browser.
    pub visitor: Visitor,
    /// The organization that they work for.
    pub organization: Organization,
    /// What came of the form that led here.
    notice: Option<Notice>,
    /// Why every call of the organization's keys is refused, if it is.
    refusal: Option<&'static str>,
    /// The organization's numbers that cannot send, or not freely.
    alerts: Vec<NumberAlert>,
    /// What the member typed into a form of this page before they signed in again.
    form_values: Option<Form>,
    /// Stands in the token of every form of the page that this request is answered with.
    nonce: String,
    /// What the lists of the page have to show; a form's answer is read from the primary, for it shows what the form did.
    seen: Seen,
}

impl MemberContext {
    /// The member who asks for a page; anyone who has not signed in does so first, and comes back.
    pub async fn of(request: &HttpRequest, deps: &Deps) -> Result<Self, PageError> {
        let visitor = Visitor::of(request, deps).await?;
        let Some(organization) = visitor.organization().cloned() else {
            let page = request.uri().path_and_query().map_or("/", |it| it.as_str());
            return Err(visitor.sign_in_first(deps, &ReturnTo::page(page), false)?);
        };
        let (notice, form_values) = notice::take(request, deps, &visitor, organization.id).await?;
        let seen = visitor.seen();
        let alerts = alerts(deps, Reader { organization: organization.id, seen }).await?;
        let refusal = usage::refusal_of(deps, &organization).await?.map(refused);
        let context = Self::new(deps, visitor, organization);
        Ok(Self { notice, refusal, alerts, form_values, seen, ..context })
    }

    /// The member who submits a form, and its fields. Whose session has ended signs in again, and what was
    /// typed comes along.
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

    /// What was typed into a form of this page.
    pub const fn form_values(&self) -> Option<&Form> {
        self.form_values.as_ref()
    }

    /// What was typed into the form that is submitted to this path.
    pub fn form_values_for(&self, path: &str) -> Option<&Form> {
        self.form_values.as_ref().filter(|form| form.value(SUBMITTED_TO) == path)
    }

    /// Whether something was typed into a form of this page before the member signed in again.
    pub const fn has_form_values(&self) -> bool {
        self.form_values.is_some()
    }

    /// Who reads the lists on the page.
    pub fn reader(&self) -> Reader {
        Reader { organization: self.organization.id, seen: self.seen }
    }

    /// What the lists on the page have to show.
    pub const fn seen(&self) -> Seen {
        self.seen
    }

    /// The organization's id.
    pub fn id(&self) -> OrganizationId {
        self.organization.id
    }

    /// What the forms of this page carry: another page's forms carry another one.
    pub fn token(&self) -> String {
        let Self { nonce, visitor, .. } = self;
        format!("{nonce}.{}", visitor.form_token(&purpose(nonce)))
    }

    /// The frame of a page under this tab.
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

/// Why billing refuses every call, for members.
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
    let (numbers, now) = (accounts::of(deps, reader).await?, deps.clock.now());
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

/// The page on which the form of a request stands.
fn page_of(request: &HttpRequest) -> &str {
    let path = request.path();
    let only_forms = [(KEYS, "/integrations/keys/"), ("/", "/organization")];
    let page = only_forms.into_iter().find(|(_, forms)| path.starts_with(forms));
    page.map_or(path, |(page, _)| page)
}

fn purpose(nonce: &str) -> String {
    format!("{PURPOSE} {nonce}")
}

/// A time as people read it.
pub fn day(at: Timestamp) -> String {
    let text = at.to_string();
    let (day, time) = text.split_once('T').unwrap_or((&text, ""));
    format!("{day} {} UTC", time.get(..5).unwrap_or_default())
}

/// How many there are of something of which no more than [`MAX_COUNTED`] are counted.
pub fn counted(number: i64) -> String {
    if number < MAX_COUNTED { number.to_string() } else { format!("{MAX_COUNTED}+") }
}

/// A rate limit as people read it.
pub fn limit(limit: RateLimit) -> String {
    match limit.number() {
        0 => "Unlimited".to_owned(),
        limit => format!("{} requests/min", with_commas(limit.into())),
    }
}

/// A number as people read it.
pub fn named(account: &Account) -> String {
    format!("{} ({})", account.display_name, account.phone_number)
}

/// Works for another organization.
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
