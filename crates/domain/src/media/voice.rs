//! Voice messages that were recorded in a browser. Channels accept Opus in an Ogg container (RFC
//! 7845), but some browsers record Opus in a `WebM` container. The sound stays as it is. Only the
//! container is replaced.

use crate::number::saturating;
use std::iter;

/// Maximum number of samples in one page of Ogg: one second of sound, as RFC 7845 section 6
/// recommends.
const SAMPLES_A_PAGE: u64 = 48_000;
/// Maximum number of segments in one page of Ogg (RFC 3533 section 6).
const SEGMENTS_A_PAGE: usize = 255;
/// The serial number of the stream in the Ogg file. The file has only one stream.
const STREAM: u32 = 1;

/// The reason why a recording cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableRecording {
    #[error("the recording ends early, or is no WebM file")]
    Malformed,
    #[error("the recording is not in Opus")]
    OtherCodec,
    #[error("the recording is empty")]
    Empty,
}

use UnreadableRecording::{Empty, Malformed, OtherCodec};

/// Converts a `WebM` file with Opus to an Ogg file.
///
/// # Errors
///
/// The file is malformed or empty, or its sound is not Opus.
pub fn ogg_of_webm(webm: &[u8]) -> Result<Vec<u8>, UnreadableRecording> {
    let Recording { head, packets } = parse(webm)?;
    let head = head.ok_or(OtherCodec)?;
    if packets.is_empty() {
        return Err(Empty);
    }
    let mut ogg = OggWriter::default();
    ogg.write_page(&[head], 0, PageKind::First);
    ogg.write_page(&[OPUS_TAGS], 0, PageKind::Middle);
    let (mut page, mut segments, mut samples, mut position) = (Vec::new(), 0, 0, 0);
    for packet in packets {
        let (length, needed) = (duration(packet)?, packet.len() / 255 + 1);
        // No packet of sound is that long. It would not fit into a page.
        if needed > SEGMENTS_A_PAGE {
            return Err(Malformed);
        }
        let is_full = segments + needed > SEGMENTS_A_PAGE || samples + length > SAMPLES_A_PAGE;
        if is_full && !page.is_empty() {
            ogg.write_page(&page, position, PageKind::Middle);
            (segments, samples) = (0, 0);
            page.clear();
        }
        page.push(packet);
        segments += needed;
        samples += length;
        position += length;
    }
    ogg.write_page(&page, position, PageKind::Last);
    Ok(ogg.bytes)
}

/// The comment header of an Opus stream, with an empty vendor name and no comments.
const OPUS_TAGS: &[u8] = b"OpusTags\0\0\0\0\0\0\0\0";

/// The parts of a `WebM` file that are needed to write the Ogg file.
#[derive(Default)]
struct Recording<'a> {
    /// The identification header of Opus.
    head: Option<&'a [u8]>,
    packets: Vec<&'a [u8]>,
}

/// The ids of those `WebM` elements that this module reads (RFC 9559).
mod element {
    pub const SEGMENT: u32 = 0x1853_8067;
    pub const TRACKS: u32 = 0x1654_AE6B;
    pub const TRACK_ENTRY: u32 = 0xAE;
    pub const CODEC_PRIVATE: u32 = 0x63A2;
    pub const CLUSTER: u32 = 0x1F43_B675;
    pub const BLOCK_GROUP: u32 = 0xA0;
    pub const BLOCK: u32 = 0xA1;
    pub const SIMPLE_BLOCK: u32 = 0xA3;
}

/// Parses the elements of a file one after the other. If an element contains other elements, its
/// content is parsed like the list of elements around it. The size of such an element is not
/// needed. Browsers often write it as unknown.
fn parse(mut rest: &[u8]) -> Result<Recording<'_>, UnreadableRecording> {
    let mut recording = Recording::default();
    while !rest.is_empty() {
        let (id, after_id) = element_id(rest)?;
        let (size, content) = variable_integer(after_id)?;
        match id {
            element::SEGMENT
            | element::TRACKS
            | element::TRACK_ENTRY
            | element::CLUSTER
            | element::BLOCK_GROUP => {
                rest = content;
                continue;
            }
            _ => {}
        }
        let size = usize::try_from(size).map_err(|_| Malformed)?;
        let (content, after) = content.split_at_checked(size).ok_or(Malformed)?;
        match id {
            element::CODEC_PRIVATE if content.starts_with(b"OpusHead") => {
                recording.head = Some(content);
            }
            element::BLOCK | element::SIMPLE_BLOCK => recording.packets.push(packet(content)?),
            _ => {}
        }
        rest = after;
    }
    Ok(recording)
}

