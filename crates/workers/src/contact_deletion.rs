//! Erases the data of deleted contacts (`docs/contract.md#contacts`), stage by stage. An
//! interrupted stage is repeated.

use domain::contact::{DELETION_ROUNDS, DeletionStage, SECOND_ROUND_AFTER};
use domain::id::{ContactId, MediaId, MessageId, OrganizationId, SubjectId};
use persistence::content::erasure::file_ids;
use persistence::records::ContactDeletion;
use persistence::{Error, Result};
use platform::Deps;
use platform::error_chain::chain;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Number of due deletions that are read at a time.
const DUE: i64 = 16;
/// The time after which another instance repeats a stage.
const CLAIM: Duration = Duration::from_secs(20);
/// Number of messages that are erased in one transaction.
const MESSAGES: i64 = 100;
/// Number of events that one statement searches.
const SEARCHED_EVENTS: i64 = 20_000;
/// Number of events and of stored answers that are replaced in one transaction.
const ROWS: usize = 100;
/// Number of stored answers that one statement returns.
const ANSWERS: i64 = 500;
/// An upper bound of the difference between the clocks of two instances.
const CLOCK_SKEW: Duration = Duration::from_mins(1);
/// The number of transactions that add words to the search index before the index is used to find
/// files. Each of them reads this many events and messages.
const INDEX_ROUNDS: usize = 20;
const INDEXED_AT_ONCE: i64 = 500;
/// Number of messages that one statement searches for files.
const SEARCHED_MESSAGES: i64 = 2_000;

/// Does the stages of deletions that are due. Returns whether there may be more. If one deletion
/// fails, the others continue.
pub async fn step(deps: &Deps) -> Result<bool> {
    let now = deps.clock.now();
    let due = deps.db.operator().due_contact_deletions(now, DUE).await?;
    let mut has_advanced = false;
    for (organization, contact) in due {
        match work_on(deps, organization, contact).await {
            Ok(()) => has_advanced = true,
            Err(error) => {
                tracing::error!(%error, %organization, %contact, "the erasure of a contact failed; it is retried");
            }
        }
    }
    Ok(has_advanced)
}

