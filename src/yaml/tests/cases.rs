//! The cases of the reader as data: what is refused, and the harmless twins.

/// Every refusal and warning, as an author sees it.
pub(super) const REFUSED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "f:1:1: error: the file is empty [empty-file]; begin with `agentspec: 1`, `contract: 1`, `pack: 1` or `scenario: 1`",
        ],
    ),
    (
        "# only a comment\n",
        &[
            "f:1:1: error: the file is empty [empty-file]; begin with `agentspec: 1`, `contract: 1`, `pack: 1` or `scenario: 1`",
        ],
    ),
    (
        "---\n",
        &[
            "f:1:1: error: the file is empty [empty-file]; begin with `agentspec: 1`, `contract: 1`, `pack: 1` or `scenario: 1`",
        ],
    ),
    (
        "a: no\n",
        &[
            "f:1:4: warning: `no` is a text here, but other YAML readers take it for false [ambiguous-scalar]; quote it: `'no'`",
        ],
    ),
    (
        "a: [Off, y, tRUE]\n",
        &[
            "f:1:5: warning: `Off` is a text here, but other YAML readers take it for false [ambiguous-scalar]; quote it: `'Off'`",
            "f:1:10: warning: `y` is a text here, but other YAML readers take it for true [ambiguous-scalar]; quote it: `'y'`",
            "f:1:13: warning: `tRUE` is a text here, but other YAML readers take it for true [ambiguous-scalar]; quote it: `'tRUE'`",
        ],
    ),
    (
        "a: [012, 1_000, 12:30, 2031-03-04, -0x1F, 0b11]\n",
        &[
            "f:1:5: warning: `012` is a text here, but other YAML readers take it for a number in base 8 [ambiguous-scalar]; quote it: `'012'`",
            "f:1:10: warning: `1_000` is a text here, but other YAML readers take it for a number [ambiguous-scalar]; quote it: `'1_000'`",
            "f:1:17: warning: `12:30` is a text here, but other YAML readers take it for a number in base 60 [ambiguous-scalar]; quote it: `'12:30'`",
            "f:1:24: warning: `2031-03-04` is a text here, but other YAML readers take it for a date [ambiguous-scalar]; quote it: `'2031-03-04'`",
            "f:1:36: warning: `-0x1F` is a text here, but other YAML readers take it for a number [ambiguous-scalar]; quote it: `'-0x1F'`",
            "f:1:43: warning: `0b11` is a text here, but other YAML readers take it for a number [ambiguous-scalar]; quote it: `'0b11'`",
        ],
    ),
    (
        "on: 1\n",
        &[
            "f:1:1: warning: `on` is a text here, but other YAML readers take it for true [ambiguous-scalar]; quote it: `'on'`",
        ],
    ),
    (
        "a: .inf\nb: [.nan, -.INF]\n",
        &[
            "f:1:4: error: `.inf` is not an exact number [inexact-number]; write a decimal number, leave a limit out for unlimited, or quote a text",
            "f:2:5: error: `.nan` is not an exact number [inexact-number]; write a decimal number, leave a limit out for unlimited, or quote a text",
            "f:2:11: error: `-.INF` is not an exact number [inexact-number]; write a decimal number, leave a limit out for unlimited, or quote a text",
        ],
    ),
    (
        "a: 0xffffffffffffffffffffffffffffffffff\n",
        &[
            "f:1:4: error: `0xffffffffffffffffffffffffffffffffff` is not an exact number [inexact-number]; write a decimal number, leave a limit out for unlimited, or quote a text",
        ],
    ),
    (
        "1: 2\ntrue: 3\n~: 4\n",
        &[
            "f:1:1: error: the key `1` is not a text [non-text-key]; quote it: `'1'`",
            "f:2:1: error: the key `true` is not a text [non-text-key]; quote it: `'true'`",
            "f:3:1: error: the key `~` is not a text [non-text-key]; quote it: `'~'`",
        ],
    ),
    (
        "? [a]\n: b\n",
        &[
            "f:1:3: error: a key is a list or a map, not a text [non-text-key]; use a text as the key; a text that starts with `[` or `{` needs quotes",
        ],
    ),
    (
        "{[a]: b}\n",
        &[
            "f:1:2: error: a key is a list or a map, not a text [non-text-key]; use a text as the key; a text that starts with `[` or `{` needs quotes",
        ],
    ),
    (": x\n", &["f:1:1: error: the key is missing [non-text-key]; write a key before the `:`"]),
    ("<<: a\n", &["f:1:1: error: `<<` merges maps, which is not done here [merge-key]; write the keys out"]),
    (
        "a: {b: 1, b: 2}\nc:\n  - d: 1\n    e: 2\n    \"d\": 3\n    d: 4\n",
        &[
            "f:1:11: error: the key `b` is set twice [duplicate-key]; keep one of them",
            "f:5:5: error: the key `d` is set twice [duplicate-key]; keep one of them",
            "f:6:5: error: the key `d` is set twice [duplicate-key]; keep one of them",
        ],
    ),
    (
        "a: b # c\n",
        &[
            "f:1:6: error: the text ends here: a `#` behind a space begins a comment [one-space-comment]; put two spaces before a comment, or quote the text: `'b # c'`",
        ],
    ),
    (
        "a: b #c\n  d\n",
        &[
            "f:1:6: error: the text ends here: a `#` behind a space begins a comment [one-space-comment]; put two spaces before a comment, or quote the text: `'b #c'`",
        ],
    ),
    (
        "a: [b #c\n  ]\n",
        &[
            "f:1:7: error: the text ends here: a `#` behind a space begins a comment [one-space-comment]; put two spaces before a comment, or quote the text: `'b #c'`",
        ],
    ),
    (
        "check: !flown\nb: no\n",
        &[
            "f:1:8: error: `!flown` is a YAML tag, and tags are not used here [yaml-tag]; if this is one text, quote it: `'!flown'`",
            "f:2:4: warning: `no` is a text here, but other YAML readers take it for false [ambiguous-scalar]; quote it: `'no'`",
        ],
    ),
    (
        "check: !a.b && c  # z\n",
        &[
            "f:1:8: error: `!a.b` is a YAML tag, and tags are not used here [yaml-tag]; if this is one text, quote it: `'!a.b && c'`",
        ],
    ),
    (
        "check: !x[0] || z\n",
        &["f:1:8: error: an unquoted `!` begins a YAML tag [yaml-tag]; if this is one text, quote it: `'!x[0] || z'`"],
    ),
    (
        "- [!x y, z]\n",
        &[
            "f:1:4: error: `!x` is a YAML tag, and tags are not used here [yaml-tag]; if this is one text, quote it: `'!x y'`",
        ],
    ),
    (
        "!x a: b\n",
        &[
            "f:1:1: error: `!x` is a YAML tag, and tags are not used here [yaml-tag]; if this belongs to the key, quote the key; if not, remove it",
        ],
    ),
    (
        "a: !x\n  b: c\n",
        &[
            "f:1:4: error: `!x` is a YAML tag, and tags are not used here [yaml-tag]; remove it; a text that starts with `!` needs quotes",
        ],
    ),
    (
        "a: !!str 5\n",
        &[
            "f:1:4: error: `!!str` is a YAML tag, and tags are not used here [yaml-tag]; remove it; a text that starts with `!` needs quotes",
        ],
    ),
    (
        "a: *\n",
        &["f:1:4: error: an unquoted `*` begins a YAML alias [yaml-alias]; if this is one text, quote it: `'*'`"],
    ),
    (
        "a: [*]\n",
        &["f:1:5: error: an unquoted `*` begins a YAML alias [yaml-alias]; if this is one text, quote it: `'*'`"],
    ),
    (
        "a: *.txt\n",
        &[
            "f:1:4: error: `*.txt` is a YAML alias, and aliases are not used here [yaml-alias]; if this is one text, quote it: `'*.txt'`",
        ],
    ),
    (
        "*x : b\n",
        &[
            "f:1:1: error: `*x` is a YAML alias, and aliases are not used here [yaml-alias]; if this belongs to the key, quote the key; if not, remove it",
        ],
    ),
    (
        "a: &b c\nd: *b\n",
        &[
            "f:1:4: error: `&b` is a YAML anchor, and anchors are not used here [yaml-anchor]; write the value out wherever it is needed; a text that starts with `&` needs quotes",
            "f:2:4: error: `*b` is a YAML alias, and aliases are not used here [yaml-alias]; write the value out instead",
        ],
    ),
    (
        "a: &b\n  c: d\n",
        &[
            "f:1:4: error: `&b` is a YAML anchor, and anchors are not used here [yaml-anchor]; write the value out wherever it is needed; a text that starts with `&` needs quotes",
        ],
    ),
    (
        "a: &\n",
        &["f:1:4: error: an unquoted `&` begins a YAML anchor [yaml-anchor]; if this is one text, quote it: `'&'`"],
    ),
    (
        "a: {args.id} is gone\nb: !c\n",
        &[
            "f:1:4: error: an unquoted `{` begins a map, and this one has a key without a value [unquoted-brace]; if this is one text, quote it: `'{args.id} is gone'`",
        ],
    ),
    (
        "a: {b}\n",
        &[
            "f:1:4: error: an unquoted `{` begins a map, and this one has a key without a value [unquoted-brace]; if this is one text, quote it: `'{b}'`",
        ],
    ),
    (
        "a: [args.id] is gone\n",
        &[
            "f:1:14: error: the text goes on behind a closing bracket [yaml-syntax]; if this is one text, quote it: `'[args.id] is gone'`",
        ],
    ),
    (
        "a: {{x}}\n",
        &[
            "f:1:4: error: an unquoted `{` begins a map, and this one has a key without a value [unquoted-brace]; if this is one text, quote it: `'{{x}}'`",
        ],
    ),
    (
        "a: {b, c: d}\n",
        &[
            "f:1:4: error: an unquoted `{` begins a map, and this one has a key without a value [unquoted-brace]; write `key: value`, or quote the text",
        ],
    ),
    (
        "a: [{b}, c]\n",
        &[
            "f:1:5: error: an unquoted `{` begins a map, and this one has a key without a value [unquoted-brace]; if this is one text, quote it: `'{b}'`",
        ],
    ),
    (
        "{\n  a}\n",
        &[
            "f:1:1: error: an unquoted `{` begins a map, and this one has a key without a value [unquoted-brace]; write `key: value`, or quote the text",
        ],
    ),
    (
        "{id: a, prose: hello, world, again, b: c}\n",
        &[
            "f:1:23: error: the comma ends the value of `prose`, so `world` is a key without a value [comma-splits-text]; if this is one text, quote it: `'hello, world, again'`",
        ],
    ),
    (
        "{id: 'a', b}\n",
        &[
            "f:1:11: error: the comma ends the value of `id`, so `b` is a key without a value [comma-splits-text]; give it a value, or quote the text",
        ],
    ),
    (
        "{a: , b}\n",
        &[
            "f:1:7: error: the comma ends the value of `a`, so `b` is a key without a value [comma-splits-text]; give it a value, or quote the text",
        ],
    ),
    (
        "{a: b, c\n}\n",
        &[
            "f:1:8: error: the comma ends the value of `a`, so `c` is a key without a value [comma-splits-text]; if this is one text, quote it: `'b, c'`",
        ],
    ),
    (
        "t: a: b\n",
        &["f:1:5: error: a `: ` inside an unquoted text [colon-in-text]; if this is one text, quote it: `'a: b'`"],
    ),
    (
        "{t: a: b, c: d}\n",
        &["f:1:6: error: a `: ` inside an unquoted text [colon-in-text]; if this is one text, quote it: `'a: b'`"],
    ),
    (
        "a: b\n c: d\n",
        &[
            "f:2:3: error: a `: ` inside an unquoted text [colon-in-text]; if a key begins here, indent it like the keys above; if not, quote the whole text",
        ],
    ),
    (
        "a: 'x' in b\n",
        &[
            "f:1:8: error: the text goes on behind its closing quote [yaml-syntax]; if this is one text, quote it: `'''x'' in b'`",
        ],
    ),
    (
        "- 'x'\n- [b, 'x' c]\n",
        &[
            "f:2:11: error: the text goes on behind its closing quote [yaml-syntax]; write the inner quotes as `''`, or put the text in double quotes",
        ],
    ),
    (
        "a: \"b == \"x\"\"\n",
        &[
            "f:1:11: error: the text goes on behind its closing quote [yaml-syntax]; write the inner quotes as `'`, or put the text in single quotes",
        ],
    ),
    (
        "a: @x\n",
        &[
            "f:1:4: error: an unquoted text cannot begin with this character [yaml-syntax]; if this is one text, quote it: `'@x'`",
        ],
    ),
    (
        "a: [`x`, b]\n",
        &[
            "f:1:5: error: an unquoted text cannot begin with this character [yaml-syntax]; if this is one text, quote it: `'`x`'`",
        ],
    ),
    (
        "a: - b\n",
        &[
            "f:1:4: error: an unquoted text cannot begin with this character [yaml-syntax]; if this is one text, quote it: `'- b'`",
        ],
    ),
    ("\ta: b\n", &["f:1:2: error: a tab stands where only spaces may [yaml-syntax]; indent with spaces"]),
    ("a: b\n\tc: d\n", &["f:2:1: error: a tab stands where only spaces may [yaml-syntax]; indent with spaces"]),
    (
        "a: |\n  x\n z\n",
        &[
            "f:3:2: error: while parsing a block mapping, did not find expected key [yaml-syntax]; a key needs `: ` behind it and the indentation of its neighbours; a text that goes on stands deeper",
        ],
    ),
    ("a: 'x\n", &["f:1:4: error: this quote is never closed [yaml-syntax]; close it"]),
    (
        "a: \"\\d\"\n",
        &[
            "f:1:4: error: an escape that YAML does not know [yaml-syntax]; write `\\\\` for a backslash, or use single quotes, where it is an ordinary character",
        ],
    ),
    (
        "a: \u{7}\n",
        &[
            "f:1:4: error: the character U+0007 may not stand here [yaml-syntax]; remove it, or write it as an escape in double quotes",
        ],
    ),
    (
        "a: b\u{2028}c\n",
        &[
            "f:1:5: error: the character U+2028 may not stand here [yaml-syntax]; remove it, or write it as an escape in double quotes",
        ],
    ),
    (
        "a: b\u{2028}c\n",
        &[
            "f:1:5: error: the character U+2028 may not stand here [yaml-syntax]; remove it, or write it as an escape in double quotes",
        ],
    ),
    ("[a, b\n", &["f:1:1: error: this `[` is never closed [yaml-syntax]; close it"]),
    ("{a: b\n", &["f:1:1: error: this `{` is never closed [yaml-syntax]; close it"]),
    (
        "{a: b}}\n",
        &[
            "f:1:7: error: misplaced bracket [yaml-syntax]; mend the brackets, quotes or indentation here, or quote the text",
        ],
    ),
    (
        "- a\nb: c\n",
        &[
            "f:2:1: error: while parsing a block collection, did not find expected '-' indicator [yaml-syntax]; a key needs `: ` behind it and the indentation of its neighbours; a text that goes on stands deeper",
        ],
    ),
    (
        "a: b\nc\n",
        &[
            "f:2:1: error: simple key expected ':' [yaml-syntax]; a key needs `: ` behind it and the indentation of its neighbours; a text that goes on stands deeper",
        ],
    ),
    ("%YAML 1.1\n---\na\n", &["f:1:1: error: `%` lines are not used here [yaml-directive]; remove it"]),
    (
        "---\na\n---\nb\n",
        &[
            "f:3:1: error: a second document begins here [many-documents]; one file holds one document: move the second into a file of its own",
        ],
    ),
    (
        "\u{feff}é: 日 本: x\r\nb: c\r\n",
        &["f:1:7: error: a `: ` inside an unquoted text [colon-in-text]; if this is one text, quote it: `'日 本: x'`"],
    ),
    (
        "\u{feff}a: é\r\né é: no\r\n",
        &[
            "f:2:6: warning: `no` is a text here, but other YAML readers take it for false [ambiguous-scalar]; quote it: `'no'`",
        ],
    ),
];

