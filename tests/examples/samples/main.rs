//! The Rust of the reference: `cargo xtask docs` writes it, so that it is known to compile.

mod accounts;
mod agents;
mod applications;
mod contacts;
mod conversations;
mod current_key;
mod events;
mod media;
mod messages_1;
mod messages_2;
mod messages_3;
mod sandbox;
mod templates;
mod webhook_endpoints;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("0") => messages_1::sample_0::run(),
        Some("1") => messages_1::sample_1::run(),
        Some("2") => messages_1::sample_2::run(),
        Some("3") => messages_1::sample_3::run(),
        Some("4") => messages_1::sample_4::run(),
        Some("5") => messages_1::sample_5::run(),
        Some("6") => messages_1::sample_6::run(),
        Some("7") => messages_1::sample_7::run(),
        Some("8") => messages_1::sample_8::run(),
        Some("9") => messages_1::sample_9::run(),
        Some("10") => messages_2::sample_10::run(),
        Some("11") => messages_2::sample_11::run(),
        Some("12") => messages_2::sample_12::run(),
        Some("13") => messages_2::sample_13::run(),
        Some("14") => messages_2::sample_14::run(),
        Some("15") => messages_2::sample_15::run(),
        Some("16") => messages_2::sample_16::run(),
        Some("17") => messages_2::sample_17::run(),
        Some("18") => messages_3::sample_18::run(),
        Some("19") => messages_3::sample_19::run(),
        Some("20") => messages_3::sample_20::run(),
        Some("21") => messages_3::sample_21::run(),
        Some("22") => messages_3::sample_22::run(),
        Some("23") => messages_3::sample_23::run(),
        Some("24") => messages_3::sample_24::run(),
        Some("25") => messages_3::sample_25::run(),
        Some("26") => messages_3::sample_26::run(),
        Some("27") => messages_3::sample_27::run(),
        Some("28") => templates::sample_28::run(),
        Some("29") => templates::sample_29::run(),
        Some("30") => templates::sample_30::run(),
        Some("31") => templates::sample_31::run(),
        Some("32") => templates::sample_32::run(),
        Some("33") => media::sample_33::run(),
        Some("34") => conversations::sample_34::run(),
        Some("35") => conversations::sample_35::run(),
        Some("36") => conversations::sample_36::run(),
        Some("37") => conversations::sample_37::run(),
        Some("38") => conversations::sample_38::run(),
        Some("39") => conversations::sample_39::run(),
        Some("40") => conversations::sample_40::run(),
        Some("41") => conversations::sample_41::run(),
        Some("42") => conversations::sample_42::run(),
        Some("43") => conversations::sample_43::run(),
        Some("44") => contacts::sample_44::run(),
        Some("45") => contacts::sample_45::run(),
        Some("46") => contacts::sample_46::run(),
        Some("47") => contacts::sample_47::run(),
        Some("48") => contacts::sample_48::run(),
        Some("49") => agents::sample_49::run(),
        Some("50") => events::sample_50::run(),
        Some("51") => sandbox::sample_51::run(),
        Some("52") => sandbox::sample_52::run(),
        Some("53") => webhook_endpoints::sample_53::run(),
        Some("54") => webhook_endpoints::sample_54::run(),
        Some("55") => webhook_endpoints::sample_55::run(),
        Some("56") => webhook_endpoints::sample_56::run(),
        Some("57") => webhook_endpoints::sample_57::run(),
        Some("58") => webhook_endpoints::sample_58::run(),
        Some("59") => webhook_endpoints::sample_59::run(),
        Some("60") => webhook_endpoints::sample_60::run(),
        Some("61") => webhook_endpoints::sample_61::run(),
        Some("62") => webhook_endpoints::sample_62::run(),
        Some("63") => accounts::sample_63::run(),
        Some("64") => current_key::sample_64::run(),
        Some("65") => current_key::sample_65::run(),
        Some("66") => applications::sample_66::run(),
        _ => Err("name a sample by its number".into()),
    }
}
