//! Walks through every function of the dashboard, with the browser's scripts off (Firefox, on SQLite)
//! and with the keyboard alone (Chromium and WebKit, on PostgreSQL). A walk is written once. It lists
//! the actions of the member, and the audit log has each of them afterwards.
//!
//! WebKit's driver does not scroll to what it clicks without scripts, and Firefox ignores Enter
//! while another window has the focus, so each engine has one way.

mod agents;
mod contacts;
mod conversations;
mod integrations;
mod members;
mod messages;
mod settings;
mod signed_out;
mod templates;

use super::keyboard::{self, ENTER, TAB, is_at, press, tab_back_to, tab_to, type_text};
use super::{Browser, BrowserWorld, Database, Engine, Setup, until};
use domain::keyword::Keyword as _;
use domain::role::MemberAction;
use fantoccini::Locator;
use fantoccini::elements::ElementRef;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ARROW_UP: char = '\u{e013}';
const ARROW_DOWN: char = '\u{e015}';
/// More choices than a group of radio buttons or a select of the dashboard has.
const MOST_CHOICES: usize = 40;
/// The width at which the details of a contact are beside the conversation.
const WINDOW: (u32, u32) = (1280, 900);

/// How the member uses a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// With a mouse, in a browser that runs no scripts.
    WithoutScripts,
    /// Without a mouse, in a browser that runs scripts.
    ByKeyboard,
}

/// A member who walks through the pages in one way.
pub struct Walk {
    pub scene: BrowserWorld,
    pub way: Way,
}

impl Walk {
    /// Signs the member in.
    pub async fn start(engine: Engine, way: Way) -> Self {
        let scene = BrowserWorld::on(engine, Self::database(way).await, Self::setup(way)).await;
        let walk = Self::in_a_wide_window(scene, way).await;
        walk.scene.sign_in().await;
        walk
    }

    /// Starts a server without sessions.
    pub async fn signed_out(engine: Engine, way: Way) -> Self {
        let scene = BrowserWorld::on(engine, Self::database(way).await, Self::setup(way)).await;
        Self::in_a_wide_window(scene, way).await
    }

    /// Starts a server on which nobody can sign in.
    pub async fn without_members(engine: Engine, way: Way) -> Self {
        let database = Self::database(way).await;
        let scene = BrowserWorld::without_members(engine, database, Self::setup(way)).await;
        Self::in_a_wide_window(scene, way).await
    }

    /// Each walk runs on both databases.
    async fn database(way: Way) -> Database {
        match way {
            Way::WithoutScripts => Database::migrated_sqlite(),
            Way::ByKeyboard => Database::migrated_postgres().await,
        }
    }

    fn setup(way: Way) -> Setup {
        Setup { script: way == Way::ByKeyboard, ..Setup::default() }
    }

    async fn in_a_wide_window(scene: BrowserWorld, way: Way) -> Self {
        let (width, height) = WINDOW;
        scene.browser.client.set_window_size(width, height).await.unwrap();
        Self { scene, way }
    }

    pub fn browser(&self) -> &Browser {
        &self.scene.browser
    }

    /// Opens a page by its path or its URL.
    pub async fn open(&self, path: &str) {
        let url = if path.starts_with('/') {
            format!("{}{path}", self.scene.service)
        } else {
            path.to_owned()
        };
        match self.way {
            Way::WithoutScripts => self.browser().goto(&url).await,
            Way::ByKeyboard => keyboard::open(self.browser(), &url).await,
        }
    }

    /// Returns the root of the open page, which every page has of its own.
    async fn root(&self) -> Option<ElementRef> {
        let found = self.browser().client.find(Locator::Css("html")).await;
        found.ok().map(|it| it.element_id())
    }

    /// Does something that opens another page, and waits for the page.
    async fn to_next_page(&self, what: &str, act: impl AsyncFnOnce()) {
        let before = self.root().await;
        act().await;
        until(&format!("{what} opens a page"), async || {
            let root = self.root().await;
            root.is_some() && root != before
        })
        .await;
        self.browser().find("body").await;
    }