/// The harmless twins of the above, and what must stay easy to write.
pub(super) const ACCEPTED: &[&str] = &[
    "a: 'no'\nb: [nope, office, yesterday, 'y', true, False, null]\n",
    "a: [12, 1.5, 500.00, .5, 5., +3, -0.25, 1e3, 1E-2, 0x1F, 0o17, 0, -0]\n",
    "a: ['012', 3.1.2, 10:99, 1-2, ORD-000123, 12h, 2031-03, 0x, 1e, ., -x, +x]\n",
    "'1': 2\n'true': 3\n'<<': 4\n",
    "a: {b: 1, c: {b: 1}}\nd: [{b: 1}, {b: 1}]\n",
    "a: b  # c\nd: 5 # e\nf: 'g' # h\n# i\nj: [k] # l\nm: issue#7\n",
    "check: '!flown'\nb: a != c\nc: wait!\n",
    "a: '*'\nb: [cancel_*, '*/*', a * b]\nc: this & that && more\n",
    "a: '{args.id} is gone'\nb: is {args.id} gone\nc: {d: , e: null}\n",
    "a: 'hello, world'\nb: hello, world\nc: {d: 'hello, world', e: [f, g]}\n",
    "a: 'b: c'\nd: e:f\ng: >-\n  h: i\n  j\nk: |\n  l: m\n  # n\n",
    "a: '''x'' in b'\nc: it's\nd: \"e\\n\\u00e9\"\nf: ''\n",
    "a: b\n  c\n  d\ne:\n\n  f\n",
    "a:\n- b\n- - c\n  - d\n- e: f\n  g: h\n-\n",
    "---\na: b\n...\n",
    "[a, {b: c}, [d: e]]\n",
    "? a\n: b\n",
    "just a text\n",
    "a: b\r\nc: >-\r\n  d\r\n  e\r\nf: [g,\r\n  h]\r\n",
    "\u{feff}a: é\nü: 日本\n",
    "enum: [\n  a,\n  b,\n]\n",
];
