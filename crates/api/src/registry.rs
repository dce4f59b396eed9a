//! All operations as data, for the reference. The data exists only while the reference is rendered.

use crate::admission::Access;
use crate::input::Input as _;
use crate::operation::{JSON, Operation, OperationList, Variant, WrittenExample, written};
use actix_web::http::{Method, StatusCode};
use http_layer::problem::Code;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};

/// An operation as data.
#[derive(Clone, Debug)]
pub struct Specification {
    pub id: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub example: WrittenExample,
    pub variants: Vec<Variant<String>>,
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    /// The status of the usual answer.
    pub success: StatusCode,
    /// The content type of the successful answers.
    pub content_type: &'static str,
    /// The errors of this operation, without those that every operation can return.
    pub problems: &'static [Code],
    /// The schema of the path parameters.
    pub parameters: Schema,
    /// The schema of the body or the query.
    pub input: Schema,
    /// Maximum number of bytes in the body.
    pub max_body_bytes: usize,
    /// The schemas of the successful answers, with their status.
    pub replies: Vec<(StatusCode, Schema)>,
    /// One schema for all successful answers, whatever the status.
    pub reply: Schema,
}

impl Specification {
    /// Whether the successful answer is a file.
    #[must_use]
    pub fn answers_with_file(&self) -> bool {
        self.content_type != JSON
    }

    /// Returns every error that the operation can return, its own and those of the checks, in the
    /// order of [`Code::ALL`].
    #[must_use]
    pub fn all_problems(&self) -> Vec<Code> {
        let mut all = vec![Code::InvalidCredentials, Code::ValidationFailed, Code::BadRequest];
        all.extend([Code::MethodNotAllowed, Code::InternalError, Code::Unavailable]);
        if self.access != Access::Application {
            all.extend([Code::SubscriptionRequired, Code::PlanUpgradeRequired]);
            all.extend([Code::RateLimited, Code::PlanLimitExceeded]);
        }
        if self.access.scope().is_some() {
            all.push(Code::InsufficientScope);
        }
        if let Access::KeyOrApplication(_) = self.access {
            all.push(Code::KeyIsBound);
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

/// Serializes the further examples of an operation.
fn variants<O: Operation>() -> Vec<Variant<String>> {
    let variants = O::variants().into_iter();
    let written =
        |it: Variant<_>| Variant { name: it.name, title: it.title, input: written(&it.input) };
    variants.map(written).collect()
}

/// The path of the shared schemas in the `OpenAPI` document.
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

impl OperationList for Registry {
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
            content_type: O::CONTENT_TYPE,
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
    /// Returns all operations, in the order of the reference.
    #[must_use]
    pub fn specifications(&self) -> &[Specification] {
        &self.specifications
    }

    /// Returns the generators of the schemas of inputs and of answers, which hold the definitions.
    #[must_use]
    pub const fn schemas(&self) -> (&SchemaGenerator, &SchemaGenerator) {
        (&self.inputs, &self.replies)
    }
}
