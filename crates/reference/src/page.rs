//! The reference as an HTML page. Its Markdown is rendered block by block, with text on the left
//! and code beside it.

use askama::Template;
use comrak::nodes::{NodeCodeBlock, NodeValue};
use comrak::{Anchorizer, Arena, Node, Options, format_html, parse_document};

/// A section of the page: a heading and its contents.
#[derive(Default)]
pub struct ReferencePart {
    id: String,
    title: String,
    /// Whether the section begins a chapter.
    is_chapter: bool,
    /// The method, for an endpoint.
    method: Option<String>,
    /// The text below the heading, as HTML.
    words: String,
    /// The code shown beside an endpoint.
    code: String,
    /// The contents that follow this code.
    rest: String,
}

/// The minimum number of bytes of HTML of a long section. The browser lays out a long section only
/// when it is near the screen, because laying out the whole page at once blocks a phone for half a
/// second.
const LONG_PART: usize = 3000;

impl ReferencePart {
    /// Returns the estimated height of a long section in thousands of pixels, for its class
    /// `tall-N`. The browser uses this height until it lays the section out. The estimate is an
    /// upper bound on a screen that is 412 pixels wide: there, sections were measured to have at
    /// most 0.65 pixels of height per byte.
    fn estimated_height(&self) -> Option<usize> {
        let bytes = self.words.len() + self.code.len() + self.rest.len();
        (bytes >= LONG_PART).then(|| (bytes * 65 / 100_000 + 1).next_power_of_two())
    }

    /// Appends text.
    fn say(&mut self, html: &str) {
        let place = if self.code.is_empty() { &mut self.words } else { &mut self.rest };
        place.push_str(html);
    }
}

#[derive(Template)]
#[template(path = "reference/page.html")]
struct ReferencePage<'a> {
    title: &'a str,
    base_url: &'a str,
    parts: &'a [ReferencePart],
}

/// Renders the Markdown as a page.
pub fn render(markdown: &str, base_url: &str) -> Result<String, askama::Error> {
    let mut options = Options::default();
    options.extension.table = true;
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options);
    let (mut pages, mut maker) = (vec![ReferencePart::default()], PageBuilder::default());
    for block in root.children() {
        maker.take(block, &options, &mut pages)?;
    }
    let mut parts = pages.into_iter();
    let first = parts.next().unwrap_or_default();
    let mut parts: Vec<ReferencePart> = parts.collect();
    if let Some(introduction) = parts.first_mut() {
        introduction.words.insert_str(0, &first.words);
    }
    ReferencePage { title: &first.title, base_url, parts: &parts }.render()
}

#[derive(Default)]
struct PageBuilder {
    anchors: Anchorizer,
    /// The consecutive code blocks that were read last: the same code in several languages.
    open: Vec<NodeCodeBlock>,
}

impl PageBuilder {
    fn take(
        &mut self,
        block: Node<'_>,
        options: &Options,
        parts: &mut Vec<ReferencePart>,
    ) -> Result<(), askama::Error> {
        let code = match &block.data.borrow().value {
            NodeValue::CodeBlock(code) => Some(NodeCodeBlock::clone(code)),
            _ => None,
        };
        if let Some(code) = code {
            // A response must not become another language tab of the request.
            if language(&code) == "json" {
                self.close(parts);
            }
            self.open.push(code);
            return Ok(());
        }
        self.close(parts);
        let level = match &block.data.borrow().value {
            NodeValue::Heading(heading) => Some(heading.level),
            _ => None,
        };
        match level {
            Some(1) => {
                if let Some(part) = parts.last_mut() {
                    part.title = text(block);
                }
            }
            Some(level @ (2 | 3)) => {
                let title = text(block);
                let id = self.anchors.anchorize(&title);
                parts.push(ReferencePart {
                    id,
                    title,
                    is_chapter: level == 2,
                    ..ReferencePart::default()
                });
            }
            Some(level) => {
                let title = text(block);
                let id = self.anchors.anchorize(&title);
                let inner = inline(block, options)?;
                if let Some(part) = parts.last_mut() {
                    part.say(&format!("<h{level} id=\"{id}\">{inner}</h{level}>\n"));
                }
            }
            None => words(block, options, parts)?,
        }
        Ok(())
    }

