//! Rates, sizes, times and ids.

use domain::account::pace::{Bounds, OF_A_NUMBER, Pace, Rate, SendSlot, Slots};
use domain::id::MessageId;
use domain::key::{MAX_RATE_LIMIT, RateLimit};
use domain::media::{FileType, MediaKind, WebAddress};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use std::time::Duration;

fn start() -> Timestamp {
    Timestamp::from_seconds(1_800_000_000)
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[test]
fn a_key_is_limited_to_100_000_requests_a_minute_or_not_at_all() {
    let read = |number| RateLimit::parse(number).map(|it| (it.per_minute(), it.number())).ok();
    assert_eq!(read(0), Some((None, 0)));
    assert_eq!(read(60), Some((Some(60), 60)));
    assert_eq!(read(MAX_RATE_LIMIT.into()), Some((Some(MAX_RATE_LIMIT), MAX_RATE_LIMIT)));
    for number in [-1, i64::from(MAX_RATE_LIMIT) + 1, i64::MAX] {
        assert_eq!(read(number), None, "{number}");
    }
}

#[test]
fn a_message_leaves_when_the_one_before_has_had_its_time() {
    let (mut slots, rate, now) = (Slots::default(), Rate(2_000), start());
    assert!(slots.is_free(now));
    assert_eq!(slots.reserve(rate, now), SendSlot::Free);
    let next = now.plus(millis(500));
    assert_eq!(slots.reserve(rate, now), SendSlot::At(next));
    assert!(!slots.is_free(next.minus(Duration::from_micros(1))));
    assert!(slots.is_free(next), "to the microsecond");
    let mut other = Slots::default();
    other.wait(rate, now);
    assert_eq!(other.reserve(rate, now), SendSlot::At(next));
    other.wait(rate, now.minus(millis(100)));
    assert_eq!(other.reserve(rate, next), SendSlot::Free, "an earlier wait shortens none");
}

#[test]
fn a_rate_is_told_in_messages_a_second_and_bounds_nothing_at_its_most() {
    let told = [Rate(0), Rate(250), Rate(40_000)].map(|it| (it.per_second() * 100.0).round());
    assert!(
        told.iter().zip([0.0, 25.0, 4000.0]).all(|(one, other)| (one - other).abs() < 0.1),
        "{told:?}"
    );
    let pace = Pace { rate: Rate(79_900), since: start() };
    let bounds: Bounds = OF_A_NUMBER;
    assert_eq!(pace.bounded(bounds, start()), Some(Rate(79_900)));
    assert_eq!(pace.bounded(bounds, start().plus(millis(1000))), None);
}

#[test]
fn files_are_bounded_by_what_they_are() {
    const MIB: u64 = 1024 * 1024;
    let sizes = [
        (FileType::Png, 5 * MIB, "png"),
        (FileType::Webp, 500 * 1024, "webp"),
        (FileType::Mpeg, 16 * MIB, "mp3"),
        (FileType::Mp4, 16 * MIB, "mp4"),
        (FileType::Pdf, 100 * MIB, "pdf"),
    ];
    for (file, most, ending) in sizes {
        assert_eq!(file.max_bytes(), most);
        assert_eq!(file.ending(), ending);
    }
}

#[test]
fn the_extension_of_a_url_implies_the_kind_of_file() {
    let kind = |ending| {
        let address = WebAddress::parse(&format!("https://a.example/f.{ending}")).unwrap();
        assert_eq!(address.to_string(), format!("https://a.example/f.{ending}"));
        MediaKind::from_address(&address)
    };
    assert_eq!(kind("webp"), Some(MediaKind::Sticker));
    assert_eq!([kind("mp4"), kind("3gp"), kind("3gpp")], [Some(MediaKind::Video); 3]);
    assert_eq!([kind("mp3"), kind("opus")], [Some(MediaKind::Audio); 2]);
    let captioned = [
        MediaKind::Image,
        MediaKind::Video,
        MediaKind::Audio,
        MediaKind::Document,
        MediaKind::Sticker,
    ];
    assert_eq!(captioned.map(MediaKind::takes_caption), [true, true, false, true, false]);
}

#[test]
fn a_phone_number_has_seven_digits_at_least() {
    let read =
        |text| PhoneNumber::parse(text).map(|it| (it.to_string(), it.digits().to_owned())).ok();
    assert_eq!(read("1234567"), Some(("+1234567".into(), "1234567".into())));
    assert_eq!(read("123456"), None);
}

#[test]
fn an_id_tells_when_it_was_made_to_the_millisecond() {
    let at = Timestamp::from_micros(1_800_000_000_123_456);
    let id = MessageId::new(at, [0xff; 10]);
    assert_eq!(id.made_at().micros(), 1_800_000_000_123_000);
    assert_eq!(format!("{id:?}"), id.to_string());
    assert_eq!(id.to_string().parse(), Ok(id), "all bits of it");
}

#[test]
fn a_time_is_written_to_the_millisecond() {
    let at = Timestamp::from_micros(1_800_000_000_999_999);
    assert_eq!(at.micros(), 1_800_000_000_999_999);
    assert_eq!(at.to_string(), "2027-01-15T08:00:00.999Z");
    assert_eq!(
        Timestamp::from_micros(1_800_000_000_001_000).to_string(),
        "2027-01-15T08:00:00.001Z"
    );
}
