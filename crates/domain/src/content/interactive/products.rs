//! Interactive messages with one product or several products of a catalog.

use crate::content::parameter::{MAX_REFERENCE_LENGTH, ProductSection, check_sections};
use crate::violation::{Fault, Field, Violations};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductRef {
    pub catalog_id: String,
    /// The id of the product in the catalog.
    pub product_retailer_id: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductList {
    pub catalog_id: String,
    /// The sections with the products: 1 to 10 sections, with at most 30 products in total.
    pub sections: Vec<ProductSection>,
}

impl ProductRef {
    pub fn parse(
        at: &Field<'_>,
        catalog_id: Option<&str>,
        product_retailer_id: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("catalog_id");
        let catalog_id = faults.required_text(&field, catalog_id, MAX_REFERENCE_LENGTH);
        let field = at.key("product_retailer_id");
        let product = faults.required_text(&field, product_retailer_id, MAX_REFERENCE_LENGTH);
        Some(Self { catalog_id: catalog_id?, product_retailer_id: product? })
    }
}

impl ProductList {
    /// Parses a list of products. If there are several sections, each needs a title.
    pub fn parse(
        at: &Field<'_>,
        catalog_id: Option<&str>,
        sections: Vec<ProductSection>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("catalog_id");
        let catalog_id = faults.required_text(&field, catalog_id, MAX_REFERENCE_LENGTH);
        let field = at.key("sections");
        check_sections(&field, &sections, faults);
        if sections.is_empty() {
            faults.add(&field, Fault::Empty, "needs at least one section");
        }
        if sections.len() > 1 {
            for (index, section) in sections.iter().enumerate() {
                if section.title.is_none() {
                    let message = "is required when there are several sections";
                    faults.add(&field.index(index).key("title"), Fault::Required, message);
                }
            }
        }
        Some(Self { catalog_id: catalog_id?, sections })
    }
}
