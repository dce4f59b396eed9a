//! Detects texts that a reader could mistake for the Verified badge (`docs/security.md` 15).

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

/// Characters that look like a check mark or an award.
const SIGNS: &str = "✓✔☑✅🗸🗹√⍻⎷ꪜ☒🛡⛨🔰🏅🎖🥇🥈🥉🏵💮⭐🌟★☆✩✪✫✬✭✮✯✰⍟";
const WORD: &str = "verified";

/// Whether a text looks like the Verified badge, in letters of any script.
#[must_use]
pub fn resembles_badge(text: &str) -> bool {
    // The lowercase form and the uppercase form of a letter may look like two different letters.
    // Both forms are therefore checked.
    let forms = [text.to_owned(), text.to_lowercase(), text.to_uppercase()];
    text.contains(|letter| SIGNS.contains(letter))
        || forms.iter().any(|form| plainly(form).contains(WORD))
}

/// Reduces a text to the plain letters and digits that its characters look like. All other
/// characters are dropped.
fn plainly(text: &str) -> String {
    let letters: String = text.nfkc().map(plain_letter).collect();
    let letters: String = skeleton(&letters).filter(|letter| !is_combining_mark(*letter)).collect();
    let letters = letters.to_lowercase();
    // Unicode's skeleton maps I, l and 1 to one form, and i to another. Here all four are mapped to
    // the same form.
    letters
        .chars()
        .filter(|it| it.is_alphanumeric())
        .map(|it| if it == 'l' { 'i' } else { it })
        .collect()
}

/// Returns the letter of the word "verified" that `letter` looks like, or `letter` itself. The
/// function covers only letters that are missing in Unicode's table of confusable characters.
fn plain_letter(letter: char) -> char {
    match letter {
        'э' | 'Э' | 'є' | 'Є' | 'ε' | 'ᴇ' | 'ɛ' | '3' | '€' => 'e',
        'ї' | 'Ї' | 'ɪ' | '!' => 'i',
        'ν' | 'ᴠ' | 'ʋ' => 'v',
        'г' | 'Г' | 'ʀ' | 'ᴦ' | 'ɾ' => 'r',
        'ſ' | 'ꜰ' | 'ϝ' | 'Ϝ' => 'f',
        'đ' | 'Đ' | 'ð' | 'ᴅ' => 'd',
        other => alphabet(other).unwrap_or(other),
    }
}

/// Returns the plain letter for a letter in a black circle or box, or for a regional indicator (two
/// of them form a flag). Unicode has no compatibility mapping for such letters.
fn alphabet(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let index = match code {
        0x1f150..=0x1f169 => code - 0x1f150,
        0x1f170..=0x1f189 => code - 0x1f170,
        0x1f1e6..=0x1f1ff => code - 0x1f1e6,
        _ => return None,
    };
    char::from_u32(u32::from('a') + index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letters_pass_for_the_word() {
        for trick in [
            "Acme (Verified)",
            "V e r i f i e d",
            "VERIFIED",
            "Ｖｅｒｉｆｉｅｄ",
            "𝗩𝗲𝗿𝗶𝗳𝗶𝗲𝗱",
            "𝓥𝓮𝓻𝓲𝓯𝓲𝓮𝓭",
            "Vеrіfіеd",
            "Vérified",
            "ⓋⒺⓇⒾⒻⒾⒺⒹ",
            "🅥🅔🅡🅘🅕🅘🅔🅓",
            "🆅🅴🆁🅸🅵🅸🅴🅳",
            "🇻🇪🇷🇮🇫🇮🇪🇩",
            "⒱⒠⒭⒤⒡⒤⒠⒟",
            "Ver1f1ed",
            "VerIfIed",
            "Verlfled",
            "V3r!f!3d",
            "ᵛᵉʳⁱᶠⁱᵉᵈ",
            "ꓦꓰꓣꓲꓝꓲꓰꓓ",
            "∨erified",
            "veřified",
            "Ꮩerified",
            "ᴠᴇʀɪꜰɪᴇᴅ",
            "veriﬁed",
            "VËRÏFÏËD",
            "ν\u{307}erified",
            "Acme ✓",
            "√ Acme",
            "Acme ⍻",
            "Acme 🎖",
        ] {
            assert!(resembles_badge(trick), "{trick} {}", plainly(trick));
        }
        for honest in [
            "Acme CRM",
            "Café Zürich",
            "Веранда",
            "Version 5",
            "日本語",
            "Clever Field",
            "Müller & Söhne",
            "Ελλάδα",
            "شركة",
            "हिन्दी",
            "ไทย",
            "株式会社",
            "Pizza 🍕",
            "Verity",
            "Reif & Rede",
        ] {
            assert!(!resembles_badge(honest), "{honest}");
        }
    }
}