/// Returns the packet in a block. In the block, the packet follows the number of the track, a time,
/// and flags.
fn packet(block: &[u8]) -> Result<&[u8], UnreadableRecording> {
    let (_, rest) = variable_integer(block)?;
    let ([_, _, flags], packet) = rest.split_first_chunk().ok_or(Malformed)?;
    let is_laced = flags & 0b110 != 0;
    // With lacing, a block contains several packets. Browsers do not use lacing, because it delays
    // the recording.
    if is_laced || packet.is_empty() { Err(Malformed) } else { Ok(packet) }
}

/// Reads the id of an element, and returns it with the rest of the bytes. The id is a
/// variable-length integer whose length marker belongs to it.
fn element_id(bytes: &[u8]) -> Result<(u32, &[u8]), UnreadableRecording> {
    let first = bytes.first().ok_or(Malformed)?;
    let length = first.leading_zeros() as usize + 1;
    let (id, rest) = bytes.split_at_checked(length).filter(|_| length <= 4).ok_or(Malformed)?;
    Ok((id.iter().fold(0, |id, byte| id << 8 | u32::from(*byte)), rest))
}

/// Reads a variable-length integer of one to eight bytes, and returns it with the rest of the
/// bytes. The number of leading zero bits tells how many bytes follow the first byte.
fn variable_integer(bytes: &[u8]) -> Result<(u64, &[u8]), UnreadableRecording> {
    let (first, rest) = bytes.split_first().ok_or(Malformed)?;
    let more = first.leading_zeros() as usize;
    let (others, rest) = rest.split_at_checked(more).filter(|_| more < 8).ok_or(Malformed)?;
    let first = u64::from(*first) & (0x7f >> more);
    Ok((others.iter().fold(first, |number, byte| number << 8 | u64::from(*byte)), rest))
}

/// Returns the number of samples in a packet, at 48 kHz (RFC 6716 section 3.1).
fn duration(packet: &[u8]) -> Result<u64, UnreadableRecording> {
    let toc = packet.first().ok_or(Malformed)?;
    let (kind, code) = (toc >> 3, toc & 0b11);
    let frame = match (kind, kind & 0b11) {
        (0..12, 0) => 480,
        (0..12, 1) => 960,
        (0..12, 2) => 1920,
        (0..12, _) => 2880,
        (12..16, size) => 480 << (size & 1),
        (_, size) => 120 << size,
    };
    let frames = match code {
        0 => 1,
        1 | 2 => 2,
        _ => u64::from(packet.get(1).ok_or(Malformed)? & 0b11_1111),
    };
    Ok(frame * frames)
}

/// The place of a page in its Ogg stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PageKind {
    First,
    Middle,
    Last,
}

/// Writes the pages of an Ogg file (RFC 3533).
#[derive(Default)]
struct OggWriter {
    bytes: Vec<u8>,
    pages: u32,
}

impl OggWriter {
    fn write_page(&mut self, packets: &[&[u8]], position: u64, kind: PageKind) {
        let start = self.bytes.len();
        let flags = match kind {
            PageKind::First => 2,
            PageKind::Middle => 0,
            PageKind::Last => 4,
        };
        let segments = |packet: &&[u8]| {
            let last = saturating(packet.len() % 255, u8::MAX);
            iter::repeat_n(255, packet.len() / 255).chain([last])
        };
        let table: Vec<u8> = packets.iter().flat_map(segments).collect();
        self.bytes.extend(b"OggS\0");
        self.bytes.push(flags);
        self.bytes.extend(position.to_le_bytes());
        self.bytes.extend(STREAM.to_le_bytes());
        self.bytes.extend(self.pages.to_le_bytes());
        let checksum_at = self.bytes.len();
        self.bytes.extend([0; 4]);
        self.bytes.push(saturating(table.len(), u8::MAX));
        self.bytes.extend(table);
        self.bytes.extend(packets.concat());
        let sum = checksum(self.bytes.get(start..).unwrap_or_default());
        for (byte, value) in self.bytes.iter_mut().skip(checksum_at).zip(sum.to_le_bytes()) {
            *byte = value;
        }
        self.pages += 1;
    }
}

