//! Enums in which each variant has one keyword. The keywords are used in the API and in the
//! database.

/// An enum with a fixed keyword for each variant.
pub trait Keyword: Copy + Eq + Sized + 'static {
    /// All variants, in order of declaration.
    const ALL: &'static [Self];

    fn as_str(self) -> &'static str;

    /// Returns the variant with exactly this keyword.
    #[must_use]
    fn from_keyword(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|case| case.as_str() == word)
    }

    /// Lists all keywords, for error messages.
    #[must_use]
    fn listed() -> String {
        let words: Vec<&str> = Self::ALL.iter().map(|case| case.as_str()).collect();
        words.join(", ")
    }
}

/// Declares an enum with a keyword for each variant.
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
