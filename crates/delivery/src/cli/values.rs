//! The values of options that come from a list. Help and completions show them.

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use domain::keyword::Keyword;
use std::ffi::OsStr;

/// Parses a keyword.
pub fn keyword<W: Keyword + Send + Sync>() -> impl TypedValueParser<Value = W> {
    let words = W::ALL.iter().map(|it| it.as_str());
    let parser = PossibleValuesParser::new(words);
    parser.try_map(|word| W::from_keyword(&word).ok_or_else(|| format!("one of {}", W::listed())))
}

/// Shows words in completions, but accepts any text.
#[derive(Clone, Debug)]
pub struct Offered(Vec<&'static str>);

impl Offered {
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> Self {
        Self(words.into_iter().collect())
    }

    pub fn keywords<W: Keyword>() -> Self {
        Self::new(W::ALL.iter().map(|it| it.as_str()))
    }
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}