/// Runs steps until nothing is left to do at the present time.
pub async fn run_until_idle(deps: &Deps) -> Result<()> {
    while step(deps).await? {
        if deps.stopping.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}

/// Does one stage of a deletion.
async fn work_on(deps: &Deps, organization: OrganizationId, contact: ContactId) -> Result<()> {
    let organization_db = deps.db.organization(organization);
    let now = deps.clock.now();
    let claimed = organization_db.claim_contact_deletion(contact, now, now.plus(CLAIM)).await?;
    let Some(deletion) = claimed else { return Ok(()) };
    let mut named = organization_db.deleted_ids(contact, deletion.conversation_id).await?;
    named.extend(identifiers(&deletion)?.into_iter().filter(|it| it.parse::<MessageId>().is_ok()));
    match deletion.stage {
        DeletionStage::Messages => erase_messages(deps, &deletion).await?,
        DeletionStage::Conversation => erase_conversation(deps, &deletion).await?,
        DeletionStage::Events => erase_events(deps, organization, &named).await?,
        DeletionStage::Answers => erase_answers(deps, organization, &named).await?,
        DeletionStage::Files => remove_files(deps, &deletion).await?,
        DeletionStage::Remains => deps.db.erase_remains().await?,
    }
    let now = deps.clock.now();
    let (stage, round, due) = match deletion.stage.next() {
        Some(stage) => (stage, deletion.round, now),
        None => (DeletionStage::FIRST, deletion.round + 1, now.plus(SECOND_ROUND_AFTER)),
    };
    if round >= DELETION_ROUNDS {
        organization_db.finish_contact_deletion(contact).await?;
        // The deletion's own row contained the person's numbers and user ids.
        deps.db.erase_remains().await?;
        tracing::info!(%organization, %contact, "a contact was erased");
        return Ok(());
    }
    organization_db.advance_contact_deletion(contact, stage, round, due).await
}

async fn erase_messages(deps: &Deps, deletion: &ContactDeletion) -> Result<()> {
    let organization_db = deps.db.organization(deletion.organization_id);
    let mut after = Some(0);
    while let Some(position) = after {
        let now = deps.clock.now();
        let erased = organization_db
            .erase_contact_messages(deletion.contact_id, position, MESSAGES, now)
            .await?;
        let subjects = erased.messages.iter().map(|it| SubjectId::from_uuid(*it.uuid())).collect();
        erase_delivery_answers(deps, deletion.organization_id, subjects).await?;
        after = erased.next;
    }
    deps.events_recorded_of([deletion.organization_id]);
    Ok(())
}

async fn erase_delivery_answers(
    deps: &Deps,
    organization: OrganizationId,
    subjects: Vec<SubjectId>,
) -> Result<()> {
    if subjects.is_empty() {
        return Ok(());
    }
    for owner in deps.db.organization(organization).owners_of_endpoints().await? {
        deps.db.operator().erase_delivery_answers(owner, subjects.clone()).await?;
    }
    Ok(())
}

async fn erase_conversation(deps: &Deps, deletion: &ContactDeletion) -> Result<()> {
    let organization_db = deps.db.organization(deletion.organization_id);
    let subjects =
        organization_db.erase_conversation(deletion.contact_id, deletion.conversation_id).await?;
    erase_delivery_answers(deps, deletion.organization_id, subjects).await?;
    let identifiers = identifiers(deletion)?;
    deps.db.operator().delete_letters_about(deletion.account_id, identifiers).await?;
    Ok(())
}

/// Returns the numbers and user ids of the person, and the ids of deleted scheduled messages.
fn identifiers(deletion: &ContactDeletion) -> Result<Vec<String>> {
    serde_json::from_str(&deletion.identifiers.0)
        .map_err(|error| Error::Internal(error.to_string()))
}

async fn erase_events(deps: &Deps, organization: OrganizationId, named: &[String]) -> Result<()> {
    let organization_db = deps.db.organization(organization);
    let mut after = Some(0);
    while let Some(sequence) = after {
        let (personal, next) =
            organization_db.personal_events(named.to_vec(), sequence, SEARCHED_EVENTS).await?;
        for some in personal.chunks(ROWS) {
            organization_db.erase_events(some.to_vec()).await?;
        }
        after = next;
    }
    Ok(())
}

async fn erase_answers(deps: &Deps, organization: OrganizationId, named: &[String]) -> Result<()> {
    let organization_db = deps.db.organization(organization);
    for name in named {
        let mut after = None;
        loop {
            let personal = organization_db.personal_answers(name.clone(), after, ANSWERS).await?;
            for some in personal.chunks(ROWS) {
                organization_db.erase_answers(some.to_vec()).await?;
            }
            let Some(last) = personal.into_iter().next_back() else { break };
            after = Some(last.key);
        }
    }
    Ok(())
}

/// Removes the files that only this contact sent or was sent.
async fn remove_files(deps: &Deps, deletion: &ContactDeletion) -> Result<()> {
    let organization_db = deps.db.organization(deletion.organization_id);
    let mut files = file_ids(&deletion.files.0);
    let of_templates = organization_db.files_of_templates(files.clone()).await?;
    files.retain(|it| !of_templates.contains(it));
    // Scheduled messages are searched before sent ones. So a message that is sent between the two
    // searches is found. The scheduled messages to the deleted contact are already deleted.
    let mut after = None;
    while !files.is_empty() {
        let (of_scheduled, next) =
            organization_db.files_of_scheduled(files.clone(), after, SEARCHED_MESSAGES).await?;
        files.retain(|it| !of_scheduled.contains(it));
        let Some(last) = next else { break };
        after = Some(last);
    }
    let conversation = deletion.conversation_id;
    // The search index also records which conversations use a file. It is seldom more than a second
    // behind the messages.
    let known = organization_db.last_sequence().await?;
    for _ in 0..INDEX_ROUNDS {
        if !organization_db.advance_words(INDEXED_AT_ONCE, INDEXED_AT_ONCE).await? {
            break;
        }
    }
    let indexed =
        organization_db.indexed_files_of_others(files.clone(), conversation, known).await?;
    let is_indexed = indexed.is_some();
    files.retain(|it| indexed.iter().flatten().all(|named| named != it));
    // Until the index is complete, the messages themselves are searched. A message is created after
    // the files that it uses, apart from the difference between the clocks of instances.
    let first = files.iter().map(MediaId::made_at).min();
    let mut after = first.map(|at| MessageId::new(at.minus(CLOCK_SKEW), [0; 10]));
    while let Some(message) = after
        && !is_indexed
        && !files.is_empty()
    {
        let (of_others, next) = organization_db
            .files_of_others(files.clone(), conversation, message, SEARCHED_MESSAGES)
            .await?;
        files.retain(|it| !of_others.contains(it));
        after = next;
    }
    for file in files {
        remove_file(deps, deletion.organization_id, file).await?;
    }
    Ok(())
}

/// Removes a file and then its record. If the second step fails, the record leads a later attempt
/// to the file.
pub(super) async fn remove_file(
    deps: &Deps,
    organization: OrganizationId,
    file: MediaId,
) -> Result<()> {
    deps.files.remove(file).await.map_err(|error| Error::Internal(chain(&error)))?;
    deps.db.organization(organization).delete_erased_media(file).await
}
