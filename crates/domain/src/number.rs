//! Numbers that are held within what a type can say.

/// `number`, or `most` where it is larger than the type can say. For what is measured or counted and cannot be negative.
pub fn saturating<N, T: TryFrom<N>>(number: N, most: T) -> T {
    #[expect(clippy::disallowed_methods, reason = "being too large is all that can be wrong")]
    T::try_from(number).unwrap_or(most)
}
