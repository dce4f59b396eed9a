//! Every operation of the registry is held to every error that it declares; what is not covered here fails.

use super::example_world::ExampleWorld;
use super::provoked::{ELSEWHERE, provoke};
use crate::world::Database;
use std::collections::BTreeSet;
use web_core::problem::Code;

async fn every_operation_gives_every_error_that_it_declares(database: Database) {
    let stage = ExampleWorld::on(database).await;
    let mut shown = BTreeSet::new();
    for specification in api::registry().specifications() {
        for code in specification.all_problems() {
            if ELSEWHERE.contains(&code) {
                continue;
            }
            // Given what brings it about, when the operation is called, then it says so,
            let answers = provoke(&stage, specification, code).await;
            assert!(!answers.is_empty());
            for answer in answers {
                let (status, word) = (code.status().as_u16(), code.as_str());
                assert_eq!(
                    (answer.status, answer.body["code"].as_str()),
                    (status, Some(word)),
                    "{}: {}",
                    specification.id,
                    answer.text
                );
                answer.is_problem(status, word);
                if code == Code::RateLimited {
                    assert!(answer.header("retry-after").parse::<u32>().unwrap() >= 1);
                }
            }
            shown.insert(code);
        }
    }
    // and no error is in the table that no operation gives, but those of other paths.
    let others = [Code::InvalidSignature, Code::InvalidVerifyToken, Code::RangeNotSatisfiable];
    let all = Code::ALL.iter().filter(|code| !others.contains(code) && !ELSEWHERE.contains(code));
    assert_eq!(shown, all.copied().collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    every_operation_gives_every_error_that_it_declares(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    every_operation_gives_every_error_that_it_declares(Database::postgres().await).await;
}
