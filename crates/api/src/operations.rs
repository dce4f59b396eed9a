//! The operations that a server mounts. An operation can be mounted only here, and each mounted
//! operation is also in the reference.

use crate::admission::Access;
use crate::call;
use crate::input::Shape;
use crate::operation::{Operation, OperationList};
use actix_web::http::Method;
use actix_web::{HttpRequest, Route, web};
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An operation that can be mounted.
#[derive(Clone)]
pub struct Mounted {
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    route: Arc<dyn Fn() -> Route + Send + Sync>,
}

/// The operations of this server.
#[derive(Clone, Default)]
pub struct Operations(Vec<Mounted>);

impl OperationList for Operations {
    fn with<O: Operation>(mut self) -> Self {
        let shape = Arc::new(Shape::new::<O::Input>());
        let route = move || {
            let shape = shape.clone();
            web::method(O::METHOD).to(move |request: HttpRequest, payload: web::Payload| {
                let shape = shape.clone();
                async move { call::perform::<O>(&request, payload, &shape).await }
            })
        };
        self.0.push(Mounted {
            method: O::METHOD,
            path: O::PATH,
            access: O::ACCESS.access(),
            route: Arc::new(route),
        });
        self
    }
}

impl Operations {
    pub fn iter(&self) -> impl Iterator<Item = &Mounted> {
        self.0.iter()
    }

    /// Mounts the operations with one resource per path, so that a wrong method gets a 405 that
    /// lists the allowed ones.
    pub fn mount(&self, app: &mut web::ServiceConfig) {
        // Paths without parameters come first: actix tries one path after the other, and these need
        // only a comparison.
        let mut by_path: BTreeMap<(bool, &'static str), Vec<&Mounted>> = BTreeMap::new();
        for operation in self.iter() {
            let path = (operation.path.contains('{'), operation.path);
            by_path.entry(path).or_default().push(operation);
        }
        for ((_, path), operations) in by_path {
            let methods = operations.iter().map(|it| it.method.as_str());
            // Every GET operation answers HEAD too.
            let methods: Vec<_> =
                methods.map(|it| if it == "GET" { "GET, HEAD" } else { it }).collect();
            let allow = methods.join(", ");
            let mut resource = web::resource(path);
            for operation in operations {
                resource = resource.route((operation.route)());
            }
            app.service(resource.default_service(web::to(move |request: HttpRequest| {
                let answer = Problem::method_not_allowed(&allow).response(&request_id(&request));
                async move { answer }
            })));
        }
    }
}
