//! The frame of every dashboard page: sidebar, organization, notices and sign-out.

use super::notice::{self, Notice};
use super::sidebar::{self, SidebarGroup, SidebarPage};
use super::sidebar_marks::{self, SidebarMark};
use super::{APPLICATIONS, KEYS, MEMBERS, NUMBERS};
use crate::browser::{
    Appearance, Form, FormFile, PageError, ReturnTo, SIGN_OUT, SUBMITTED_TO, ShownTime, Visitor,
    device, initials, read_with_file, redirect, remember_organization,
};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::account::HealthState;
use domain::id::OrganizationId;
use domain::key::RateLimit;
use domain::number::with_commas;
use domain::plan::BillingRefusal;
use domain::role::{Area, Authority, MemberAction, VisibleConversations};
use domain::time::Timestamp;
use http_layer::client_address::caller;
use http_layer::deps::ServerDeps;
use persistence::records::{Account, Member, Membership, Organization};
use persistence::{Reader, Seen};
use service::actor::Actor;
use service::endpoints::MAX_COUNTED;
use service::inbox::MAX_COUNTED_CONVERSATIONS;
use service::{accounts, sessions, usage};
use std::net::IpAddr;
use std::sync::Arc;
use tracing::field::display;

/// The CSRF purpose of dashboard forms.
pub const PURPOSE: &str = "dashboard";

pub struct Frame {
    /// The path of the current page in the sidebar.
    pub tab: &'static str,
    /// The name of the organization that the member works for.
    pub organization: String,
    /// The member's organizations: id, name and whether the member works for it now.
    pub organizations: Vec<(String, String, bool)>,
    /// The name of the member, or the email address if the member has no name.
    pub member: String,
    /// The member's permissions in the organization.
    pub authority: Authority,
    /// The email address of the member.
    pub email: String,
    /// The CSRF token of the sign-out form.
    pub sign_out: String,
    /// The CSRF token of the form that switches the organization.
    pub switch: String,
    /// The result of the form that led to this page.
    pub notice: Option<Notice>,
    /// The reason why all calls with the organization's keys are refused, or `None` if they are
    /// not.
    pub refusal: Option<&'static str>,
    /// The organization's numbers that are held or restricted.
    pub alerts: Vec<NumberAlert>,
    /// The counts that the sidebar shows beside its pages.
    marks: Vec<SidebarMark>,
    /// The colors of the page in this browser.
    pub appearance: Appearance,
}

impl Frame {
    /// Returns the groups of the sidebar with the pages that the member's role may open.
    pub fn groups(&self) -> impl Iterator<Item = (SidebarGroup, Vec<&'static SidebarPage>)> {
        sidebar::groups(self.authority.role)
    }

    /// Returns the count that the sidebar shows beside a page, if there is one.
    pub fn mark(&self, page: &SidebarPage) -> Option<&SidebarMark> {
        self.marks.iter().find(|it| it.is_of(page.path))
    }

    /// Whether the page shows a secret that no other page will show again.
    pub fn shows_secret(&self) -> bool {
        self.notice.as_ref().is_some_and(|it| it.value("secret").is_some())
    }

    /// Returns the letter that stands for the organization.
    pub fn initial(&self) -> String {
        self.organization.chars().take(1).flat_map(char::to_uppercase).collect()
    }

    /// Returns the letters that stand for the member.
    pub fn member_initials(&self) -> String {
        initials(&self.member)
    }
}

/// A number that is held or restricted by its channel.
#[derive(Clone, Debug)]
pub struct NumberAlert {
    /// The path of the number's page.
    pub path: String,
    /// Display name and phone number.
    pub number: String,
    /// Whether the account is held, so that its messages wait.
    pub held: bool,
    /// The reason why the number is held or restricted, in the channel's words.
    pub message: String,
    pub since: String,
}

/// A signed-in member with the organization that they work for.
pub struct MemberContext {
    pub visitor: Visitor,
    pub member: Member,
    pub organization: Organization,
    /// The member's permissions in the organization.
    pub authority: Authority,
    /// The IP address of the client.
    address: Option<IpAddr>,
    /// The result of the form that led to this page.
    notice: Option<Notice>,
    /// The reason why all calls with the organization's keys are refused, or `None` if they are
    /// not.
    refusal: Option<&'static str>,
    /// The organization's numbers, in the order in which they were connected. Empty when a form is
    /// submitted.
    accounts: Vec<Account>,
    /// The organization's numbers that are held or restricted.
    alerts: Vec<NumberAlert>,
    /// The counts that the sidebar shows beside its pages.
    marks: Vec<SidebarMark>,
    /// The colors of the page in this browser.
    appearance: Appearance,
    /// The input of a form of this page, submitted before the member had to sign in again.
    form_values: Option<Form>,
    /// A random value in the CSRF tokens of this page, which makes the forms of each page load
    /// unique.
    nonce: String,
    /// The log position that lists on the page must include. Unknown for a submitted form, so that
    /// its response is read from the primary and shows the change.
    seen: Seen,
}

