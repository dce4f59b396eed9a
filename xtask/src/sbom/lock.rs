//! The checksums of packages in `Cargo.lock`.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use toml::de::{DeTable, DeValue};

/// Checksums by name and version.
pub type Checksums = BTreeMap<(String, String), String>;

/// Returns the SHA-256 of each package's archive; only packages of a registry have one.
pub fn checksums(lock: &str) -> Result<Checksums> {
    let root = DeTable::parse(lock).map_err(|error| anyhow!("Cargo.lock: {error}"))?;
    let packages = root.get_ref().get("package").map(toml::Spanned::get_ref);
    let packages = packages.and_then(DeValue::as_array).into_iter().flatten();
    let tables = packages.filter_map(|it| it.get_ref().as_table());
    Ok(tables
        .filter_map(|package| {
            let text = |name| Some(package.get(name)?.get_ref().as_str()?.to_owned());
            Some(((text("name")?, text("version")?), text("checksum")?))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_a_registry_have_checksums() {
        let lock = "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"c0ffee\"\n\
                    [[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n";
        let expected = [(("a".to_owned(), "1.0.0".to_owned()), "c0ffee".to_owned())];
        assert_eq!(checksums(lock).unwrap(), expected.into());
    }
}
