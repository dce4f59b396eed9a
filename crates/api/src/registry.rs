//! All operations: the only way to mount one, and so the only way into the reference.

use crate::admission::Access;
use crate::call;
use crate::input::Input as _;
use crate::input::Shape;
use crate::operation::{Operation, Variant, WrittenExample, written};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, Route, web};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use std::collections::BTreeMap;
use std::sync::Arc;
use web_core::problem::{Code, Problem};
use web_core::request_id::request_id;

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

type Mount = Arc<dyn Fn() -> Route + Send + Sync>;

/// The operations of this server.
#[derive(Clone)]
pub struct Registry {
    specifications: Vec<Specification>,
    mounts: Vec<Mount>,
    inputs: SchemaGenerator,
    replies: SchemaGenerator,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            specifications: Vec::new(),
            mounts: Vec::new(),
            inputs: settings().for_deserialize().into_generator(),
            replies: settings().for_serialize().into_generator(),
        }
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = DEFINITIONS.into())
}

impl Registry {
    /// With one more.
    #[must_use]
    pub fn with<O: Operation>(mut self) -> Self {
        let shape = Arc::new(Shape::of::<O::Input>());
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
        self.mounts.push(Arc::new(move || {
            let shape = shape.clone();
            web::method(O::METHOD).to(move |request: HttpRequest, payload: web::Payload| {
                let shape = shape.clone();
                async move { call::perform::<O>(&request, payload, &shape).await }
            })
        }));
        self
    }

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

    /// Mounts them, one resource a path: so a wrong method is a 405 that says which are right.
    pub fn mount(&self, app: &mut web::ServiceConfig) {
        // Paths without parameters first: actix tries one after the other, and those it need only compare.
        let mut by_path: BTreeMap<(bool, &'static str), Vec<(&Specification, &Mount)>> =
            BTreeMap::new();
        for (specification, mount) in self.specifications.iter().zip(&self.mounts) {
            let path = (specification.path.contains('{'), specification.path);
            by_path.entry(path).or_default().push((specification, mount));
        }
        for ((_, path), operations) in by_path {
            let methods: Vec<_> = operations.iter().map(|(it, _)| it.method.as_str()).collect();
            let allow = methods.join(", ");
            let mut resource = web::resource(path);
            for (_, mount) in operations {
                resource = resource.route(mount());
            }
            app.service(resource.default_service(web::to(move |request: HttpRequest| {
                let answer = Problem::method_not_allowed(&allow).response(&request_id(&request));
                async move { answer }
            })));
        }
    }
}
