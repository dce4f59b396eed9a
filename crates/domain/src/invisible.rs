//! Rules for invisible characters. Some scripts and emoji need such characters. Anywhere else, they
//! only make two texts different that look the same (RFC 5892, A.1 and A.2; UTS #51).

use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{GeneralCategory, UnicodeEmoji as _, UnicodeGeneralCategory as _};

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';
/// The Arabic letter heh. Kurdish writes its letter ae as heh followed by a non-joiner, also at the
/// end of a word.
const ARABIC_HEH: char = '\u{647}';
/// The canonical combining class of a virama, a sign that removes the vowel of a consonant.
const VIRAMA: u8 = 9;
/// The flags of England, Scotland and Wales. Each is the emoji of a black flag, followed by the
/// letters of the region as invisible tag characters.
const REGIONS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Whether a character has Unicode's property `Default_Ignorable_Code_Point`
/// (`DerivedCoreProperties.txt`, 17.0).
pub(crate) const fn is_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the character at the index `at` is invisible, and is not needed by its neighbors.
pub(crate) fn hides(all: &[char], at: usize) -> bool {
    let Some((before, [letter, after @ ..])) = all.split_at_checked(at) else { return false };
    is_ignorable(*letter) && !is_needed(before, *letter, after)
}

fn is_needed(before: &[char], letter: char, after: &[char]) -> bool {
    let Some(previous) = before.last().copied() else { return false };
    match letter {
        NON_JOINER => is_virama(previous) || parts_letters(before, after),
        // A joiner after a virama joins two consonants, or forms a letter of its own. A joiner
        // before a virama keeps the form of the consonant.
        JOINER => {
            is_virama(previous)
                || (is_letter(previous) && after.first().copied().is_some_and(is_virama))
                || joins_emoji(before, after)
                || shapes_a_letter(before, after)
        }
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_keycap = after.first() == Some(&KEYCAP);
            previous.is_emoji_char() && (!previous.is_ascii() || is_keycap)
        }
        // These characters select variants of ideographs. Such variants occur in the names of
        // people and places.
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => is_ideograph(previous),
        '\u{e0020}'..='\u{e007f}' => is_in_flag(before, letter, after),
        '\u{180b}'..='\u{180f}' => matches!(previous, '\u{1820}'..='\u{18aa}'),
        _ => false,
    }
}

/// Whether a non-joiner between `before` and `after` separates two letters that would otherwise be
/// joined.
fn parts_letters(before: &[char], after: &[char]) -> bool {
    let Some(previous) = letter_before(before) else { return false };
    let next = after.iter().copied().find(|it| !is_mark(*it));
    is_cursive(previous) && (previous == ARABIC_HEH || next.is_some_and(is_cursive))
}

/// Whether a joiner between `before` and `after` changes the shape of a letter that is not joined
/// to a neighbor.
fn shapes_a_letter(before: &[char], after: &[char]) -> bool {
    let joins_next = letter_before(before).is_some_and(|it| is_cursive(it) && !joins_left_only(it));
    let next = after.iter().copied().find(|it| !is_mark(*it));
    joins_next != next.is_some_and(is_cursive)
}

/// Whether a joiner between `before` and `after` joins two emoji.
fn joins_emoji(before: &[char], after: &[char]) -> bool {
    let is_emoji = |it: &char| !it.is_ascii() && it.is_emoji_char();
    let base = before.iter().rev().find(|it| **it != '\u{fe0f}');
    base.is_some_and(is_emoji) && after.first().is_some_and(is_emoji)
}

fn is_in_flag(before: &[char], letter: char, after: &[char]) -> bool {
    let is_tag = |it: &&char| matches!(**it, '\u{e0020}'..='\u{e007f}');
    let start = before.iter().rev().take_while(is_tag).count() + 1;
    let Some(start) = before.len().checked_sub(start) else { return false };
    let first = before.get(start..).unwrap_or_default().iter();
    let whole: String =
        first.chain([&letter]).chain(after.iter().take_while(is_tag)).copied().collect();
    REGIONS.contains(&whole.as_str())
}

fn letter_before(before: &[char]) -> Option<char> {
    before.iter().rev().copied().find(|it| !is_mark(*it))
}

fn is_virama(letter: char) -> bool {
    canonical_combining_class(letter) == VIRAMA
}

fn is_letter(letter: char) -> bool {
    letter.general_category() == GeneralCategory::OtherLetter
}

fn is_mark(letter: char) -> bool {
    letter.general_category() == GeneralCategory::NonspacingMark
}

const fn is_ideograph(letter: char) -> bool {
    matches!(letter,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3fffd}')
}

