//! What a program executed, as a dump of Callgrind tells it.

use std::collections::BTreeSet;
use std::path::Path;

/// The addresses of the instructions of `program` in a dump that was made with `--dump-instr=yes --compress-strings=no
/// --compress-pos=no`.
pub fn addresses(dump: &str, program: &Path) -> BTreeSet<u64> {
    let program = program.to_string_lossy();
    let mut is_program = false;
    let mut addresses = BTreeSet::new();
    for line in dump.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            is_program = object == program;
        } else if is_program && let Some(rest) = line.strip_prefix("0x") {
            let hex = rest.split_whitespace().next().unwrap_or_default();
            addresses.extend(u64::from_str_radix(hex, 16));
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_program_itself_executed_counts() {
        let dump = "positions: instr line\nevents: Ir\n\nob=/p/libc.so\nfl=a.c\nfn=f\n0x10 0 1\n\n\
                    ob=/p/switchboard\nfl=b.rs\nfn=g\n0x20 0 1\ncob=/p/libc.so\ncfn=f\ncalls=1 0x10 0\n\
                    0x25 0 7\n\ntotals: 9\n";
        let executed = addresses(dump, Path::new("/p/switchboard"));
        assert_eq!(executed.into_iter().collect::<Vec<_>>(), [0x20, 0x25]);
    }
}
