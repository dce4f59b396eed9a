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

/// Returns the words that Bash offers after a command, in their order.
fn offered<'a>(script: &'a str, command: &str) -> Vec<&'a str> {
    let place = format!("        {command})\n");
    let (_, part) = script.split_once(&place).unwrap_or_else(|| panic!("{command} in {script}"));
    let (_, words) = part.split_once("opts=\"").unwrap();
    words.split('"').next().unwrap().split(' ').collect()
}

#[tokio::test]
async fn completions_offer_subcommands_and_values_before_the_settings() {
    let (folder, _) = folder();
    let script = run(folder.path(), &["completions", "bash"], &[]).await.succeeded();
    // A command with subcommands offers them, and no settings.
    let first = offered(&script, "switchboard");
    assert_eq!(first[0], "serve", "{first:?}");
    let admin = offered(&script, "switchboard__subcmd__admin");
    for words in [&first, &admin] {
        let begin = words.iter().position(|it| it.starts_with('-')).unwrap();
        assert!(words[begin..].iter().all(|it| it.starts_with('-')), "{words:?}");
        assert!(!words.contains(&"--database-url"), "{words:?}");
    }
    // A value comes first,
    let trigger = offered(&script, "switchboard__subcmd__trigger");
    assert_eq!(trigger[0], "message.received", "{trigger:?}");
    // and the settings come last.
    let list = offered(&script, "switchboard__subcmd__admin__subcmd__key__subcmd__list");
    let at = |word: &str| list.iter().position(|it| *it == word).expect(word);
    assert!(at("--json") < at("--bind") && at("--help") < at("--bind"), "{list:?}");
    // The values of an option that has a fixed list are offered.
    for values in ["owner developer support", "active past_due canceled none", "text json"] {
        assert!(script.contains(&format!("compgen -W \"{values}\"")), "{values} in {script}");
    }
    assert!(script.contains("compgen -W \"messages.send "), "scopes in {script}");
}

#[tokio::test]
async fn the_short_help_fits_on_a_screen() {
    let folder = tempfile::tempdir().unwrap();
    let short = run(folder.path(), &["-h"], &[]).await.succeeded();
    let lines = short.lines().count();
    assert!(lines <= 20, "{lines} lines:\n{short}");
    assert!(!short.contains("--database-url"), "{short}");
    // Each command of the long help is in it, with the same words.
    let long = run(folder.path(), &["--help"], &[]).await.succeeded();
    let (_, commands) = long.split_once("Commands:\n").unwrap();
    let commands: Vec<&str> = commands.lines().take_while(|it| !it.is_empty()).collect();
    assert!(commands.len() >= 14, "{long}");
    for command in commands {
        assert!(short.lines().any(|it| it == command), "{command} in {short}");
    }
    // The settings are one word away.
    assert!(short.contains("switchboard --help"), "{short}");
    assert!(long.contains("--database-url") && long.contains("--version"), "{long}");
    // `switchboard help` is the long help, and other commands have their own short one.
    let help = run(folder.path(), &["help"], &[]).await.succeeded();
    assert!(help.contains("--database-url"), "{help}");
    let serve = run(folder.path(), &["serve", "-h"], &[]).await.succeeded();
    assert!(serve.contains("Options:") && serve.contains("--demo"), "{serve}");
}