/// Whether a letter belongs to a script whose letters are joined: Arabic, Syriac, N'Ko, Mandaic,
/// Mongolian, Phags-pa, Hanifi Rohingya or Adlam. The hamza belongs to Arabic but is never joined.
fn is_cursive(letter: char) -> bool {
    let is_of_script = matches!(letter,
        '\u{620}'..='\u{6ff}' | '\u{710}'..='\u{77f}' | '\u{7ca}'..='\u{7ea}' | '\u{840}'..='\u{8ff}'
        | '\u{1820}'..='\u{18aa}' | '\u{a840}'..='\u{a871}' | '\u{10d00}'..='\u{10d23}'
        | '\u{1e900}'..='\u{1e943}');
    is_of_script
        && letter.is_alphabetic()
        && !is_mark(letter)
        && !matches!(letter, '\u{621}' | '\u{674}')
}

/// Whether an Arabic or Syriac letter joins only to the letter before it (`Joining_Type` R).
const fn joins_left_only(letter: char) -> bool {
    matches!(letter,
        '\u{622}'..='\u{625}' | '\u{627}' | '\u{629}' | '\u{62f}'..='\u{632}' | '\u{648}'
        | '\u{671}'..='\u{673}' | '\u{675}'..='\u{677}' | '\u{688}'..='\u{699}' | '\u{6c0}'
        | '\u{6c3}'..='\u{6cb}' | '\u{6cd}' | '\u{6cf}' | '\u{6d2}' | '\u{6d3}' | '\u{6d5}'
        | '\u{6ee}' | '\u{6ef}' | '\u{710}' | '\u{715}'..='\u{719}' | '\u{71e}' | '\u{728}'
        | '\u{72a}' | '\u{72c}' | '\u{72f}' | '\u{74d}' | '\u{759}'..='\u{75b}'
        | '\u{76b}' | '\u{76c}' | '\u{771}' | '\u{773}' | '\u{774}' | '\u{778}' | '\u{779}'
        | '\u{870}'..='\u{882}' | '\u{8aa}'..='\u{8ac}' | '\u{8ae}' | '\u{8b1}' | '\u{8b2}'
        | '\u{8b9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> bool {
        let all: Vec<char> = text.chars().collect();
        (0..all.len()).any(|at| hides(&all, at))
    }

    #[test]
    fn scripts_and_emoji_have_what_they_need() {
        for text in [
            // Words in Persian, Kurdish and Urdu.
            "می\u{200c}خواهم",
            "کتاب\u{200c}ها",
            "گفت\u{200c}و\u{200c}گو",
            "هه\u{200c}ولێر",
            "ئه\u{200c}وه\u{200c}",
            "ه\u{200d}.ق",
            "نَ\u{200c}ش",
            // Words in Malayalam, Sinhala, Devanagari, Bengali and Kannada.
            "അവന്\u{200d}",
            "ക്\u{200c}ഷ",
            "ශ්\u{200d}රී ලංකා",
            "क्\u{200d}ष",
            "क्\u{200c}ष",
            "র\u{200d}্যাব",
            "ರ\u{200d}್ಯ",
            // Emoji: families, professions, flags, hearts, keycaps.
            "👨\u{200d}👩\u{200d}👧\u{200d}👦",
            "👩🏾\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏻",
            "👩\u{200d}⚕\u{fe0f}",
            "🏳\u{fe0f}\u{200d}🌈",
            "🏳\u{200d}🌈",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "☎\u{fe0e}",
            REGIONS[1],
            // Variants of ideographs, and a Mongolian word.
            "葛\u{e0100}城",
            "\u{1820}\u{180b}",
            "plain text",
        ] {
            assert!(!hidden(text), "{text:?}");
        }
    }

    #[test]
    fn what_only_makes_texts_differ_is_hidden() {
        for text in [
            "pay\u{200c}pal",
            "pay\u{200d}pal",
            "\u{200c}می",
            "می\u{200c}",
            "می\u{200c}\u{200c}خواهم",
            "می\u{200c} خواهم",
            "م\u{200d}ی",
            "\u{200d}ا",
            "א\u{200c}ב",
            "ก\u{200c}ข",
            "क\u{200d}ष",
            "क\u{200c}ष",
            "👨\u{200d}",
            "\u{200d}👨",
            "👨\u{200d}a",
            "a\u{200d}👨",
            "👨\u{200d}\u{200d}👩",
            "a\u{fe0f}",
            "1\u{fe0f}",
            "\u{fe0f}",
            "❤\u{fe0f}\u{fe0f}",
            "a\u{e0100}",
            "🏴\u{e0067}\u{e007f}",
            "🏴\u{e0061}\u{e0062}",
            "a\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "a\u{200b}b",
            "a\u{202e}b",
            "a\u{2066}b",
            "a\u{200e}b",
            "a\u{ad}b",
            "a\u{feff}b",
        ] {
            assert!(hidden(text), "{text:?}");
        }
    }
}
