//! Enums whose variants have keywords. The keyword of a variant stands for it in the API and in the
//! database.

/// An enum each variant of which has a fixed keyword.
pub trait Keyword: Copy + Eq + Sized + 'static {
    /// All variants, in the order in which they are declared.
    const ALL: &'static [Self];

    fn as_str(self) -> &'static str;

    /// Returns the variant whose keyword is exactly `word`.
    #[must_use]
    fn from_keyword(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|case| case.as_str() == word)
    }

    /// Returns a list of all keywords, for the text of an error.
    #[must_use]
    fn listed() -> String {
        let words: Vec<&str> = Self::ALL.iter().map(|case| case.as_str()).collect();
        words.join(", ")
    }
}

/// Declares an enum with a keyword for each variant, and implements [`Keyword`] for it.
macro_rules! keywords {
    ($(#[$of:meta])* pub enum $Name:ident { $($(#[$doc:meta])* $Case:ident = $word:literal,)+ }) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name { $($(#[$doc])* $Case,)+ }

        impl $crate::keyword::Keyword for $Name {
            const ALL: &'static [Self] = &[$(Self::$Case,)+];

            fn as_str(self) -> &'static str {
                match self { $(Self::$Case => $word,)+ }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str($crate::keyword::Keyword::as_str(*self))
            }
        }
    };
}
pub(crate) use keywords;
