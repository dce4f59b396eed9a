//! Enums that have one lowercase word a variant, on the wire and in the database alike.

/// A value with a fixed word for each of its cases.
pub trait Word: Copy + Eq + Sized + 'static {
    /// Every case, in the order of declaration.
    const ALL: &'static [Self];

    /// The word.
    fn as_str(self) -> &'static str;

    /// The case whose word is `word`, letter for letter.
    #[must_use]
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|case| case.as_str() == word)
    }

    /// All words, for a message that says what would have been right.
    #[must_use]
    fn listed() -> String {
        let words: Vec<&str> = Self::ALL.iter().map(|case| case.as_str()).collect();
        words.join(", ")
    }
}

/// Declares an enum with its words, so that a case cannot exist without one.
macro_rules! words {
    ($(#[$of:meta])* pub enum $Name:ident { $($(#[$doc:meta])* $Case:ident = $word:literal,)+ }) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name { $($(#[$doc])* $Case,)+ }

        impl $crate::word::Word for $Name {
            const ALL: &'static [Self] = &[$(Self::$Case,)+];

            fn as_str(self) -> &'static str {
                match self { $(Self::$Case => $word,)+ }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str($crate::word::Word::as_str(*self))
            }
        }
    };
}
pub(crate) use words;