    /// Renders the collected code blocks.
    fn close(&mut self, parts: &mut [ReferencePart]) {
        let blocks = std::mem::take(&mut self.open);
        let (Some(part), false) = (parts.last_mut(), blocks.is_empty()) else { return };
        let figures: String = blocks.iter().map(figure).collect();
        let several = if blocks.len() > 1 { " data-tabs" } else { "" };
        let html = format!("<div class=\"code-group\"{several}>{figures}</div>\n");
        // The first code of an endpoint is shown beside the endpoint's text. Later code stays below
        // the text that it follows.
        let place = match (part.method.is_some(), part.rest.is_empty()) {
            (true, true) => &mut part.code,
            (true, false) => &mut part.rest,
            (false, _) => &mut part.words,
        };
        place.push_str(&html);
    }
}

/// Renders a block that is neither code nor a heading.
fn words(
    block: Node<'_>,
    options: &Options,
    parts: &mut [ReferencePart],
) -> Result<(), askama::Error> {
    let Some(part) = parts.last_mut() else { return Ok(()) };
    if let Some((method, path)) = route(block) {
        part.words.extend([format!(
            "<p class=\"route\"><span class=\"method {}\">{method}</span> <code>{}</code></p>\n",
            method.to_ascii_lowercase(),
            escaped(&path)
        )]);
        part.method = Some(method);
        return Ok(());
    }
    let mut html = String::new();
    format_html(block, options, &mut html)?;
    if matches!(block.data.borrow().value, NodeValue::Table(_)) {
        // A table of fields has its own column widths, so that a long type leaves room for the
        // description.
        if html.contains("<th>Type</th>") {
            html = html.replacen("<table>", "<table class=\"fields\">", 1);
        }
        html = format!("<div class=\"scroll\" tabindex=\"0\">{html}</div>\n");
    }
    part.say(&html);
    Ok(())
}

fn language(code: &NodeCodeBlock) -> &str {
    code.info.split(' ').next().unwrap_or_default()
}

/// Returns the caption of a code block. For a response it includes the status.
fn label(code: &NodeCodeBlock) -> String {
    match code.info.as_str() {
        "sh" => "curl".to_owned(),
        "js" => "Node".to_owned(),
        "python" => "Python".to_owned(),
        "rust" => "Rust".to_owned(),
        "json" => "JSON".to_owned(),
        "html" => "HTML".to_owned(),
        info => match info.split_once(' ') {
            Some(("json", status)) => format!("Answer · {status}"),
            Some((_, program)) => program.to_owned(),
            None => info.to_owned(),
        },
    }
}

fn figure(code: &NodeCodeBlock) -> String {
    format!(
        "<figure class=\"code\" data-language=\"{}\"><figcaption>{}</figcaption><pre tabindex=\"0\"><code>{}</code></pre></figure>\n",
        escaped(language(code)),
        escaped(&label(code)),
        escaped(code.literal.trim_end())
    )
}

/// Parses a paragraph that consists of a method and a path.
fn route(block: Node<'_>) -> Option<(String, String)> {
    if !matches!(block.data.borrow().value, NodeValue::Paragraph) {
        return None;
    }
    let code = |node: Node<'_>| match &node.data.borrow().value {
        NodeValue::Code(code) => Some(code.literal.clone()),
        _ => None,
    };
    let mut children = block.children();
    let (method, _, path) = (children.next()?, children.next()?, children.next()?);
    let (method, path) = (code(method)?, code(path)?);
    let is_method = method.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_method && path.starts_with('/') && children.next().is_none()).then_some((method, path))
}

fn text(block: Node<'_>) -> String {
    let piece = |node: Node<'_>| match &node.data.borrow().value {
        NodeValue::Text(text) => text.to_string(),
        NodeValue::Code(code) => code.literal.clone(),
        _ => String::new(),
    };
    block.descendants().map(piece).collect()
}

fn inline(block: Node<'_>, options: &Options) -> Result<String, askama::Error> {
    let mut html = String::new();
    for child in block.children() {
        format_html(child, options, &mut html)?;
    }
    Ok(html)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_long_section_has_an_estimated_height() {
        let style = include_str!("../../../assets/docs.css");
        let height = |bytes: usize| {
            let part = ReferencePart { words: " ".repeat(bytes), ..ReferencePart::default() };
            part.estimated_height()
        };
        assert_eq!(height(LONG_PART - 1), None);
        assert_eq!(height(LONG_PART), Some(2));
        for bytes in [LONG_PART, 5_000, 10_000, 20_000, 40_000, 80_000, 165_000, 300_000] {
            let class = format!(".tall-{}", height(bytes).unwrap());
            assert!(style.contains(&class), "{class}");
        }
    }
}
