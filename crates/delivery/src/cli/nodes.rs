//! The nodes of a distributed PostgreSQL, as `migrate status` shows them.

use persistence::inspection::Distribution;

const MEGABYTE: u64 = 1_000_000;

/// Formats one line for each node, and the next step.
pub fn lines(of: &Distribution) -> String {
    let mut lines = format!("\nCitus {}\n", of.version);
    lines.extend(of.nodes.iter().map(|node| {
        let role = if node.is_coordinator { "coordinator" } else { "worker" };
        let state = match (node.is_active, node.answers) {
            (false, _) => ", not in use",
            (true, false) => ", does not answer",
            (true, true) => "",
        };
        let (shards, megabytes) = (node.shards, node.bytes.div_ceil(MEGABYTE));
        let address = &node.address;
        format!("{role:<11}  {address}  {shards} shards, {megabytes} MB{state}\n")
    }));
    let more = match (of.begun, of.left.as_slice()) {
        (false, _) => {
            "no table is distributed yet: run `switchboard migrate distribute`\n".to_owned()
        }
        (true, []) => format!("the fullest node has {:.1} times the average\n", of.skew()),
        (true, left) => {
            let left = left.join(", ");
            format!(
                "`switchboard migrate distribute` was interrupted, run it again; still to distribute: {left}\n"
            )
        }
    };
    lines + &more
}
