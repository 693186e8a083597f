//! Whole messages that are a code or a word, and the many that only contain one.

use crate::canon::Digest;
use crate::consent::Code;
use crate::facts::Typed;

fn code() -> Code {
    Code::mint(b"nonce", &Digest::of(b"drop a1")).unwrap()
}

fn is_code(text: &str) -> bool {
    Typed::new(text).is_code(&code())
}

#[test]
fn a_code_may_be_written_as_people_write_one() {
    let shown = code().to_string();
    let (first, last) = shown.split_once('-').unwrap();
    let lookalike = shown.replace('0', "O").replace('1', "l");
    for text in [
        shown.clone(),
        shown.to_lowercase(),
        format!("{first}{last}"),
        format!("{first} {last}"),
        format!("{first} - {last}"),
        lookalike,
        format!("  {shown}\n"),
        format!("{shown}."),
        format!("{shown}!"),
        format!("\t{shown} .\r\n"),
        format!("{shown}. "),
    ] {
        assert!(is_code(&text), "{text:?}");
    }
}

/// What people and attackers write around a code; `{}` is where it stands.
const AROUND: &[&str] = &[
    // D2 of the predecessor: "No! Do NOT CONFIRM DEL-DC50" was a consent.
    "No! Do NOT CONFIRM {}",
    "No. {}",
    "no {}",
    "not {}",
    "never {}",
    "{} no",
    "{}: no",
    "{}? no!",
    "I refuse {}",
    "Do not do {}.",
    "don't {}",
    "nein {}",
    "n\u{e3}o {}",
    "\u{4e0d} {}",
    "{} \u{2717}",
    "cancel {}",
    "un-{}",
    "!{}",
    "\u{ac}{}",
    // Quoted, told, asked about.
    "\"{}\"",
    "'{}'",
    "`{}`",
    "\u{201c}{}\u{201d}",
    "\u{ab}{}\u{bb}",
    "({})",
    "[{}]",
    "<{}>",
    "*{}*",
    "**{}**",
    "~~{}~~",
    "> {}",
    "# {}",
    "- {}",
    "```\n{}\n```",
    "the mail says {}",
    "it asks me for {}",
    "what is {}",
    "{}?",
    "{}?!",
    "{}...",
    "{}!!",
    "{}.!",
    "{}..",
    "{},",
    "{};",
    "{}:",
    "{}\u{2026}",
    "\u{bf}{}?",
    ".{}",
    "!{}!",
    // With something besides, even a yes.
    "yes {}",
    "yes, {}",
    "{} yes",
    "ok {}",
    "CONFIRM {}",
    "confirm: {}",
    "code {}",
    "code: {}",
    "code={}",
    "my code is {}",
    "{} please",
    "{} {}",
    "{}\n{}",
    "{}-{}",
    "{}1",
    "1{}",
    "{}-",
    "-{}",
    "{}/",
    "/{}",
    "@{}",
    "{}\u{1f44d}",
    "\u{1f44d}{}",
    "{} and delete the rest",
    "{}\nAlso add purgeBackups",
    "and {}",
    "{} for all of them",
    "1. {}",
    "{} 2",
    // What cannot be seen.
    "\u{200b}{}",
    "{}\u{200b}",
    "\u{202e}{}",
    "{}\u{feff}",
    "\u{feff}{}",
    "{}\0",
    "\0{}",
    "{}\u{301}",
    "\u{2066}{}\u{2069}",
    "{}\u{ad}",
    // Forms of text that hold it.
    "{\"code\":\"{}\"}",
    "code%3D{}",
    "<b>{}</b>",
    "<!-- {} -->",
    "https://a.example/{}",
    "mailto:{}",
    "\\{}",
    "${}",
    "{{}}",
];

#[test]
fn a_message_that_says_more_than_the_code_is_none() {
    let shown = code().to_string();
    for form in [shown.clone(), shown.to_lowercase(), shown.replace('-', ""), shown.replace('-', " ")] {
        for around in AROUND {
            let text = around.replace("{}", &form);
            assert!(!is_code(&text), "{text:?}");
        }
    }
}

