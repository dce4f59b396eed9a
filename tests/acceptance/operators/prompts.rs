//! Questions that commands ask on a terminal.

use super::{admin, folder};
use crate::world::TerminalSession;

#[tokio::test]
async fn a_missing_value_is_asked_for_on_a_terminal() {
    // Given a terminal, when a command lacks its values, then it asks for each,
    let (folder, url) = folder();
    let there = format!("--database-url '{url}'");
    let create = format!("admin organization create {there}");
    let mut session = TerminalSession::start(folder.path(), &create);
    session.answer("The organization's name (--name):", "Bakery").await;
    let (code, shown) = session.ended().await;
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(admin(&url, &["organization", "show", "Bakery"]).await["name"], "Bakery");

    // for a secret without showing it,
    let create = format!("admin member create --organization Bakery --name Ada {there}");
    let mut session = TerminalSession::start(folder.path(), &create);
    session.answer("(--email):", "ada@bakery.example").await;
    session.answer("Type the password:", "correct horse battery").await;
    let (code, shown) = session.ended().await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("horse"), "{shown}");
    assert_eq!(admin(&url, &["member", "show", "ada@bakery.example"]).await["name"], "Ada");

    // and with the values of a list.
    let role = format!("admin member role ada@bakery.example --organization Bakery {there}");
    let mut session = TerminalSession::start(folder.path(), &role);
    session.answer("(--role: owner, developer, support):", "owner").await;
    assert_eq!(session.ended().await.0, Some(0));

    // No answer is the error that there would be without a terminal.
    let mut session = TerminalSession::start(folder.path(), &format!("admin key show {there}"));
    session.answer("(NAME):", "").await;
    let (code, shown) = session.ended().await;
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("required arguments were not provided"), "{shown}");
}

#[tokio::test]
async fn irreversible_commands_ask_for_confirmation() {
    let (folder, url) = folder();
    admin(&url, &["organization", "create", "--name", "Bakery"]).await;
    let remove = format!("admin organization remove Bakery --database-url '{url}'");
    let mut session = TerminalSession::start(folder.path(), &remove);
    session.answer("This cannot be undone. [y/N]", "n").await;
    let (code, shown) = session.ended().await;
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("nothing was done"), "{shown}");
    admin(&url, &["organization", "show", "Bakery"]).await;

    let mut session = TerminalSession::start(folder.path(), &remove);
    session.answer("This cannot be undone. [y/N]", "y").await;
    assert_eq!(session.ended().await.0, Some(0));
    assert_eq!(admin(&url, &["organization", "list"]).await["data"], serde_json::json!([]));
}

#[tokio::test]
async fn ctrl_c_at_a_secret_cancels_the_command_and_the_terminal_shows_what_is_typed_again() {
    // Given a command that asks for a secret on a terminal,
    let (folder, url) = folder();
    admin(&url, &["organization", "create", "--name", "Bakery"]).await;
    let create = format!(
        "admin member create --organization Bakery --name Ada --email ada@bakery.example \
         --password-stdin --database-url '{url}'; echo \"exit code $?\"; stty -a"
    );
    let mut session = TerminalSession::start(folder.path(), &create);
    session.until("Type the password:").await;
    // when the person presses Ctrl-C,
    session.press("correct horse\x03").await;
    // then nothing is done, and the terminal has its settings back.
    let (_, shown) = session.ended().await;
    assert!(shown.contains("nothing was done") && shown.contains("exit code 1"), "{shown}");
    assert!(!shown.contains("horse"), "{shown}");
    for mode in ["echo", "isig"] {
        assert!(shown.split_whitespace().any(|word| word == mode), "{mode} in {shown}");
    }
    assert_eq!(admin(&url, &["member", "list"]).await["data"], serde_json::json!([]));
}
