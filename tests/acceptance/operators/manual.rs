//! The command line's documentation of itself: help, completions and manual pages.

use super::{folder, run};

#[tokio::test]
async fn the_command_line_explains_itself() {
    let (folder, _) = folder();
    let out = run(folder.path(), &["--help"], &[]).await.succeeded();
    for word in ["serve", "admin", "config", "migrate", "--bind", "--database-url"] {
        assert!(out.contains(word), "{word} in {out}");
    }
    for command in ["organization", "member", "account", "plan", "subscription", "key"] {
        let out = run(folder.path(), &["admin", command, "--help"], &[]).await.succeeded();
        assert!(out.contains("Usage: switchboard admin"), "{out}");
    }
}

#[tokio::test]
async fn completions_and_manual_pages_name_every_command_even_without_a_right_configuration() {
    // Given settings with which no server could run,
    let (folder, _) = folder();
    let wrong = [("SWITCHBOARD_WORKERS", "0")];
    // when a shell's completions are generated, then they contain commands and options;
    for shell in ["bash", "zsh", "fish"] {
        let script = run(folder.path(), &["completions", shell], &wrong).await.succeeded();
        for word in ["doctor", "migrate", "database-url"] {
            assert!(script.contains(word), "{word} in {script}");
        }
    }
    // and when manual pages are generated, then there is one for the program and one for each
    // command.
    let page = run(folder.path(), &["man"], &wrong).await.succeeded();
    assert!(page.contains(".TH switchboard 1"), "{page}");
    let pages = folder.path().join("pages");
    run(folder.path(), &["man", &pages.display().to_string()], &wrong).await.succeeded();
    for name in ["switchboard.1", "switchboard-serve.1", "switchboard-admin-key-create.1"] {
        assert!(pages.join(name).exists(), "{name}");
    }
}

#[tokio::test]
async fn the_short_help_fits_on_a_screen() {
    let folder = tempfile::tempdir().unwrap();
    let short = run(folder.path(), &["-h"], &[]).await.succeeded();
    let lines = short.lines().count();
    assert!(lines <= 32, "{lines} lines:\n{short}");
    assert!(!short.contains("--database-url"), "{short}");
    // The settings are one word away.
    assert!(short.contains("'--help'"), "{short}");
    assert!(run(folder.path(), &["--help"], &[]).await.succeeded().contains("--database-url"));
}
