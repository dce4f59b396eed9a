//! The sender's own id of an order.

use crate::violation::{Fault, Field, Violations};

/// Maximum number of characters in the sender's own id of an order.
pub const MAX_ORDER_REFERENCE_LENGTH: usize = 35;

pub fn order_reference(
    at: &Field<'_>,
    given: Option<&str>,
    faults: &mut Violations,
) -> Option<String> {
    let field = at.key("reference_id");
    let text = faults.required_text(&field, given, MAX_ORDER_REFERENCE_LENGTH)?;
    let fits = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    if !text.bytes().all(fits) {
        let message = "must be of letters, digits, underscores, dashes and dots";
        faults.add(&field, Fault::InvalidFormat, message);
    }
    Some(text)
}