impl MemberContext {
    /// Identifies the member who requests a page.
    ///
    /// # Errors
    ///
    /// [`PageError::SignIn`] if nobody is signed in. The browser returns to the page after sign-in.
    pub async fn of(request: &HttpRequest, deps: &ServerDeps) -> Result<Self, PageError> {
        let visitor = Visitor::of(request, deps).await?;
        let Some((member, membership)) = who(&visitor)? else {
            let page = request.uri().path_and_query().map_or("/", |it| it.as_str());
            return Err(visitor.sign_in_first(deps, &ReturnTo::page(page), false)?);
        };
        let organization = membership.organization.id;
        let (notice, form_values) = notice::take(request, deps, &visitor, organization).await?;
        let context = Self::with_frame(request, deps, visitor, member, membership).await?;
        Ok(Self { notice, form_values, ..context })
    }

    /// Identifies the member who gets an error page. Returns `None` if nobody is signed in. If no
    /// member has ever signed in in this browser, the database is not queried.
    pub async fn of_error_page(
        request: &HttpRequest,
        deps: &ServerDeps,
    ) -> Result<Option<Self>, PageError> {
        if !device::is_known(deps, request.headers()) {
            return Ok(None);
        }
        let visitor = Visitor::of(request, deps).await?;
        let Some((member, membership)) = who(&visitor)? else { return Ok(None) };
        Ok(Some(Self::with_frame(request, deps, visitor, member, membership).await?))
    }

    /// Loads the data that the frame of a page shows.
    async fn with_frame(
        request: &HttpRequest,
        deps: &ServerDeps,
        visitor: Visitor,
        member: Member,
        membership: Membership,
    ) -> Result<Self, PageError> {
        let Membership { organization, authority } = &membership;
        let reader = Reader { organization: organization.id, seen: visitor.seen() };
        let accounts = accounts::list(deps, reader).await?;
        let alerts = alerts(&accounts, deps.clock.now());
        let refusal = usage::find_refusal(deps, organization).await?.map(refused);
        let marks = sidebar_marks::load(deps, reader, authority.role, alerts.len()).await?;
        let context = Self::new(request, deps, visitor, member, membership);
        Ok(Self { refusal, accounts, alerts, marks, seen: reader.seen, ..context })
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
        deps: &ServerDeps,
    ) -> Result<(Self, Form), PageError> {
        let (context, form, _) = Self::with_file(request, payload, deps).await?;
        Ok((context, form))
    }

    /// Identifies the member who submits a form, and reads the form with its file. See
    /// [`Self::with_form`].
    pub async fn with_file(
        request: &HttpRequest,
        payload: web::Payload,
        deps: &ServerDeps,
    ) -> Result<(Self, Form, FormFile), PageError> {
        let visitor = Visitor::of(request, deps).await?;
        let proves = |form: &Form| {
            let (nonce, proof) = form.value("token").split_once('.').unwrap_or_default();
            visitor.is_form_token(&purpose(nonce), proof)
        };
        let keeps_file = visitor.membership().is_some();
        let read = read_with_file(request, payload, deps, keeps_file, proves).await;
        let (form, file) = read.map_err(|_| PageError::Form(page_of(request)))?;
        let Some((member, membership)) = who(&visitor)? else {
            let to = ReturnTo::form(&page_of(request), &form, request.path());
            return Err(visitor.sign_in_first(deps, &to, true)?);
        };
        Ok((Self::new(request, deps, visitor, member, membership), form, file))
    }

    fn new(
        request: &HttpRequest,
        deps: &ServerDeps,
        visitor: Visitor,
        member: Member,
        membership: Membership,
    ) -> Self {
        let Membership { organization, authority } = membership;
        let address = caller(request, &deps.config.trusted_proxies);
        tracing::Span::current().record("organization", display(organization.id));
        let nonce = auth::digest::hex(&deps.entropy.bytes::<16>());
        let (notice, refusal, form_values, alerts) = (None, None, None, Vec::new());
        let seen = Seen::UNKNOWN;
        Self {
            visitor,
            member,
            organization,
            authority,
            address,
            notice,
            refusal,
            accounts: Vec::new(),
            alerts,
            marks: Vec::new(),
            appearance: Appearance::of(deps, request.headers()),
            form_values,
            nonce,
            seen,
        }
    }

    /// Checks that the member's role includes an area.
    ///
    /// # Errors
    ///
    /// [`PageError::OtherRole`] if it does not.
    pub fn require(&self, area: Area) -> Result<(), PageError> {
        let role = self.authority.role;
        if role.may_read(area) { Ok(()) } else { Err(PageError::OtherRole(role)) }
    }

    /// Whether the member may perform an action.
    pub fn may(&self, action: MemberAction) -> bool {
        self.authority.may(action)
    }

    /// Returns the conversations that the member may see.
    pub fn visible(&self) -> VisibleConversations {
        self.authority.visible_to(self.member.id)
    }

