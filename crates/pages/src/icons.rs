//! The icons of the pages: lucide icons that templates write into the page.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

macro_rules! sources {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../../assets/icons/", $name, ".svg"))),)*]
    };
}

/// Name and SVG document of each icon.
const SOURCES: &[(&str, &str)] = sources![
    "alarm-clock",
    "arrow-down-left",
    "arrow-down",
    "arrow-left",
    "arrow-right",
    "ban",
    "book-open",
    "bookmark",
    "bot",
    "building-2",
    "calendar-clock",
    "check-check",
    "check",
    "chevron-down",
    "chevron-left",
    "chevron-right",
    "chevrons-up-down",
    "circle-alert",
    "circle-check",
    "circle-dashed",
    "circle-pause",
    "circle-user-round",
    "circle-x",
    "clock-alert",
    "clock",
    "code-xml",
    "copy",
    "corner-up-right",
    "ellipsis",
    "external-link",
    "eye",
    "file-text",
    "file-x",
    "flask-conical",
    "gauge",
    "hand",
    "history",
    "house",
    "image",
    "inbox",
    "info",
    "key-round",
    "keyboard",
    "layout-grid",
    "layout-template",
    "list-checks",
    "list-filter",
    "loader-circle",
    "lock",
    "log-out",
    "mail",
    "map-pin",
    "menu",
    "message-square-dashed",
    "messages-square",
    "mic",
    "minus",
    "paperclip",
    "pencil-line",
    "pencil",
    "phone",
    "play",
    "plug",
    "plus",
    "power-off",
    "radio",
    "refresh-cw",
    "repeat",
    "rotate-cw",
    "scroll-text",
    "search",
    "send",
    "shield-check",
    "signature",
    "smartphone",
    "square-pen",
    "sticky-note",
    "sun-moon",
    "tag",
    "trash-2",
    "triangle-alert",
    "undo-2",
    "user-round-plus",
    "user-round",
    "users",
    "webhook",
    "wifi-off",
    "wrench",
    "x",
    "zap",
];

/// An icon as HTML. Screen readers skip it, so the text beside it or an `aria-label` names the
/// control.
#[derive(Clone, Copy, Debug)]
pub struct Icon(&'static str);

impl fmt::Display for Icon {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

impl askama::filters::HtmlSafe for Icon {}

static ICONS: LazyLock<HashMap<&str, String>> =
    LazyLock::new(|| SOURCES.iter().map(|(name, svg)| (*name, html(svg))).collect());

/// Returns the icon with this lucide name. Returns no icon for an unknown name. A test checks that
/// templates name only icons that exist.
#[must_use]
pub fn icon(name: &str) -> Icon {
    debug_assert!(ICONS.contains_key(name), "no icon `{name}` in assets/icons");
    Icon(ICONS.get(name).map_or("", String::as_str))
}

/// Returns the chevron of a group that opens. The style sheet turns it.
#[must_use]
pub fn turn() -> Icon {
    static TURN: LazyLock<String> =
        LazyLock::new(|| icon("chevron-right").0.replacen("class=\"i\"", "class=\"i turn\"", 1));
    Icon(&TURN)
}

/// Returns an SVG element with the shapes of an SVG document. The style sheet sets how the shapes
/// are drawn.
fn html(svg: &str) -> String {
    let shapes = svg.split_once("<svg").and_then(|(_, rest)| rest.split_once('>'));
    let shapes = shapes.and_then(|(_, rest)| rest.split_once("</svg>")).map_or("", |it| it.0);
    let shapes: String = shapes.split('\n').map(str::trim).collect();
    let shapes = shapes.replace(" />", "/>");
    format!("<svg class=\"i\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">{shapes}</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn an_icon_has_only_its_shapes() {
        assert_eq!(
            icon("plus").to_string(),
            "<svg class=\"i\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M5 12h14\"/><path d=\"M12 5v14\"/></svg>"
        );
        for (name, _) in SOURCES {
            let html = icon(name).to_string();
            assert!(html.contains("/>") && !html.contains("class=\"lucide"), "{name}: {html}");
        }
    }

    /// Icons that a macro gets as an argument are checked when a page is rendered in a debug build.
    #[test]
    fn templates_name_icons_that_exist() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates")];
        let mut named = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                for rest in text.split("icons::icon(\"").skip(1) {
                    let name = rest.split('"').next().unwrap();
                    assert!(SOURCES.iter().any(|(known, _)| *known == name), "{name}: {path:?}");
                    named += 1;
                }
            }
        }
        assert!(named > 20, "{named}");
    }
}
