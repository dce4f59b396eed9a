//! Each operation is tested for each error that it declares. An error without a test makes this
//! test fail.

use super::example_world::ExampleWorld;
use super::provoked::{ELSEWHERE, provoke};
use crate::world::Database;
use http_layer::problem::Code;
use std::collections::BTreeSet;

async fn every_operation_gives_every_error_that_it_declares(database: Database) {
    let stage = ExampleWorld::on(database).await;
    let mut shown = BTreeSet::new();
    for specification in api::registry().specifications() {
        for code in specification.all_problems() {
            if ELSEWHERE.contains(&code) {
                continue;
            }
            // Given the cause of the error, when the operation is called, then it responds with
            // that error,
            let answers = provoke(&stage, specification, code).await;
            assert!(!answers.is_empty());
            for answer in answers {
                let (status, word) = (code.status().as_u16(), code.as_str());
                assert_eq!(answer.status, status, "{}: {}", specification.id, answer.text);
                assert_eq!(answer.body["code"], word, "{}: {}", specification.id, answer.text);
                answer.is_problem(status, word);
                if code == Code::RateLimited {
                    assert!(answer.header("retry-after").parse::<u32>().unwrap() >= 1);
                }
            }
            shown.insert(code);
        }
    }
    // and each error code in the table belongs to an operation, except those of other paths.
    let others = [
        Code::InvalidSignature,
        Code::InvalidVerifyToken,
        Code::RangeNotSatisfiable,
        Code::TurnAnswered,
        Code::TurnExpired,
    ];
    let all = Code::ALL.iter().filter(|code| !others.contains(code) && !ELSEWHERE.contains(code));
    assert_eq!(shown, all.copied().collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    every_operation_gives_every_error_that_it_declares(Database::migrated_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    every_operation_gives_every_error_that_it_declares(Database::migrated_postgres().await).await;
}