    /// Takes the organization's numbers, which were loaded for the frame.
    pub fn take_accounts(&mut self) -> Vec<Account> {
        std::mem::take(&mut self.accounts)
    }

    /// Returns the count that the sidebar shows beside a page, if there is one.
    pub fn mark(&self, path: &str) -> Option<&SidebarMark> {
        self.marks.iter().find(|it| it.is_of(path))
    }

    /// Returns the member with their authority, for actions.
    pub fn actor<'a>(&self, deps: &'a ServerDeps) -> Actor<'a> {
        Actor {
            deps,
            organization: self.organization.id,
            member: self.member.id,
            authority: self.authority,
            address: self.address,
        }
    }

    /// Returns the input of any form of this page, submitted before the member had to sign in
    /// again.
    pub const fn form_values(&self) -> Option<&Form> {
        self.form_values.as_ref()
    }

    /// Returns the input of the form of this page that is submitted to `path`, if the member
    /// submitted it before signing in again.
    pub fn form_values_for(&self, path: &str) -> Option<&Form> {
        self.form_values.as_ref().filter(|form| form.value(SUBMITTED_TO) == path)
    }

    /// Returns the reader for the lists on the page.
    pub fn reader(&self) -> Reader {
        Reader { organization: self.organization.id, seen: self.seen }
    }

    /// Returns the log position that lists on the page must include.
    pub const fn seen(&self) -> Seen {
        self.seen
    }

    pub fn id(&self) -> OrganizationId {
        self.organization.id
    }

    /// Returns the CSRF token for the forms of this page. Every page load has a different one.
    pub fn token(&self) -> String {
        let Self { nonce, visitor, .. } = self;
        format!("{nonce}.{}", visitor.form_token(&purpose(nonce)))
    }

    /// Creates the frame of a page under this entry of the sidebar.
    pub fn frame(&self, tab: &'static str) -> Frame {
        let all = self.visitor.member.iter().flat_map(|(_, all)| all);
        let organization = |Membership { organization: it, .. }: &Membership| {
            (it.id.to_string(), it.name.clone(), it.id == self.organization.id)
        };
        Frame {
            tab,
            organization: self.organization.name.clone(),
            organizations: all.map(organization).collect(),
            member: self.member.display_name().to_owned(),
            email: self.member.email.clone(),
            authority: self.authority,
            sign_out: self.visitor.form_token(SIGN_OUT),
            switch: self.token(),
            notice: self.notice.clone(),
            refusal: self.refusal,
            alerts: self.alerts.clone(),
            marks: self.marks.clone(),
            appearance: self.appearance,
        }
    }
}

/// Returns the member and the membership for the organization that the member works for, or `None`
/// if nobody is signed in.
///
/// # Errors
///
/// [`PageError::NoOrganization`] if the member belongs to no organization.
fn who(visitor: &Visitor) -> Result<Option<(Member, Membership)>, PageError> {
    let Some((member, _)) = &visitor.member else { return Ok(None) };
    match visitor.membership() {
        Some(membership) => Ok(Some((member.clone(), membership.clone()))),
        None => Err(PageError::NoOrganization(visitor.form_token(SIGN_OUT))),
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

fn alerts(accounts: &[Account], now: Timestamp) -> Vec<NumberAlert> {
    let alert = |it: &Account| {
        let health = it.known_health().at(now);
        (health.state != HealthState::Ok).then(|| NumberAlert {
            path: format!("{NUMBERS}/{}", it.id),
            number: named(it),
            held: health.state == HealthState::Held,
            message: health.message.unwrap_or_default(),
            since: health.since.map(ShownTime::in_words).unwrap_or_default(),
        })
    };
    accounts.iter().filter_map(alert).collect()
}

/// Returns the path of the page that contains the submitted form. The path of a list differs from
/// the path of the form for a new object.
pub fn page_of(request: &HttpRequest) -> String {
    match request.path() {
        "/organization" => "/".to_owned(),
        list @ (KEYS | APPLICATIONS) => format!("{list}/new"),
        list if list.starts_with("/settings/members/") => MEMBERS.to_owned(),
        list if list.ends_with("/webhooks") => format!("{list}/new"),
        page => page.to_owned(),
    }
}

fn purpose(nonce: &str) -> String {
    format!("{PURPOSE} {nonce}")
}

/// Formats a count of conversations that stops at [`MAX_COUNTED_CONVERSATIONS`].
pub fn counted_conversations(number: usize) -> String {
    let most = domain::number::saturating(MAX_COUNTED_CONVERSATIONS, usize::MAX);
    if number < most { number.to_string() } else { format!("{}+", most.saturating_sub(1)) }
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

/// Formats a rate limit for a column "Requests/min".
pub fn requests_per_minute(limit: RateLimit) -> String {
    match limit.number() {
        0 => "Unlimited".to_owned(),
        limit => with_commas(limit.into()),
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
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
    let (member, visitor) = (member_context.member.id, &member_context.visitor);
    if let Ok(id) = form.value("organization").parse()
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
