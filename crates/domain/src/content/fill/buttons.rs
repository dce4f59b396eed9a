//! Checks the parameters that a message has for the buttons of a template.

use super::{Given, Mismatch};
use crate::content::{ButtonKind, Parameter, ParameterPlace};
use crate::template::parts::MAX_COUPON_CODE_LENGTH;
use crate::template::variables::variables;
use crate::template::{ButtonType, TemplateButton};

/// The number and the kind of the parameters that a button takes.
struct Wanted {
    least: usize,
    most: usize,
    fits: fn(&Parameter) -> bool,
    word: &'static str,
}

impl Given<'_> {
    /// Checks that each button of the template gets the parameters that it takes, and that no
    /// parameter is for a button that the template does not have.
    pub(super) fn buttons(&self, template: &[TemplateButton]) -> Result<(), Mismatch> {
        for part in self.components {
            let ParameterPlace::Button(_, index) = part.place else { continue };
            if template.get(usize::from(index)).is_none() {
                let place = format!("button {index}");
                self.expect(&place, 0, &part.parameters, |_| true, "text")?;
            }
        }
        template.iter().enumerate().try_for_each(|(index, button)| self.button(index, button))
    }

    fn button(&self, index: usize, button: &TemplateButton) -> Result<(), Mismatch> {
        // If this version of Switchboard does not know the type of the button, only the channel
        // checks its parameters.
        let Some(kind) = button.kind else { return Ok(()) };
        let mut parts = self.components.iter().filter(|part| match part.place {
            ParameterPlace::Button(_, at) => usize::from(at) == index,
            ParameterPlace::CallButton => kind == ButtonType::VoiceCall,
            _ => false,
        });
        let (part, place) = (parts.next(), format!("button {index}"));
        let given = part.map_or(&[][..], |part| &part.parameters);
        let wanted = Wanted::by(kind, button);
        // If the message has a component for the button, the component must have at least one
        // parameter, unless the button takes no parameters.
        let least =
            if part.is_some() { wanted.most.min(wanted.least.max(1)) } else { wanted.least };
        if !(least..=wanted.most).contains(&given.len()) {
            return Err(self.mismatch(&place, wanted.most, given.len(), None));
        }
        let is_its_kind =
            part.is_none_or(|part| part.parameters.is_empty() || takes(kind, part.place));
        if !is_its_kind || !given.iter().all(wanted.fits) {
            return Err(self.mismatch(&place, given.len(), given.len(), Some(wanted.word)));
        }
        if kind == ButtonType::OneTimeCode && !self.is_the_code(given) {
            let wanted = Some("text that is the code of the body");
            return Err(self.mismatch(&place, 1, 1, wanted));
        }
        Ok(())
    }

    fn is_the_code(&self, given: &[Parameter]) -> bool {
        let words = |of: &[Parameter]| {
            of.first().and_then(Parameter::words).map(|(_, text)| text.to_owned())
        };
        words(given) == words(self.parameters(ParameterPlace::Body))
    }
}

/// Whether a button of this type takes its parameters from the component for this `place`.
fn takes(button: ButtonType, place: ParameterPlace) -> bool {
    let kind = match place {
        ParameterPlace::Button(kind, _) => kind,
        ParameterPlace::CallButton => ButtonKind::VoiceCall,
        _ => return false,
    };
    match kind {
        ButtonKind::QuickReply => button == ButtonType::QuickReply,
        // In Meta's format, the parameter for a button with a one-time code is in a component whose
        // `sub_type` is `url`.
        ButtonKind::Url => matches!(button, ButtonType::Url | ButtonType::OneTimeCode),
        ButtonKind::CopyCode => button == ButtonType::CopyCode,
        ButtonKind::Flow => button == ButtonType::Flow,
        ButtonKind::Catalog => button == ButtonType::Catalog,
        ButtonKind::MultiProduct => button == ButtonType::MultiProduct,
        ButtonKind::SingleProduct => button == ButtonType::SingleProduct,
        ButtonKind::VoiceCall => button == ButtonType::VoiceCall,
        ButtonKind::PhoneNumber => button == ButtonType::PhoneNumber,
        ButtonKind::RequestContactInfo => button == ButtonType::RequestContactInfo,
        // This version of Switchboard does not know template buttons of these types, so no known
        // button takes such a component.
        ButtonKind::VideoCall
        | ButtonKind::OrderDetails
        | ButtonKind::PaymentRequest
        | ButtonKind::Reminder
        | ButtonKind::BookingStatus
        | ButtonKind::App
        | ButtonKind::Postback => false,
    }
}

impl Wanted {
    fn by(kind: ButtonType, button: &TemplateButton) -> Self {
        let text: fn(&Parameter) -> bool = |it| matches!(it, Parameter::Text { .. });
        let action: fn(&Parameter) -> bool = |it| matches!(it, Parameter::Action(_));
        // The sender may give the code in a parameter of the type coupon code, payload or text.
        let code: fn(&Parameter) -> bool = |it| match it {
            Parameter::CouponCode(code)
            | Parameter::Payload(code)
            | Parameter::Text { text: code, .. } => code.chars().count() <= MAX_COUPON_CODE_LENGTH,
            _ => false,
        };
        let products: fn(&Parameter) -> bool = |it| match it {
            Parameter::Action(opened) => {
                !opened.sections.is_empty() && opened.thumbnail_product_retailer_id.is_some()
            }
            _ => false,
        };
        let payload: fn(&Parameter) -> bool =
            |it| matches!(it, Parameter::Payload(_) | Parameter::Text { .. });
        let call: fn(&Parameter) -> bool = |it| {
            matches!(it, Parameter::Payload(_) | Parameter::Text { .. } | Parameter::TtlMinutes(_))
        };
        let (least, most, fits, word) = match kind {
            ButtonType::Url => {
                let count = button.url.as_deref().map_or(0, |url| variables(url).len());
                (count, count, text, "text")
            }
            ButtonType::OneTimeCode => (1, 1, text, "text"),
            ButtonType::CopyCode => (1, 1, code, "coupon_code of at most 20 characters"),
            ButtonType::QuickReply => (0, 1, payload, "payload"),
            ButtonType::VoiceCall => (0, 2, call, "payload or ttl_minutes"),
            ButtonType::MultiProduct => {
                (1, 1, products, "action with thumbnail_product_retailer_id and sections")
            }
            ButtonType::Flow | ButtonType::Catalog | ButtonType::SingleProduct => {
                (0, 1, action, "action")
            }
            ButtonType::PhoneNumber
            | ButtonType::CallPermissionRequest
            | ButtonType::RequestContactInfo => (0, 0, text, "text"),
        };
        Self { least, most, fits, word }
    }
}
