//! Plans as operators set them.

use super::{Output, admin, folder};
use crate::world::switchboard;
use serde_json::json;

#[tokio::test]
async fn a_limit_that_cannot_be_stored_is_refused_with_a_sentence() {
    let (_folder, url) = folder();
    let set = async |limits: [&str; 2]| {
        let plan = ["admin", "plan", "set", "--name", "Large", "--api-access", "true"];
        let limits = ["--api-calls-per-day", limits[0], "--messages-per-month", limits[1]];
        let arguments = [&plan[..], &limits, &["--database-url", &url]].concat();
        Output::of(&mut switchboard(&arguments)).await
    };
    // When a limit is higher than a database column can hold, then the error names the maximum,
    for limits in [["2147483648", "none"], ["none", "4294967295"]] {
        set(limits).await.failed_with(&["a limit of a plan is at most 2147483647"]);
    }
    // nothing is stored,
    let plans = admin(&url, &["plan", "list"]).await;
    assert_eq!(plans["data"], json!([]), "{plans}");
    // and the maximum itself is accepted.
    set(["2147483647", "2147483647"]).await.succeeded();
    let plan = admin(&url, &["plan", "show", "Large"]).await;
    assert_eq!(plan["api_calls_per_day"], 2_147_483_647, "{plan}");
}