    /// Moves the focus to an element with the keyboard.
    async fn reach(&self, css: &str) {
        let browser = self.browser();
        browser.find(css).await;
        let skips = format!(
            "return document.activeElement === document.body \
             && !!document.querySelector('a.skip') \
             && !!document.querySelector({css:?})?.closest('main')"
        );
        if browser.run(&skips).await == true {
            press(browser, TAB).await;
            if is_at(browser, "a.skip").await {
                press(browser, ENTER).await;
            }
        }
        let is_before = format!(
            "const it = document.querySelector({css:?}); \
             return document.activeElement !== document.body && !!it \
             && !!(document.activeElement.compareDocumentPosition(it) & Node.DOCUMENT_POSITION_PRECEDING)"
        );
        if browser.run(&is_before).await == true {
            tab_back_to(browser, css).await;
        } else {
            tab_to(browser, css).await;
        }
    }

    /// Activates a button, a link or the head of a menu.
    pub async fn activate(&self, css: &str) {
        match self.way {
            Way::WithoutScripts => self.browser().click(css).await,
            Way::ByKeyboard => {
                self.reach(css).await;
                press(self.browser(), ENTER).await;
            }
        }
    }

    /// Activates a button or a link that opens a page.
    pub async fn press(&self, css: &str) {
        self.browser().find(css).await;
        self.to_next_page(css, async || self.activate(css).await).await;
    }

    /// Asserts that a link can be followed, without following it.
    pub async fn can_follow(&self, css: &str) {
        match self.way {
            Way::WithoutScripts => {
                let link = self.browser().find(css).await;
                assert!(link.is_displayed().await.unwrap(), "{css} is hidden");
                assert!(link.attr("href").await.unwrap().is_some(), "{css} leads nowhere");
            }
            Way::ByKeyboard => self.reach(css).await,
        }
    }

    /// Presses a button that performs this action.
    pub async fn does(&self, action: MemberAction, css: &str) {
        let before = self.recorded(action).await;
        self.press(css).await;
        self.assert_more(action, before, css).await;
    }

    /// Presses a button that performs this action, while the workers deliver what the next page
    /// waits for.
    pub async fn does_with_workers(&self, action: MemberAction, css: &str) {
        let delivering = async {
            loop {
                self.scene.world.settle().await;
                tokio::time::sleep(Duration::from_millis(20)).await; // real time: the form comes in meanwhile
            }
        };
        tokio::select! {
            () = self.does(action, css) => (),
            () = delivering => unreachable!("it goes on"),
        }
    }

    /// Follows a link that asks for confirmation, on a page or in a dialog, and confirms.
    pub async fn confirms(&self, action: MemberAction, link: &str, value: &str) {
        match self.way {
            Way::WithoutScripts => self.press(link).await,
            Way::ByKeyboard => self.activate(link).await,
        }
        let button = format!("#confirm button[value={value}], dialog[open] button[value={value}]");
        self.does(action, &button).await;
    }

    /// Types into a field, at the place where the browser puts the cursor.
    pub async fn types(&self, css: &str, text: &str) {
        match self.way {
            Way::WithoutScripts => self.browser().fill(css, text).await,
            Way::ByKeyboard => {
                self.reach(css).await;
                type_text(self.browser(), text).await;
            }
        }
    }

    /// Types into a field that is alone in its form, and submits it with Enter.
    pub async fn types_and_enters(&self, css: &str, text: &str) {
        self.types(css, text).await;
        self.to_next_page(css, async || match self.way {
            Way::WithoutScripts => self.browser().fill(css, &ENTER.to_string()).await,
            Way::ByKeyboard => press(self.browser(), ENTER).await,
        })
        .await;
    }

    /// Changes a checkbox.
    pub async fn ticks(&self, css: &str) {
        match self.way {
            Way::WithoutScripts => self.browser().click(&format!("label:has(> {css})")).await,
            Way::ByKeyboard => {
                self.reach(css).await;
                press(self.browser(), ' ').await;
            }
        }
    }

