//! All operations as data: what the reference says of them. A server at rest has none of it.

use crate::admission::Access;
use crate::input::Input as _;
use crate::operation::{List, Operation, Variant, WrittenExample, written};
use actix_web::http::{Method, StatusCode};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use web_core::problem::Code;

/// One operation, as data.
#[derive(Clone, Debug)]
pub struct Specification {
    /// Its name.
    pub id: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// What else a caller should know.
    pub description: &'static str,
    /// A request and its answer.
    pub example: WrittenExample,
    /// Further requests.
    pub variants: Vec<Variant<String>>,
    /// Its method.
    pub method: Method,
    /// Its path.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// The status of its usual answer.
    pub success: StatusCode,
    /// The errors of its own.
    pub problems: &'static [Code],
    /// Its path parameters.
    pub parameters: Schema,
    /// Its body or query.
    pub input: Schema,
    /// Maximum number of bytes in its body.
    pub max_body_bytes: usize,
    /// Its answers, by their status.
    pub replies: Vec<(StatusCode, Schema)>,
    /// All of its answers in one, whatever the status.
    pub reply: Schema,
}

impl Specification {
    /// Every error that it can give: its own, and those of the checks that it goes through, in the order of
    /// the table.
    #[must_use]
    pub fn all_problems(&self) -> Vec<Code> {
        let mut all = vec![Code::InvalidCredentials, Code::ValidationFailed, Code::BadRequest];
        all.extend([Code::MethodNotAllowed, Code::InternalError, Code::Unavailable]);
        if self.access != Access::Application {
            all.extend([Code::SubscriptionRequired, Code::PlanUpgradeRequired]);
            all.extend([Code::RateLimited, Code::PlanLimitExceeded]);
        }
        if matches!(self.access, Access::Key(_)) {
            all.push(Code::InsufficientScope);
        }
        if self.method != Method::GET {
            all.extend([Code::InvalidJson, Code::PayloadTooLarge, Code::UnsupportedMediaType]);
        }
        if self.method == Method::POST {
            all.extend([Code::IdempotencyInProgress, Code::IdempotencyKeyReused]);
        }
        all.extend(self.problems);
        let listed = Code::ALL.iter().copied();
        listed.filter(|code| all.contains(code)).collect()
    }
}

/// The further requests of an operation, written out.
fn variants<O: Operation>() -> Vec<Variant<String>> {
    let variants = O::variants().into_iter();
    let written =
        |it: Variant<_>| Variant { name: it.name, title: it.title, input: written(&it.input) };
    variants.map(written).collect()
}

/// Where the document keeps the schemas that others refer to.
const DEFINITIONS: &str = "/components/schemas";

/// The operations of this server, as data.
pub struct Registry {
    specifications: Vec<Specification>,
    inputs: SchemaGenerator,
    replies: SchemaGenerator,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            specifications: Vec::new(),
            inputs: settings().for_deserialize().into_generator(),
            replies: settings().for_serialize().into_generator(),
        }
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = DEFINITIONS.into())
}

impl List for Registry {
    fn with<O: Operation>(mut self) -> Self {
        self.specifications.push(Specification {
            id: O::ID,
            summary: O::SUMMARY,
            description: O::DESCRIPTION,
            example: O::example().written(),
            variants: variants::<O>(),
            method: O::METHOD,
            path: O::PATH,
            access: O::ACCESS.access(),
            success: O::SUCCESS,
            problems: O::PROBLEMS,
            parameters: self.inputs.subschema_for::<O::Path>(),
            input: self.inputs.subschema_for::<O::Input>(),
            max_body_bytes: O::Input::MAX_BODY_BYTES,
            replies: O::replies(&mut self.replies),
            reply: self.replies.subschema_for::<O::Reply>(),
        });
        self
    }
}

impl Registry {
    /// All operations, in the order of the reference.
    #[must_use]
    pub fn specifications(&self) -> &[Specification] {
        &self.specifications
    }

    /// What made the schemas of inputs, and what made those of answers: they hold the definitions.
    #[must_use]
    pub const fn schemas(&self) -> (&SchemaGenerator, &SchemaGenerator) {
        (&self.inputs, &self.replies)
    }
}
