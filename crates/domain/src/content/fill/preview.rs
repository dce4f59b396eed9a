//! Renders the text of a template, filled in with the parameters of a message.

use super::parameters_of;
use crate::content::{
    CardParameters, ComponentParameters, Parameter, ParameterPlace, TemplateContent,
};
use crate::template::{BodyPart, CardPart, Definition, FooterPart, HeaderPart};

/// Renders the text that the contact will read. Header, offer, body, footer and each card begin a
/// new line. Sentences that the channel adds are rendered in English.
#[must_use]
pub fn render(template: &Definition, content: &TemplateContent) -> String {
    let given = &content.components;
    let mut lines: Vec<String> = template.header.iter().map(|it| header(it, given)).collect();
    lines.extend(template.offer.as_ref().map(|offer| offer.text.clone()));
    let body = parameters_of(given, ParameterPlace::Body);
    lines.push(match &template.body {
        BodyPart::Text(text) => filled(text, body),
        BodyPart::OneTimeCode { with_recommendation } => one_time_code(body, *with_recommendation),
    });
    lines.extend(template.footer.as_ref().map(|footer| match footer {
        FooterPart::Text(text) => text.clone(),
        FooterPart::CodeExpiration(minutes) => format!("This code expires in {minutes} minutes."),
    }));
    let cards = template.cards.iter().enumerate();
    lines.extend(cards.map(|(index, part)| card(index, part, &content.cards)));
    lines.join("\n")
}

fn header(header: &HeaderPart, given: &[ComponentParameters]) -> String {
    let given = parameters_of(given, ParameterPlace::Header);
    match (header, given.first()) {
        (HeaderPart::Text(text), _) => filled(text, given),
        (HeaderPart::Media(kind), _) => format!("[{kind}]"),
        (HeaderPart::Gif, _) => "[gif]".to_owned(),
        (HeaderPart::Location, Some(Parameter::Location(place))) => {
            format!("[location] {}", place.words())
        }
        (HeaderPart::Location, _) => "[location]".to_owned(),
        (HeaderPart::Product, _) => "[product]".to_owned(),
        (HeaderPart::Unknown, _) => "[header]".to_owned(),
    }
}

fn one_time_code(given: &[Parameter], with_recommendation: bool) -> String {
    let code = given.first().and_then(Parameter::words).map_or("", |(_, text)| text);
    let warning =
        if with_recommendation { " For your security, do not share this code." } else { "" };
    format!("{code} is your verification code.{warning}")
}

fn card(index: usize, part: &CardPart, given: &[CardParameters]) -> String {
    let found = given.iter().find(|it| usize::from(it.index) == index);
    let given = found.map_or(&[][..], |it| &it.components);
    let body =
        part.body.as_ref().map(|text| filled(text, parameters_of(given, ParameterPlace::Body)));
    let mut words = vec![format!("[card {}]", index + 1)];
    words.extend(part.header.iter().map(|it| header(it, given)));
    words.extend(body);
    words.join(" ")
}

fn filled(text: &str, parameters: &[Parameter]) -> String {
    let mut pieces = text.split("{{");
    let mut out = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        let Some((name, rest)) = piece.split_once("}}") else {
            out.push_str("{{");
            out.push_str(piece);
            continue;
        };
        out.push_str(value(name.trim(), parameters).unwrap_or(name));
        out.push_str(rest);
    }
    out
}

fn value<'a>(variable: &str, parameters: &'a [Parameter]) -> Option<&'a str> {
    let by_position =
        variable.parse::<usize>().ok().and_then(|n| parameters.get(n.checked_sub(1)?));
    let by_name = || {
        let called = |it: &&Parameter| it.words().is_some_and(|(name, _)| name == Some(variable));
        parameters.iter().find(called)
    };
    by_position.or_else(by_name)?.words().map(|(_, text)| text)
}
