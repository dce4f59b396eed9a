//! The supported versions of Citus.

/// The oldest version of Citus that is supported and tested.
pub const OLDEST_VERSION: (u32, u32) = (13, 2);

/// Tells whether a version of Citus, such as `13.2-1`, is supported.
#[must_use]
pub fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map_while(|it| it.parse::<u32>().ok());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= OLDEST_VERSION
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, enough) in
            [("13.2-1", true), ("14.0-1", true), ("13.1-1", false), ("9.5-3", false), ("", false)]
        {
            assert_eq!(is_new_enough(version), enough, "{version}");
        }
    }
}
