//! The pages that the sidebar and the search list. To add a page, add one line here.

use super::{
    AGENTS, APPLICATIONS, CONNECTED, CONTACTS, DIRECTORY, HOME, INBOX, KEYS, MEMBERS, MESSAGES,
    NUMBERS, ORGANIZATION, PLAN, SAVED_REPLIES, TEMPLATES, WEBHOOKS,
};
use domain::role::{Area, Role};

/// A group of pages in the sidebar, in order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SidebarGroup {
    /// Pages above all groups.
    Top,
    Messaging,
    Numbers,
    Developers,
    Apps,
    Settings,
}

impl SidebarGroup {
    const ALL: [Self; 6] =
        [Self::Top, Self::Messaging, Self::Numbers, Self::Developers, Self::Apps, Self::Settings];

    /// Returns the heading, or an empty string for the pages above all groups.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Top => "",
            Self::Messaging => "Messaging",
            Self::Numbers => "Numbers",
            Self::Developers => "Developers",
            Self::Apps => "Apps",
            Self::Settings => "Settings",
        }
    }
}

/// A page that the sidebar links to.
#[derive(Clone, Copy, Debug)]
pub struct SidebarPage {
    pub path: &'static str,
    pub title: &'static str,
    pub group: SidebarGroup,
    /// The lucide name of the icon.
    pub icon: &'static str,
    /// The area that a role must include.
    pub area: Area,
}

impl SidebarPage {
    /// Whether a path is the path of this page or is below it. Every path is below Home.
    fn contains(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.path);
        self.path == HOME || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether the page is a result for a search: each word begins a word of the title or group.
    #[must_use]
    pub fn answers(&self, sought: &str) -> bool {
        let names = format!("{} {}", self.title, self.group.title()).to_lowercase();
        let sought = sought.to_lowercase();
        sought.split_whitespace().all(|word| names.split(' ').any(|name| name.starts_with(word)))
    }
}

const fn page(
    path: &'static str,
    title: &'static str,
    group: SidebarGroup,
    icon: &'static str,
    area: Area,
) -> SidebarPage {
    SidebarPage { path, title, group, icon, area }
}

/// The pages, in order within their groups.
pub const PAGES: &[SidebarPage] = &[
    page(HOME, "Home", SidebarGroup::Top, "house", Area::OwnAccount),
    page(INBOX, "Inbox", SidebarGroup::Messaging, "inbox", Area::Inbox),
    page(MESSAGES, "Messages", SidebarGroup::Messaging, "messages-square", Area::Messages),
    page(CONTACTS, "Contacts", SidebarGroup::Messaging, "circle-user-round", Area::Contacts),
    page(TEMPLATES, "Templates", SidebarGroup::Messaging, "layout-template", Area::Templates),
    page(AGENTS, "AI agents", SidebarGroup::Messaging, "bot", Area::Agents),
    page(NUMBERS, "Numbers", SidebarGroup::Numbers, "phone", Area::Numbers),
    page(KEYS, "API keys", SidebarGroup::Developers, "key-round", Area::Keys),
    page(WEBHOOKS, "Webhooks", SidebarGroup::Developers, "webhook", Area::Webhooks),
    page(CONNECTED, "Connected apps", SidebarGroup::Apps, "plug", Area::Connections),
    page(DIRECTORY, "Directory", SidebarGroup::Apps, "layout-grid", Area::Connections),
    page(APPLICATIONS, "Developer apps", SidebarGroup::Apps, "code-xml", Area::DeveloperApps),
    page(MEMBERS, "Members", SidebarGroup::Settings, "users", Area::Members),
    page(SAVED_REPLIES, "Saved replies", SidebarGroup::Settings, "bookmark", Area::Inbox),
    page(ORGANIZATION, "Organization", SidebarGroup::Settings, "building-2", Area::Members),
    page(PLAN, "Plan and usage", SidebarGroup::Settings, "gauge", Area::Plan),
];

/// Returns the page whose path is the longest beginning of `path`, among the pages that a role may
/// open.
#[must_use]
pub fn nearest(path: &str, role: Role) -> Option<&'static SidebarPage> {
    let open = PAGES.iter().filter(|page| role.may_read(page.area) && page.contains(path));
    open.max_by_key(|page| page.path.len())
}

/// Returns the groups that have pages for a role, with those pages.
pub fn groups(role: Role) -> impl Iterator<Item = (SidebarGroup, Vec<&'static SidebarPage>)> {
    SidebarGroup::ALL.into_iter().filter_map(move |group| {
        let pages: Vec<_> =
            PAGES.iter().filter(|page| page.group == group && role.may_read(page.area)).collect();
        (!pages.is_empty()).then_some((group, pages))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_words_of_its_title_and_group() {
        let found = |sought| -> Vec<&str> {
            PAGES.iter().filter(|page| page.answers(sought)).map(|page| page.path).collect()
        };
        assert_eq!(found("web"), [WEBHOOKS]);
        assert_eq!(found("API k"), [KEYS]);
        assert_eq!(found("plan"), [PLAN]);
        assert_eq!(found("nothing"), [""; 0]);
        assert_eq!(found("").len(), PAGES.len());
    }

    #[test]
    fn the_nearest_page_has_the_longest_matching_path() {
        let of = |path, role| nearest(path, role).map(|page| page.path);
        assert_eq!(of("/integrations/keys/key_1/delete", Role::Owner), Some(KEYS));
        assert_eq!(of("/integrations/apps", Role::Owner), Some(DIRECTORY));
        assert_eq!(of("/integrations/keysX", Role::Owner), Some(HOME));
        assert_eq!(of("/nowhere", Role::Owner), Some(HOME));
        // A page that the role may not open is skipped.
        assert_eq!(of("/integrations/webhooks/whe_1", Role::Support), Some(HOME));
    }

    #[test]
    fn the_contract_names_the_groups_and_pages() {
        let contract = include_str!("../../../../docs/contract.md");
        for group in SidebarGroup::ALL.iter().filter(|it| **it != SidebarGroup::Top) {
            assert!(contract.contains(&format!("**{}**", group.title())), "{}", group.title());
        }
        for page in PAGES {
            let named = format!("**{}** (`{}`", page.title, page.path);
            assert!(contract.contains(&named), "{named}");
        }
    }
}
