//! Housekeeping deletes old rows in batches, and a failed sweep does not stop the others.

use crate::world::{World, on_both_databases};
use domain::id::KeyId;
use domain::time::Timestamp;
use persistence::records::{Handshake, Idempotent, Owner, Session};
use std::time::Duration;
use workers::housekeeping;

const DAY: Duration = Duration::from_hours(24);
/// More rows than one batch.
const ROWS: u32 = 2_300;

/// Inserts old sessions and stored responses that can be deleted.
async fn insert_stale_rows(world: &World, rows: u32) {
    let (db, now) = (&world.server.deps.db, world.clock.now());
    for number in 0..rows {
        let session = Session {
            digest: number.to_be_bytes().repeat(8),
            member_id: None,
            organization_id: None,
            created_at: now,
            seen_at: now,
            anonymous_digest: None,
            user_agent: None,
            address: None,
        };
        db.sign_in(None, session, None).await.unwrap();
        let request = Idempotent {
            owner: Owner::Organization(world.organization),
            key: KeyId::new(now, [7; 10]),
            path: "/api/v1/messages",
            name: number.to_string(),
            body_digest: vec![0; 32],
            status: 201,
            cutoff: Timestamp::from_seconds(0),
        };
        db.store_answer(request, "{}".to_owned(), now).await.unwrap();
    }
}

async fn count(world: &World, table: &str) -> i64 {
    world.beside().await.number(&format!("SELECT count(*) AS number FROM {table}")).await
}

async fn a_sweep_that_fails_does_not_stop_the_others(world: World) {
    // Given old rows in several tables, one of which is broken,
    insert_stale_rows(&world, 3).await;
    world.beside().await.execute("ALTER TABLE idempotency RENAME TO broken").await;
    world.advance(DAY * 40);
    // when housekeeping runs, then it reports the failure,
    assert!(housekeeping::step(&world.server.deps, true).await.is_err());
    // and the other tables are swept nevertheless.
    assert_eq!(count(&world, "sessions").await, 0);
    world.beside().await.execute("ALTER TABLE broken RENAME TO idempotency").await;
    housekeeping::step(&world.server.deps, true).await.unwrap();
    assert_eq!(count(&world, "idempotency").await, 0);
}

async fn a_long_backlog_is_forgotten_in_portions(world: World) {
    // Given more rows in each table than fit into one batch,
    insert_stale_rows(&world, ROWS).await;
    let db = &world.server.deps.db;
    let later = world.clock.now().plus(DAY);
    // when a single batch is deleted, then it has at most the requested number of rows, the
    // oldest first,
    assert_eq!(db.operator().delete_expired_answers(later, 1000).await.unwrap(), 1000);
    assert_eq!(db.operator().delete_expired_sessions(later, 1000).await.unwrap(), 1000);
    assert_eq!(count(&world, "idempotency").await, i64::from(ROWS) - 1000);
    assert_eq!(count(&world, "sessions").await, i64::from(ROWS) - 1000);
    // and a sweep continues until nothing is left.
    world.advance(DAY * 40);
    housekeeping::step(&world.server.deps, true).await.unwrap();
    assert_eq!(count(&world, "idempotency").await, 0);
    assert_eq!(count(&world, "sessions").await, 0);
}

async fn the_traces_of_handshakes_are_forgotten_in_portions(world: World) {
    // Given the leftover rows of three thousand handshakes,
    let owner = world.organization;
    let terms = domain::application::Terms::parse(domain::application::TermsInput {
        name: "CRM",
        redirect_uris: &["https://crm.example.com/".to_owned()],
        scopes: [domain::scope::Scope::MessagesSend].into_iter().collect(),
        description: "",
        start_url: "",
    })
    .unwrap();
    let made = world.admin().create_application(Some(owner), &terms, true).await.unwrap();
    let deps = &world.server.deps;
    let application = deps.db.public().application(made.client_id).await.unwrap().unwrap().id;
    let now = world.clock.now();
    for _ in 0..ROWS {
        deps.db
            .insert_handshake(Handshake {
                id: deps.id::<domain::id::Handshake>(now),
                application_id: application,
                organization_id: None,
                failure: None,
                at: now,
            })
            .await
            .unwrap();
    }
    // when a batch is deleted, then it has at most the requested number of rows,
    assert_eq!(
        deps.db.operator().delete_expired_handshakes(now.plus(DAY), 1000).await.unwrap(),
        1000
    );
    // and in the end all are deleted.
    world.advance(DAY * 40);
    housekeeping::step(deps, true).await.unwrap();
    assert_eq!(count(&world, "handshakes").await, 0);
}

async fn many_stamps_are_one_commit(world: World) {
    // Given many keys that were used within a second,
    let (deps, mut ids) = (&world.server.deps, Vec::new());
    for _ in 0..40 {
        let key = world.key_of(world.organization).await;
        let found = deps.db.caller(key.secret_digest()).await.unwrap().expect("the key");
        ids.push(found.key.id);
    }
    world.advance(Duration::from_secs(1));
    let now = world.clock.now();
    for id in &ids {
        deps.usage_counter.used(world.organization, *id, now);
    }
    // when their last uses are recorded,
    deps.usage_counter.flush(&deps.db).await.unwrap();
    let theirs = deps.db.organization(world.organization);
    let uses = theirs.last_uses(ids.clone()).await.unwrap();
    assert_eq!(uses, ids.iter().map(|id| (*id, now)).collect());
    // then PostgreSQL needs one transaction for all of them.
    if world.database_url().starts_with("postgres") {
        let query = "SELECT count(DISTINCT xmin::text) AS number FROM key_uses";
        assert_eq!(world.beside().await.number(query).await, 1);
    }
}

on_both_databases! {
    a_sweep_that_fails_does_not_stop_the_others,
    a_long_backlog_is_forgotten_in_portions,
    the_traces_of_handshakes_are_forgotten_in_portions,
    many_stamps_are_one_commit,
}
