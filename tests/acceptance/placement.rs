//! The keys of tables that grow with traffic contain the tenant's column, which a distributed
//! database requires. The test reads the catalog of a migrated PostgreSQL (`docs/scale.md`).

use crate::world::{DirectConnection, World};
use persistence::placement::{Placement, REFERENCES, TABLES, hash, placement};
use std::collections::BTreeSet;

/// Returns two text columns of a query.
async fn text_pairs(world: &World, query: &str) -> Vec<(String, String)> {
    let DirectConnection::Postgres(client) = world.beside().await else {
        panic!("this is not PostgreSQL")
    };
    let rows = client.query(query, &[]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_has_a_place() {
    // Given a migrated database, then its tables are exactly those with a placement.
    let world = World::on_postgres().await;
    let query = "SELECT relname::text, relkind::text FROM pg_class \
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') \
        AND relname <> '__diesel_schema_migrations'";
    let tables = text_pairs(&world, query).await;
    let tables: BTreeSet<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(tables, TABLES.iter().map(|(name, _)| *name).collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_contain_the_tenant() {
    // Given a migrated database,
    let world = World::on_postgres().await;
    // then each unique index of a distributed table contains the tenant's column,
    let query = "SELECT one.relname::text, array_to_string(ARRAY( \
            SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY(indkey)), ' ') \
        FROM pg_index JOIN pg_class AS one ON one.oid = indrelid \
        WHERE relnamespace = 'public'::regnamespace AND indisunique";
    let mut with_keys = BTreeSet::new();
    for (table, columns) in text_pairs(&world, query).await {
        if let Some(Placement::Tenant(tenant)) = placement(&table) {
            let has_tenant = columns.split(' ').any(|column| column == tenant);
            assert!(has_tenant, "a unique index of {table} is of {columns}");
            with_keys.insert(table);
        }
    }
    // and each distributed table has a unique index.
    let distributed = TABLES.iter().filter(|(_, it)| matches!(it, Placement::Tenant(_)));
    assert_eq!(with_keys, distributed.map(|(name, _)| (*name).to_owned()).collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn references_stay_on_a_node() {
    // Given a migrated database, then each foreign key refers to rows of the same tenant, or to a
    // table that is on every node.
    let world = World::on_postgres().await;
    let query = "SELECT one.relname || ' ' || other.relname, array_to_string(ARRAY( \
            SELECT here.attname || '=' || there.attname \
            FROM unnest(conkey, confkey) AS pair (mine, its) \
            JOIN pg_attribute AS here ON here.attrelid = conrelid AND here.attnum = mine \
            JOIN pg_attribute AS there ON there.attrelid = confrelid AND there.attnum = its), ' ') \
        FROM pg_constraint \
        JOIN pg_class AS one ON one.oid = conrelid JOIN pg_class AS other ON other.oid = confrelid \
        WHERE contype = 'f' AND one.relnamespace = 'public'::regnamespace";
    let references = text_pairs(&world, query).await;
    assert!(!references.is_empty());
    for (tables, columns) in references {
        let (from, to) = tables.split_once(' ').unwrap();
        let fits = match (placement(from), placement(to)) {
            (Some(_), Some(Placement::EveryNode))
            | (Some(Placement::Coordinator), Some(Placement::Coordinator)) => true,
            (Some(Placement::Tenant(mine)), Some(Placement::Tenant(its))) => {
                columns.split(' ').any(|pair| pair == format!("{mine}={its}"))
            }
            _ => false,
        };
        assert!(fits, "{from} refers to {to} by {columns}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn references_among_tenants_are_listed() {
    // Given a migrated database, then `migrate distribute` knows exactly its foreign keys between
    // tables of tenants, which it drops and adds again.
    let world = World::on_postgres().await;
    let query = "SELECT conname || ' ' || conrelid::regclass || ' ' || confrelid::regclass, \
        pg_get_constraintdef(oid) FROM pg_constraint \
        WHERE contype = 'f' AND connamespace = 'public'::regnamespace";
    let is_tenants = |table: &str| matches!(placement(table), Some(Placement::Tenant(_)));
    let found = text_pairs(&world, query).await.into_iter().filter(|(names, _)| {
        let mut tables = names.split(' ').skip(1);
        tables.all(is_tenants)
    });
    let listed = REFERENCES
        .iter()
        .map(|it| (format!("{} {} {}", it.name, it.from, it.to), it.definition.to_owned()));
    assert_eq!(found.collect::<BTreeSet<_>>(), listed.collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tenants_are_hashed_as_postgresql_does() {
    // Given any ids, when this program and PostgreSQL hash them, then the results are the same.
    let world = World::on_postgres().await;
    let query = "SELECT id::text, uuid_hash(id)::text FROM generate_series(1, 1000), \
        LATERAL (SELECT md5(generate_series::text)::uuid AS id) AS made";
    for (id, hashed) in text_pairs(&world, query).await {
        assert_eq!(hash(&id.parse().unwrap()).to_string(), hashed, "{id}");
    }
}
