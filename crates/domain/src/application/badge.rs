//! What could be taken for the Verified badge (`security.md` 15).

/// Signs that say of themselves that somebody has checked something.
const SIGNS: [char; 13] = ['✓', '✔', '☑', '✅', '🗸', '🗹', '√', '🛡', '🏅', '⭐', '★', '☆', '☒'];
const WORD: &str = "verified";

/// Whether a text looks like the badge, in whatever letters.
#[must_use]
pub fn imitates(text: &str) -> bool {
    let letters: String = text.chars().map(look).filter(|it| it.is_alphanumeric()).collect();
    letters.contains(WORD) || text.contains(SIGNS)
}

/// The plain letter that a character looks like, as far as the badge's word has that letter.
fn look(letter: char) -> char {
    let plain = match letter {
        'é' | 'è' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' | 'е' | 'ё' | 'э' | 'є' | 'ε' | '℮' | 'ҽ'
        | 'Е' | 'Ё' | 'Ε' | 'ᴇ' | '3' => 'e',
        'í' | 'ì' | 'î' | 'ï' | 'ī' | 'ı' | 'İ' | 'і' | 'ї' | 'ι' | 'І' | 'Ї' | 'Ι' | 'ɪ' | '1'
        | 'l' | '|' | '!' | 'Ӏ' | 'ӏ' => 'i',
        'ν' | 'ѵ' | 'Ѵ' | 'ⅴ' | 'Ⅴ' | 'ᴠ' => 'v',
        'г' | 'ʀ' | 'ᴦ' => 'r',
        'ƒ' | 'ſ' | 'ꜰ' | 'ϝ' => 'f',
        'ԁ' | 'đ' | 'ď' | 'ⅾ' | 'Ⅾ' | 'ᴅ' => 'd',
        other => alphabet(other).unwrap_or(other),
    };
    // Of capitals and small letters alike.
    plain.to_lowercase().next().unwrap_or(plain).to_ascii_lowercase()
}

/// Letters that stand in rows of their own: full width, mathematical, in circles, boxes and flags.
fn alphabet(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let index = match code {
        0xff21..=0xff3a => code - 0xff21,
        0xff41..=0xff5a => code - 0xff41,
        0x1d400..=0x1d6a3 => (code - 0x1d400) % 26,
        0x249c..=0x24b5 => code - 0x249c,
        0x24b6..=0x24e9 => (code - 0x24b6) % 26,
        0x1f130..=0x1f149 => code - 0x1f130,
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
            "Ver1f1ed",
            "Acme ✓",
            "√ Acme",
        ] {
            assert!(imitates(trick), "{trick}");
        }
        for honest in ["Acme CRM", "Café Zürich", "Веранда", "Version 5", "日本語", "Clever Field"]
        {
            assert!(!imitates(honest), "{honest}");
        }
    }
}