    /// Chooses a radio button.
    pub async fn chooses(&self, name: &str, value: &str) {
        let css = format!("input[name='{name}'][value='{value}']");
        if self.way == Way::WithoutScripts {
            return self.browser().click(&format!("label:has(> {css})")).await;
        }
        self.reach(&format!("input[name='{name}']")).await;
        let distance = format!(
            "const all = [...document.querySelectorAll(\"input[name='{name}']\")]; \
             return all.findIndex((it) => it.value === {value:?}) - all.indexOf(document.activeElement)"
        );
        for _ in 0..MOST_CHOICES {
            if is_at(self.browser(), &format!("{css}:checked")).await {
                return;
            }
            let distance = self.browser().run(&distance).await.as_i64().unwrap();
            let key = match distance {
                0 => ' ',
                1.. => ARROW_DOWN,
                _ => ARROW_UP,
            };
            press(self.browser(), key).await;
        }
        panic!("the arrow keys do not choose {css}");
    }

    /// Chooses an option of a select.
    pub async fn selects(&self, css: &str, value: &str) {
        if self.way == Way::WithoutScripts {
            return self.browser().click(&format!("{css} option[value='{value}']")).await;
        }
        self.reach(css).await;
        let distance = format!(
            "const it = document.activeElement; \
             return [...it.options].findIndex((option) => option.value === {value:?}) - it.selectedIndex"
        );
        for _ in 0..MOST_CHOICES {
            let distance = self.browser().run(&distance).await.as_i64().unwrap();
            if distance == 0 {
                return;
            }
            press(self.browser(), if distance > 0 { ARROW_DOWN } else { ARROW_UP }).await;
        }
        panic!("the arrow keys do not choose {value} in {css}");
    }

    /// Returns how often the audit logs of all organizations have an action.
    async fn recorded(&self, action: MemberAction) -> i64 {
        let action = action.as_str();
        let query =
            format!("SELECT count(*) AS number FROM audit_entries WHERE action = '{action}'");
        self.scene.world.beside().await.number(&query).await
    }

    async fn assert_more(&self, action: MemberAction, before: i64, css: &str) {
        if self.recorded(action).await <= before {
            let text = self.browser().find("body").await.text().await.unwrap();
            panic!("{css} did not do {action}: {}: {text}", self.browser().address().await);
        }
    }

    /// Asserts that the audit logs have each of these actions.
    async fn assert_recorded(&self, actions: &[MemberAction]) {
        for action in actions {
            assert!(self.recorded(*action).await > 0, "{action} is not in the audit log");
        }
    }
}

/// Runs each of the listed walks in each of the three engines, without scripts and by keyboard
/// alone. A walk starts with a member who is signed in, or as it says. The constant `ACTIONS` has
/// the actions of all walks of the list.
macro_rules! in_both_ways {
    (@start $engine:ident $way:ident) => {
        $crate::browser::walks::Walk::start($engine, $way)
    };
    (@start $engine:ident $way:ident $start:ident) => {
        $crate::browser::walks::Walk::$start($engine, $way)
    };
    ($($walk:ident $(from $start:ident)? performs [$($action:ident),* $(,)?]),+ $(,)?) => {
        pub const ACTIONS: &[&[domain::role::MemberAction]] =
            &[$(&[$(domain::role::MemberAction::$action),*]),+];
        $(mod $walk {
            use $crate::browser::Engine;
            use $crate::browser::walks::Way;
            use domain::role::MemberAction;

            const PERFORMED: &[MemberAction] = &[$(MemberAction::$action),*];

            async fn run(engine: Engine, way: Way) {
                let walk =
                    $crate::browser::walks::in_both_ways!(@start engine way $($start)?).await;
                Box::pin(super::$walk(&walk)).await;
                walk.assert_recorded(PERFORMED).await;
            }

            mod without_scripts {
                use super::{Engine, Way, run};
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn firefox() {
                    run(Engine::Firefox, Way::WithoutScripts).await;
                }
            }

            mod by_keyboard {
                use super::{Engine, Way, run};
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn chromium() {
                    run(Engine::Chromium, Way::ByKeyboard).await;
                }
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn webkit() {
                    run(Engine::WebKit, Way::ByKeyboard).await;
                }
            }
        })+
    };
}
pub(crate) use in_both_ways;

/// The action of a link to a file. The walk reaches the link and does not follow it, because each
/// engine stores a file elsewhere.
const DOWNLOAD: MemberAction = MemberAction::ContactExported;

