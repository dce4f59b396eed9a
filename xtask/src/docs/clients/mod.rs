//! The generated files of the clients in `clients/`: types and operations, from the `OpenAPI`
//! document (`docs/decisions/0127-the-clients-are-generated-here.md`).

mod document;
mod python;
mod typescript;

use anyhow::Result;
use serde_json::Value;

use document::ClientDocument;

/// Returns the generated files and their texts.
pub fn files(openapi: &str) -> Result<Vec<(String, String)>> {
    let openapi: Value = serde_json::from_str(openapi)?;
    let document = ClientDocument::parse(&openapi)?;
    let (python, typescript) = ("clients/python/src/switchboard_client", "clients/typescript/src");
    Ok(vec![
        (format!("{python}/types.py"), python::types(&document)),
        (format!("{python}/_operations.py"), python::operations(&document)),
        (format!("{typescript}/types.ts"), typescript::types(&document)),
        (format!("{typescript}/operations.ts"), typescript::operations(&document)),
    ])
}