/// Returns the checksum of a page of Ogg: a CRC with the polynomial `04c11db7`, without bit
/// reflection.
fn checksum(page: &[u8]) -> u32 {
    page.iter().fold(0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| {
            let shifted = sum << 1;
            if sum & 1 << 31 == 0 { shifted } else { shifted ^ 0x04c1_1db7 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &[u8] = b"OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0";

    fn element(id: &[u8], content: &[u8]) -> Vec<u8> {
        let size = u32::try_from(content.len()).unwrap() | 0x1000_0000;
        [id, &size.to_be_bytes(), content].concat()
    }

    /// Returns a file as Chromium records it: the sizes of the segment and of the clusters are
    /// unknown.
    fn webm(packets: &[&[u8]]) -> Vec<u8> {
        let track = element(&[0xAE], &element(&[0x63, 0xA2], HEAD));
        let block = |packet: &&[u8]| element(&[0xA3], &[&[0x81, 0, 0, 0x80], *packet].concat());
        let unknown = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        [
            element(&[0x1A, 0x45, 0xDF, 0xA3], b"header"),
            [&[0x18, 0x53, 0x80, 0x67][..], &unknown].concat(),
            element(&[0x16, 0x54, 0xAE, 0x6B], &track),
            [&[0x1F, 0x43, 0xB6, 0x75][..], &unknown].concat(),
            element(&[0xE7], &[0]),
            packets.iter().flat_map(block).collect(),
        ]
        .concat()
    }

    /// Checks the pages of an Ogg file. Returns the packets in them, and the position at the end of
    /// the last page.
    fn read(mut ogg: &[u8]) -> (Vec<Vec<u8>>, u64) {
        let (mut packets, mut position, mut number) = (Vec::new(), 0, 0);
        while !ogg.is_empty() {
            assert_eq!(&ogg[..5], b"OggS\0");
            let count = usize::from(ogg[26]);
            let table = &ogg[27..27 + count];
            let size = 27 + count + table.iter().map(|it| usize::from(*it)).sum::<usize>();
            let mut page = ogg[..size].to_vec();
            let is_last = size == ogg.len();
            assert_eq!(page[5], if number == 0 { 2 } else { u8::from(is_last) * 4 });
            assert_eq!(page[18..22], u32::to_le_bytes(number));
            let sum = page[22..26].to_vec();
            page[22..26].fill(0);
            assert_eq!(sum, checksum(&page).to_le_bytes());
            position = u64::from_le_bytes(page[6..14].try_into().unwrap());
            let mut content = &page[27 + count..];
            let mut packet = Vec::new();
            for segment in table {
                let (part, rest) = content.split_at(usize::from(*segment));
                packet.extend_from_slice(part);
                content = rest;
                if *segment < 255 {
                    packets.push(std::mem::take(&mut packet));
                }
            }
            ogg = &ogg[size..];
            number += 1;
        }
        (packets, position)
    }

    #[test]
    fn a_recording_of_chromium_becomes_an_ogg_file_with_the_same_packets() {
        // Packets of 20 ms each. One packet is longer than 255 bytes, and one has exactly 255
        // bytes.
        let long: Vec<u8> = iter::once(0xf8).chain(iter::repeat_n(7, 999)).collect();
        let even: Vec<u8> = iter::once(0xf8).chain(iter::repeat_n(7, 254)).collect();
        let packets: Vec<&[u8]> =
            iter::repeat_n(&[0xf8, 1, 2][..], 120).chain([&long[..], &even]).collect();
        let ogg = ogg_of_webm(&webm(&packets)).unwrap();
        let (read, position) = read(&ogg);
        assert_eq!(read[0], HEAD);
        assert_eq!(read[1], OPUS_TAGS);
        assert_eq!(read[2..], packets);
        assert_eq!(position, 122 * 960);
    }

    #[test]
    fn a_packet_tells_its_duration() {
        for (packet, samples) in [
            (&[0x00][..], 480),
            (&[0x18], 2880),
            (&[0x60], 480),
            (&[0x68], 960),
            (&[0x80], 120),
            (&[0xf8], 960),
            (&[0xf9], 1920),
            (&[0xfb, 3], 2880),
        ] {
            assert_eq!(duration(packet), Ok(samples), "{packet:?}");
        }
        assert_eq!(duration(&[0xfb]), Err(Malformed));
    }

    #[test]
    fn a_checksum_is_that_of_rfc_3533() {
        assert_eq!(checksum(b"123456789"), 0x89a1_897f);
    }

    #[test]
    fn other_files_are_refused() {
        assert_eq!(ogg_of_webm(b""), Err(OtherCodec));
        assert_eq!(ogg_of_webm(&webm(&[])), Err(Empty));
        assert_eq!(ogg_of_webm(b"OggS\0\0\0"), Err(Malformed));
        let vorbis = webm(&[&[0xf8]])
            .iter()
            .map(|it| if *it == b'O' { b'V' } else { *it })
            .collect::<Vec<_>>();
        assert_eq!(ogg_of_webm(&vorbis), Err(OtherCodec));
        let long = [vec![0xf8], vec![0; 70_000]].concat();
        assert_eq!(ogg_of_webm(&webm(&[&long])), Err(Malformed));
    }

    proptest! {
        #[test]
        fn whatever_arrives_is_converted_or_refused(bytes: Vec<u8>, cut in 0_usize..400) {
            let _ = ogg_of_webm(&bytes);
            let whole = webm(&[&[0xf8, 1, 2], &[0xf8, 3]]);
            let _ = ogg_of_webm(&whole[..cut.min(whole.len())]);
            let mut changed = whole;
            for (place, byte) in bytes.iter().enumerate() {
                if let Some(it) = changed.get_mut(place * 3) { *it ^= byte; }
            }
            let _ = ogg_of_webm(&changed);
        }
    }
}
