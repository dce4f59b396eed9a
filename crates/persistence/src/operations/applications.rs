//! Operations on applications.
use super::operations;
use crate::Db;
use crate::operations::{ApplicationDb, OperatorDb, OrganizationDb, PublicDb};
use crate::records::{Application, ApplicationChange, Handshake, ListFilter, Organization};
use domain::id::{self, ApplicationId};
use domain::time::Timestamp;

operations! {
    Db;
    write applications::insert_application(new: Application) -> ();
    /// Returns the application whose secret has this digest.
    read applications::application_by_secret(secret_digest: Vec<u8>) -> Option<Application>;
    /// Logs the result of a code exchange.
    write applications::insert_handshake(new: Handshake) -> ();
    /// Logs a fault of an authorize request, in place of an earlier entry for the same fault.
    write applications::record_faulty_request(new: Handshake) -> ();
}

operations! {
    PublicDb;
    /// Returns an application by its client id.
    read applications::application(client_id: String) -> Option<Application>;
    /// Returns the directory of published applications, with their publishers' names.
    read applications::published_applications(limit: i64) -> Vec<(Application, Option<String>)>;
}

operations! {
    OrganizationDb<organization>;
    read applications::own_application(id: ApplicationId) -> Option<Application>;
    /// Returns the applications that the organization registered.
    read applications::own_applications() -> Vec<Application>;
    write applications::change_application(id: ApplicationId, change: ApplicationChange) -> bool;
    /// Lists one of the organization's applications in the public directory, or removes it from
    /// there.
    write applications::publish_application(id: ApplicationId, published: bool) -> bool;
    /// Replaces the secret of one of the organization's applications.
    write applications::renew_application(id: ApplicationId, secret_digest: Vec<u8>) -> bool;
    write applications::delete_application(id: ApplicationId, at: Timestamp) -> bool;
    /// Returns the results of the code exchanges of one of the organization's applications.
    read applications::handshakes(id: ApplicationId, since: Timestamp, limit: i64) -> Vec<(Handshake, Option<String>)>;
}

operations! {
    ApplicationDb<application>;
    read applications::find() -> Option<Application>;
}

operations! {
    OperatorDb;
    /// Marks an application as verified.
    write applications::verify_application(client_id: String) -> bool;
    /// Returns a page of the applications, with their publishers.
    read listing::list_applications(list_filter: ListFilter<id::Application>) -> Vec<(Application, Option<Organization>)>;
}
