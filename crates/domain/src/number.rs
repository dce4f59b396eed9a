//! Conversion of numbers with saturation.

/// Converts `number`, or returns `most` if it is too large for the type. The number must not be
/// negative.
pub fn saturating<N, T: TryFrom<N>>(number: N, most: T) -> T {
    #[expect(clippy::disallowed_methods, reason = "being too large is all that can be wrong")]
    T::try_from(number).unwrap_or(most)
}
