//! Applications, as members of their organization manage them.

use super::{ActionError, Actor, AuditObject};
use crate::applications::{self, CreatedApplication};
use auth::secret::Secret;
use domain::application::Terms;
use domain::role::MemberAction;
use persistence::records::Application;

pub struct MemberApplications<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn applications(self) -> MemberApplications<'a> {
        MemberApplications(self)
    }
}

type Result<T> = std::result::Result<T, ActionError<persistence::Error>>;

impl MemberApplications<'_> {
    /// Registers an unpublished application. Its secret is shown only here.
    pub async fn register(&self, terms: &Terms) -> Result<CreatedApplication> {
        let work = applications::register(self.0.deps, self.0.organization, terms, false);
        let created = |it: &CreatedApplication| Some(AuditObject::new(&it.id, &it.name));
        self.0.perform(MemberAction::ApplicationRegistered, work, created).await
    }

    /// Changes the terms of an application. Returns `false` if it does not exist.
    pub async fn change(&self, known: &Application, terms: &Terms) -> Result<bool> {
        let work = applications::change(self.0.deps, self.0.organization, known, terms);
        self.0.perform(MemberAction::ApplicationUpdated, work, |done| object(known, *done)).await
    }

    /// Gives an application a new secret, which is shown only here.
    pub async fn rotate_secret(&self, known: &Application) -> Result<Option<Secret>> {
        let work = applications::rotate_secret(self.0.deps, self.0.organization, known.id);
        let done = |secret: &Option<Secret>| object(known, secret.is_some());
        self.0.perform(MemberAction::ApplicationSecretRotated, work, done).await
    }

    /// Lists an application in the directory, or removes it from there. Returns `false` if it does
    /// not exist.
    pub async fn publish(&self, known: &Application, published: bool) -> Result<bool> {
        let action = if published {
            MemberAction::ApplicationPublished
        } else {
            MemberAction::ApplicationUnpublished
        };
        let work = applications::publish(self.0.deps, self.0.organization, known.id, published);
        self.0.perform(action, work, |done| object(known, *done)).await
    }

    /// Deletes an application. Returns `false` if it does not exist.
    pub async fn delete(&self, known: &Application) -> Result<bool> {
        let work = applications::delete(self.0.deps, self.0.organization, known.id);
        self.0.perform(MemberAction::ApplicationDeleted, work, |done| object(known, *done)).await
    }
}

fn object(application: &Application, done: bool) -> Option<AuditObject> {
    done.then(|| AuditObject::new(application.id, &application.name))
}