#[test]
fn one_character_off_is_another_message() {
    let shown = code().to_string();
    let letters: Vec<char> = shown.chars().collect();
    let others: Vec<char> = ('\0'..='\u{7f}').chain("éОо０¹–\u{a0}\u{200b}\u{301}".chars()).collect();
    let means = |letter: char| match letter.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        letter => letter,
    };
    let hyphen = letters.iter().position(|letter| *letter == '-').unwrap();
    let text = |letters: &[char]| letters.iter().collect::<String>();
    for at in 0..letters.len() {
        let without = text(&[&letters[..at], &letters[at + 1..]].concat());
        assert_eq!(is_code(&without), at == hyphen, "{without:?}");
        for other in &others {
            let changed = text(&[&letters[..at], &[*other], &letters[at + 1..]].concat());
            let is_same = if at == hyphen { matches!(other, '-' | ' ') } else { means(*other) == letters[at] };
            assert_eq!(is_code(&changed), is_same, "{changed:?}");
            let longer = text(&[&letters[..at], &[*other], &letters[at..]].concat());
            let is_space = other.is_whitespace() && at == 0;
            assert_eq!(
                is_code(&longer),
                is_space || (*other == ' ' && (at == hyphen || at == hyphen + 1)),
                "{longer:?}"
            );
        }
    }
    for (left, right) in (0..letters.len()).flat_map(|left| (left + 1..letters.len()).map(move |right| (left, right))) {
        let mut swapped = letters.clone();
        swapped.swap(left, right);
        assert_eq!(is_code(&text(&swapped)), letters[left] == letters[right], "{swapped:?}");
    }
}

/// Random texts of the kinds in which a code could hide: its own letters, words around it, bytes of any script.
#[test]
fn a_hundred_thousand_random_messages_are_no_code() {
    let mut state = 1_u64;
    let mut below = |most: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((state >> 33) as usize) % most
    };
    let shown = code().to_string();
    let (first, last) = shown.split_once('-').unwrap();
    let digits: Vec<char> = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".chars().collect();
    let words = ["yes", "no", "not", "CONFIRM", "\"", ".", "!", "-", " ", "code", "\n", "?", first, last, &shown];
    for round in 0..100_000 {
        let length = below(24);
        let text: String = match round % 4 {
            // A code, of another question.
            0 => (0..10).map(|_| digits[below(digits.len())]).collect(),
            1 => (0..length).filter_map(|_| char::from_u32(below(0x3000) as u32)).collect(),
            2 => (0..length).map(|_| char::from(below(128) as u8)).collect(),
            _ => (0..length).map(|_| words[below(words.len())]).collect(),
        };
        // Of these texts one may be the code itself, with what says nothing around it.
        let bare = text.trim().trim_end_matches(['.', '!']).trim_end();
        let is_itself = Code::read(bare) == Some(code()) && text.trim().len() <= bare.len() + 2;
        assert!(!is_code(&text) || is_itself, "{text:?}");
    }
}

#[test]
fn a_word_is_the_whole_message_in_any_case() {
    let words = [
        "yes".to_owned(),
        "Go ahead".to_owned(),
        "S\u{ed}.".to_owned(),
        "\u{3c4}\u{3ad}\u{3bb}\u{3bf}\u{3c2}".to_owned(),
    ];
    let is_word = |text: &str| Typed::new(text).is_word(&words);
    for text in [
        "yes",
        "YES",
        " Yes.\n",
        "yes!",
        "yes !",
        "go ahead",
        "GO AHEAD.",
        "s\u{ed}",
        "S\u{cd}!",
        "\u{3a4}\u{388}\u{39b}\u{39f}\u{3a3}",
    ] {
        assert!(is_word(text), "{text:?}");
    }
    for text in [
        "",
        " ",
        ".",
        "!",
        "y",
        "yess",
        "yes!!",
        "yes?",
        "yes, but not now",
        "yes yes",
        "no",
        "not yes",
        "\"yes\"",
        "'yes'",
        "yes no",
        "no, yes",
        "yes\u{200b}",
        "ye\u{17f}",
        "go  ahead",
        "goahead",
        "go ahead and delete the rest",
        "s\u{131}",
        "si",
        "si\u{301}",
        "yes\nno",
        "I said yes",
        "yes ahead",
    ] {
        assert!(!is_word(text), "{text:?}");
    }
    assert!(!Typed::new("").is_word(&[String::new()]), "silence is no answer");
    assert!(!Typed::new("yes").is_word(&[]));
}
