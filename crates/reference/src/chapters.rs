//! The chapters of the reference and the changelog, each as a separate text.

/// A chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The last part of the chapter's path, such as `messages`.
    pub slug: String,
    pub title: String,
    /// The Markdown, with a heading of the first level.
    pub markdown: String,
}

const CHANGELOG: &str = include_str!("../../../CHANGELOG.md");

/// Splits the whole reference into its chapters. The changelog is added as the last chapter.
pub fn chapters(whole: &str, base_url: &str) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    let mut in_code = false;
    for line in whole.lines() {
        in_code ^= line.trim_start().starts_with("```");
        if let (false, Some(title)) = (in_code, line.strip_prefix("## ")) {
            let markdown =
                format!("# {title}\n\nA chapter of [the reference]({base_url}/docs).\n\n");
            chapters.push(Chapter { slug: slug(title), title: title.to_owned(), markdown });
        }
        if let Some(chapter) = chapters.last_mut() {
            // The target of a link may be in another chapter. The link therefore leads to the whole
            // reference, which contains all targets.
            let linked = if in_code {
                line.to_owned()
            } else {
                line.replace("](#", &format!("]({base_url}/docs#"))
            };
            chapter.markdown.push_str(&linked);
            chapter.markdown.push('\n');
        }
    }
    let title = "Changelog".to_owned();
    chapters.push(Chapter { slug: slug(&title), title, markdown: CHANGELOG.to_owned() });
    chapters
}

fn slug(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chapter_begins_with_a_heading_that_is_no_code() {
        let whole = "# All\n\n## First one\n\nSee [it](#second).\n\n```sh\n## no chapter\n```\n\n\
                     ## Second\n\n### Part\n";
        let found = chapters(whole, "https://api.example");
        let slugs: Vec<_> = found.iter().map(|it| it.slug.as_str()).collect();
        assert_eq!(slugs, ["first-one", "second", "changelog"]);
        assert!(found[0].markdown.starts_with("# First one\n"));
        assert!(found[0].markdown.contains("[it](https://api.example/docs#second)"));
        assert!(found[0].markdown.contains("## no chapter"));
        assert!(found[1].markdown.ends_with("## Second\n\n### Part\n"));
    }
}