#[test]
fn every_action_of_a_member_is_in_a_walk() {
    let walked = [
        agents::ACTIONS,
        contacts::ACTIONS,
        conversations::ACTIONS,
        integrations::ACTIONS,
        members::ACTIONS,
        messages::ACTIONS,
        settings::ACTIONS,
        signed_out::ACTIONS,
        templates::ACTIONS,
    ];
    let walked = walked.concat().concat();
    let is_missing = |it: &&MemberAction| **it != DOWNLOAD && !walked.contains(it);
    let missing: Vec<_> = MemberAction::ALL.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "add to a walk: {missing:?}");
}

/// The templates with forms, by the beginning of their path, and the walks that submit the forms.
const FORMS: [(&str, &str); 14] = [
    ("account.html", include_str!("members.rs")),
    ("agents/", include_str!("agents.rs")),
    ("connect/", include_str!("integrations.rs")),
    ("contacts/", include_str!("contacts.rs")),
    ("dashboard.html", include_str!("signed_out.rs")),
    ("inbox/saved_reply.html", include_str!("settings.rs")),
    ("inbox/", include_str!("conversations.rs")),
    ("integrations/", include_str!("integrations.rs")),
    ("members.html", include_str!("members.rs")),
    ("messages/", include_str!("messages.rs")),
    ("numbers/", include_str!("messages.rs")),
    ("organization.html", include_str!("settings.rs")),
    ("signed_out/", include_str!("signed_out.rs")),
    ("templates/", include_str!("templates.rs")),
];

/// The directories of templates whose forms have no walk: macros, which are in the forms of other
/// templates, and the site of the tests' partner.
const WITHOUT_WALKS: [&str; 2] = ["components", "partner/"];

/// Returns the files below a directory.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|it| it.unwrap().path());
    let below = entries.map(|it| if it.is_dir() { files_below(&it) } else { vec![it] });
    below.flatten().collect()
}

/// Returns the texts between `start` and the next quotation mark.
fn quoted_after<'a>(text: &'a str, start: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.match_indices(start).map(move |(at, found)| {
        let rest = &text[at + found.len()..];
        (&text[..at], rest.split('"').next().unwrap())
    })
}

/// Returns the values of the buttons with which a template's forms are submitted. A value with a
/// placeholder ends before the placeholder.
fn values_of_buttons(template: &str) -> BTreeSet<&str> {
    let written = quoted_after(template, "name=\"action\" value=\"")
        .filter(|(before, _)| before.rsplit('<').next().unwrap().starts_with("button"));
    let of_macros = template
        .split("ui::button(")
        .skip(1)
        .filter_map(|call| call.split(") %}").next())
        .flat_map(|call| quoted_after(call, "\"action\", \""));
    let of_forms = template
        .split("ui::post_button(")
        .skip(1)
        .flat_map(|call| quoted_after(call, "token, \"").take(1));
    written
        .chain(of_macros)
        .chain(of_forms)
        .filter_map(|(_, value)| value.split("{{").next())
        .collect()
}

#[test]
fn every_button_of_a_form_is_in_a_walk() {
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
    let mut missing = BTreeSet::new();
    let mut found = 0;
    for file in files_below(&templates) {
        let path = file.strip_prefix(&templates).unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let has_form = text.contains("method=\"post\"") || text.contains("ui::post_button(");
        let is_confirmation = path == "integrations/confirm.html";
        if !has_form || is_confirmation || WITHOUT_WALKS.iter().any(|it| path.starts_with(it)) {
            continue;
        }
        let Some((_, walks)) = FORMS.iter().find(|(start, _)| path.starts_with(start)) else {
            missing.insert(path);
            continue;
        };
        for value in values_of_buttons(&text) {
            found += 1;
            let is_pressed = ["value=", "value='", "value^='"]
                .iter()
                .any(|start| walks.contains(&format!("{start}{value}")));
            if !is_pressed {
                missing.insert(format!("{path}: {value}"));
            }
        }
    }
    assert!(found > 50, "only {found} buttons are found");
    assert!(missing.is_empty(), "add to a walk: {missing:#?}");
}
