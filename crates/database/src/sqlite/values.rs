//! Values of a statement.

/// Collects the values of an `IN (…)`. Repeats the last value until the number of values is a power
/// of two, so that only a few different statements are prepared.
pub fn listed<T: Clone>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut listed: Vec<T> = values.into_iter().collect();
    if let Some(last) = listed.last().cloned() {
        listed.resize(listed.len().next_power_of_two(), last);
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn the_values_of_a_list_are_filled_up_to_a_power_of_two_with_the_last_one() {
        assert_eq!(listed(Vec::<u8>::new()), [0; 0]);
        assert_eq!(listed([7]), [7]);
        assert_eq!(listed([1, 2, 3, 4, 5]), [1, 2, 3, 4, 5, 5, 5, 5]);
    }
}
