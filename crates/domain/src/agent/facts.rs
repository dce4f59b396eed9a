//! Facts about the business. A model is given some of them in each request, and searches for the
//! others.

/// Maximum number of bytes of all facts of an agent together. Titles and texts count.
pub const MAX_FACTS_BYTES: usize = 64 * 1024;
/// Maximum number of bytes of those facts that each request to a model contains. The model has to
/// search for the other facts.
pub const MAX_GIVEN_FACTS_BYTES: usize = 8 * 1024;
/// Maximum number of facts that a search returns.
pub const MAX_FOUND_FACTS: usize = 5;
/// Maximum number of characters in the title of a fact.
pub const MAX_FACT_TITLE_LENGTH: usize = 200;

/// A fact about the business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub title: String,
    pub text: String,
}

impl Fact {
    /// Returns the number of bytes of title and text. [`MAX_FACTS_BYTES`] and
    /// [`MAX_GIVEN_FACTS_BYTES`] limit the sum of these sizes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.title.len().saturating_add(self.text.len())
    }
}

/// Divides the facts of an agent into two parts. The first part is in each request to the model:
/// the first facts, up to [`MAX_GIVEN_FACTS_BYTES`]. The model has to search for the facts of the
/// second part.
#[must_use]
pub fn given_facts(facts: &[Fact]) -> (&[Fact], &[Fact]) {
    let mut size = 0_usize;
    let fits = |fact: &&Fact| {
        size = size.saturating_add(fact.size());
        size <= MAX_GIVEN_FACTS_BYTES
    };
    let count = facts.iter().take_while(fits).count();
    facts.split_at_checked(count).unwrap_or((facts, &[]))
}

/// Returns at most `MAX_FOUND_FACTS` facts that contain words of a query, the best match first. A
/// match in the title counts three times as much as a match in the text.
#[must_use]
pub fn search_facts<'a>(facts: &'a [Fact], query: &str) -> Vec<&'a Fact> {
    let mut sought = words(query);
    sought.sort_unstable();
    sought.dedup();
    let score = |fact: &Fact| -> usize {
        let (title, text) = (words(&fact.title), words(&fact.text));
        let hits =
            |all: &[String], word: &String| all.iter().filter(|it| is_like(it, word)).count();
        let of_word = |word: &String| 3 * hits(&title, word).min(1) + hits(&text, word).min(1);
        sought.iter().map(of_word).sum()
    };
    let mut found: Vec<(usize, &Fact)> =
        facts.iter().map(|fact| (score(fact), fact)).filter(|(score, _)| *score > 0).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(MAX_FOUND_FACTS).map(|(_, fact)| fact).collect()
}

/// Whether two words are the same, or one begins with the other. A beginning must have at least
/// four characters.
fn is_like(one: &str, other: &str) -> bool {
    const STEM: usize = 4;
    let is_form =
        |long: &str, short: &str| short.chars().count() >= STEM && long.starts_with(short);
    one == other || is_form(one, other) || is_form(other, one)
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|it| !it.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(title: &str, text: &str) -> Fact {
        Fact { title: title.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn facts_are_found_by_words() {
        let facts = [
            fact("Delivery", "We deliver to every address in town. Pickup is free."),
            fact("Opening hours", "Saturday from 7 AM to 5 PM"),
            fact("Allergens", "Lemon cake: egg, milk, wheat."),
        ];
        let titles = |query| -> Vec<&str> {
            search_facts(&facts, query).into_iter().map(|it| it.title.as_str()).collect()
        };
        assert_eq!(titles("When are the OPENING hours on saturdays?"), ["Opening hours"]);
        assert_eq!(titles("lemon cakes"), ["Allergens"]);
        // A match in the title counts more than one in the text.
        assert_eq!(titles("pickup saturday allergens")[0], "Allergens");
        assert!(titles("").is_empty() && titles("parking").is_empty());
    }

    #[test]
    fn facts_are_given_up_to_a_bound() {
        let large = fact("Large", &"x".repeat(MAX_GIVEN_FACTS_BYTES - 10));
        let facts = [fact("a", "b"), large, fact("c", "d")];
        assert_eq!(given_facts(&facts[..2]).1.len(), 0);
        assert_eq!(given_facts(&facts).0.len(), 3);
        let more = [facts.to_vec(), vec![fact("e", &"y".repeat(50))]].concat();
        assert_eq!(given_facts(&more).0.len(), 3);
        assert_eq!(given_facts(&more).1.len(), 1);
        assert_eq!(given_facts(&[]).0.len(), 0);
    }
}
