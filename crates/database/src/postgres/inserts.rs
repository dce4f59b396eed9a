//! Rows of `INSERT` statements.

/// The maximum number of rows of one `INSERT`. A statement has at most 65,535 values, and every
/// table has fewer than 60 columns.
const ROWS: usize = 512;

/// Splits rows into groups, one for each `INSERT`. The size of each group is a power of two, so
/// that only a few different statements are prepared.
pub fn inserts<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let most = rows.len().min(ROWS).checked_ilog2()?;
        let (some, rest) = rows.split_at_checked(1 << most)?;
        rows = rest;
        Some(some)
    })
}

#[cfg(test)]
mod tests {
    use super::inserts;

    #[test]
    fn rows_are_inserted_in_groups_whose_sizes_are_powers_of_two() {
        let sizes = |rows: usize| inserts(&vec![(); rows]).map(<[()]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(0), [0; 0]);
        assert_eq!(sizes(45), [32, 8, 4, 1]);
        assert_eq!(sizes(1300), [512, 512, 256, 16, 4]);
    }
}
