//! All operations: the only way to mount one, and so the only way into the reference.

use crate::call::{self, Shape};
use crate::operation::{Access, Operation};
use crate::problem::{Code, Problem};
use crate::request_id::request_id;
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, Route, web};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One operation, as data.
#[derive(Clone, Debug)]
pub struct Specification {
    /// Its name.
    pub id: &'static str,
    /// What it is for.
    pub summary: &'static str,
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
    /// Its answer.
    pub reply: Schema,
}

type Mount = Arc<dyn Fn() -> Route + Send + Sync>;

/// The operations of this server.
#[derive(Clone)]
pub struct Registry {
    specifications: Vec<Specification>,
    mounts: Vec<Mount>,
    schemas: SchemaGenerator,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            specifications: Vec::new(),
            mounts: Vec::new(),
            schemas: SchemaSettings::draft2020_12().into_generator(),
        }
    }
}

impl Registry {
    /// With one more.
    #[must_use]
    pub fn with<O: Operation>(mut self) -> Self {
        let shape = Arc::new(Shape::of::<O::Input>());
        self.specifications.push(Specification {
            id: O::ID,
            summary: O::SUMMARY,
            method: O::METHOD,
            path: O::PATH,
            access: O::ACCESS,
            success: O::SUCCESS,
            problems: O::PROBLEMS,
            parameters: self.schemas.subschema_for::<O::Path>(),
            input: self.schemas.subschema_for::<O::Input>(),
            reply: self.schemas.subschema_for::<O::Reply>(),
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

    /// Mounts them, one resource a path: so a wrong method is a 405 that says which are right.
    pub fn mount(&self, app: &mut web::ServiceConfig) {
        let mut by_path: BTreeMap<&'static str, Vec<(&Specification, &Mount)>> = BTreeMap::new();
        for (specification, mount) in self.specifications.iter().zip(&self.mounts) {
            by_path.entry(specification.path).or_default().push((specification, mount));
        }
        for (path, operations) in by_path {
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
