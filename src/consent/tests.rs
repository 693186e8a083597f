//! Codes: that they are read back, that nobody meets one twice, that no part of their input is left out.

use super::*;

/// Numbers without a pattern, the same in every run.
fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// A digest of which the first bytes are a number; the others do not matter to who hashes it.
fn digest(number: u64) -> Digest {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Digest(bytes)
}

fn mint(nonce: &[u8], digest: &Digest) -> Code {
    Code::mint(nonce, digest).unwrap()
}

const MANY: u64 = 1_000_000;
const NONCE: &[u8] = b"3f0c6a9e5d1b48278c4e7f90a2b6d315";

/// The last digit of a number in one place of a nonce after another: as nonces of one host are, but for their entropy.
fn nonce(number: u64) -> [u8; 32] {
    let mut nonce = [0; 32];
    nonce.copy_from_slice(NONCE);
    nonce[..8].copy_from_slice(&number.to_be_bytes());
    nonce
}

#[track_caller]
fn assert_distinct(mut codes: Vec<u64>) {
    let all = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), all, "two of the codes are one");
}

/// Made by another implementation.
#[test]
fn a_code_is_the_head_of_sha_256_over_domain_nonce_and_digest() {
    let ascending: Vec<u8> = (0..16).collect();
    let cases: [(&[u8], &[u8], &str); 3] =
        [(b"n", b"", "VEK5C-EXY66"), (NONCE, b"drop a1", "J27HG-QDDWH"), (&ascending, b"\0", "PXK48-K9SVN")];
    for (nonce, asked, code) in cases {
        assert_eq!(mint(nonce, &Digest::of(asked)).to_string(), code);
    }
}

/// D3 of the predecessor: 16 bits, of which two were the same after 584 calls.
#[test]
fn a_million_calls_of_a_session_have_a_million_codes_and_their_digits_are_flat() {
    let codes: Vec<u64> = (0..MANY).map(|number| mint(NONCE, &digest(number)).0).collect();
    let mut counts = [[0_u32; 32]; 10];
    for code in &codes {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[((code >> (5 * place)) & 31) as usize] += 1;
        }
    }
    let expected = MANY as f64 / 32.0;
    for (place, counts) in counts.iter().enumerate() {
        let distance: f64 = counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
        // With 31 degrees of freedom one in a million flat samples is further from flat than 84; a digit that is
        // never drawn is 32,000 away.
        assert!(distance < 84.0, "place {place} is not flat: {distance}");
    }
    assert_distinct(codes);
}

#[test]
fn a_million_sessions_have_a_million_codes_for_one_call() {
    let asked = Digest::of(b"one call");
    assert_distinct((0..MANY).map(|number| mint(&nonce(number), &asked).0).collect());
}

/// D3 of the predecessor: the code of a call was the same in every session, so that whoever knew the call knew the code.
#[test]
fn without_the_nonce_a_call_tells_nothing_of_its_code() {
    let asked = Digest::of(b"drop a1");
    assert_ne!(mint(b"one session", &asked), mint(b"another session", &asked));
    for nonce in [&b""[..], Default::default()] {
        assert_eq!(Code::mint(nonce, &asked), None, "a code that anybody could make");
    }
    // Nor is it any digest that is known of the call.
    let guesses = [asked, Digest::of(&asked.0), Digest::of_parts(&[DOMAIN, &asked.0]), Digest::of_parts(&[NONCE])];
    let code = mint(NONCE, &asked);
    for guess in guesses {
        let head = u64::from_be_bytes(*guess.0.first_chunk::<8>().unwrap()) >> (u64::BITS - BITS);
        assert_ne!(Code(head), code);
    }
}

#[test]
fn each_bit_of_nonce_and_digest_changes_about_half_of_the_code() {
    let (mut next, mut flipped, mut pairs) = (numbers(1), 0, 0);
    for _ in 0..24 {
        let mut nonce = [0; 32];
        nonce.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&next().to_be_bytes()));
        let asked = Digest::of(&next().to_be_bytes());
        let code = mint(&nonce, &asked);
        for bit in 0..256 {
            let mut other_nonce = nonce;
            other_nonce[bit / 8] ^= 1 << (bit % 8);
            let mut other = asked;
            other.0[bit / 8] ^= 1 << (bit % 8);
            for changed in [mint(&other_nonce, &asked), mint(&nonce, &other)] {
                assert_ne!(changed, code, "bit {bit} does not matter");
                flipped += (changed.0 ^ code.0).count_ones();
                pairs += 1;
            }
        }
        assert_ne!(mint(&nonce[..31], &asked), code, "the last byte does not matter");
    }
    let share = f64::from(flipped) / f64::from(pairs * BITS);
    assert!((0.49..0.51).contains(&share), "{share}");
}

#[test]
fn what_stands_in_the_nonce_is_not_taken_for_the_digest() {
    let asked = Digest::of(b"one call");
    let joined = [NONCE, &asked.0[..1]].concat();
    let mut shifted = [0; 32];
    shifted[..31].copy_from_slice(&asked.0[1..]);
    assert_ne!(mint(&joined, &Digest(shifted)), mint(NONCE, &asked));
}

#[test]
fn a_code_is_read_back_from_what_is_shown() {
    let mut next = numbers(2);
    let edges = [0, 1, (1 << BITS) - 1, 1 << (BITS - 1)];
    for bits in edges.into_iter().chain((0..10_000).map(|_| next() >> (u64::BITS - BITS))) {
        let code = Code(bits);
        let shown = code.to_string();
        assert_eq!((shown.len(), shown.find('-')), (11, Some(5)), "{shown}");
        assert!(shown.bytes().all(|byte| byte == b'-' || DIGITS.contains(&byte)), "{shown}");
        assert_eq!(Code::read(&shown), Some(code), "{shown}");
    }
    assert_eq!(format!("{:?}", Code(7)), "Code(..)");
}

#[test]
fn a_code_is_read_as_people_write_it_and_nothing_else_is_one() {
    let code = Code::read("01ABC-DEF10").unwrap();
    assert_eq!(code.to_string(), "01ABC-DEF10");
    for text in [
        "01abc-def10",
        "01ABCDEF10",
        "01ABC DEF10",
        "01ABC - DEF10",
        "01ABC -DEF10",
        "01ABC- DEF10",
        "OIABC-DEFLO",
        "olabc-defio",
        "o1AbC dEfI0",
    ] {
        assert_eq!(Code::read(text), Some(code), "{text}");
    }
    for text in [
        "",
        "-",
        "01ABC",
        "01ABC-",
        "01ABC-DEF1",
        "01ABC-DEF100",
        "001ABC-DEF10",
        "01ABC--DEF10",
        "01ABC  DEF10",
        "01ABC\tDEF10",
        "01ABC\nDEF10",
        "01ABC_DEF10",
        "01ABC–DEF10",
        "01ABC\u{a0}DEF10",
        "01AB-CDEF10",
        "0-1ABCDEF10",
        "01ABC-DEFU0",
        "01ABC-DEF1\u{301}",
        "０1ABC-DEF10",
        "01ABC-DEF1О",
        "01ABC-DEF1\u{200b}",
        "01ABC-DEF10\0",
        " 01ABC-DEF10",
        "+1ABC-DEF10",
        "01ABC-DEF1é",
        "éééééé",
    ] {
        assert_eq!(Code::read(text), None, "{text:?}");
    }
}
