//! Every word of the language with what it means, for editors and documentation.

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A name at the start of a path.
    Root,
    /// Called with what it is about in parentheses.
    Function,
    /// Called behind what it is about.
    Method,
    /// A method whose first parts name variables.
    Macro,
}

/// A word of the language.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The word.
    pub name: &'static str,
    /// What it is.
    pub sort: Sort,
    /// How it is written.
    pub form: &'static str,
    /// What it means: one sentence.
    pub doc: &'static str,
    /// The members of a root that are known without a spec.
    pub members: &'static [&'static str],
}

const fn term(sort: Sort, name: &'static str, form: &'static str, doc: &'static str) -> Term {
    Term { name, sort, form, doc, members: &[] }
}

const fn root(name: &'static str, members: &'static [&'static str], doc: &'static str) -> Term {
    Term { name, sort: Sort::Root, form: name, doc, members }
}

const fn function(name: &'static str, form: &'static str, doc: &'static str) -> Term {
    term(Sort::Function, name, form, doc)
}

const fn method(name: &'static str, form: &'static str, doc: &'static str) -> Term {
    term(Sort::Method, name, form, doc)
}

const fn variables(name: &'static str, form: &'static str, doc: &'static str) -> Term {
    term(Sort::Macro, name, form, doc)
}

/// Every word, roots first.
pub static VOCABULARY: &[Term] = &[
    root("args", &[], "The arguments as the tool will get them."),
    root(
        "call",
        &["tool", "server", "effect", "cwd"],
        "The call itself: which tool, of which server, in which directory.",
    ),
    root("declared", &[], "What the model declared beside the arguments, under `preTool`."),
    root("input", &["attachments"], "What came in with the message, under `onInput`: kinds and sizes, never its text."),
    root("now", &[], "The time of the event; missing where the host has no clock."),
    root("params", &[], "The constants of spec and contract."),
    root("reply", &["text", "claims"], "What is about to be said, under `onReply`."),
    root("result", &[], "What the call came back with, under `postTool`."),
    root("session", &["id", "user", "roles", "attributes", "agent", "turn", "root"], "Who is speaking, and where."),
    root("world", &[], "The host's state."),
    function("has", "has(a.b)", "Whether the key is there, also if it is null."),
    function("done", "done('tool', {'id': args.id})", "Whether such a call has succeeded in this session."),
    function(
        "first",
        "first('tool', {'id': args.id})",
        "The first such call that succeeded: `args`, `result`, `turn`, `at`.",
    ),
    function(
        "last",
        "last('tool', {'id': args.id})",
        "The latest such call that succeeded: `args`, `result`, `turn`, `at`.",
    ),
    function(
        "count",
        "count('tool', {'id': args.id}, 'turn')",
        "How many such calls were allowed and are not known to have failed.",
    ),
    function(
        "saidByUser",
        "saidByUser(args.x)",
        "Whether the user typed this argument, as whole tokens, in this session.",
    ),
    function("size", "size(x)", "Characters of a text, elements of a list, members of a map."),
    function("type", "type(x)", "The type, to compare: `type(x) == string`."),
    function("string", "string(x)", "A scalar, a time or a span of time as a text."),
    function("int", "int(x)", "A number cut towards zero, a text of digits, or the seconds of a time since 1970."),
    function(
        "round",
        "round(x, places)",
        "Half away from zero; `round(a / b, places)` is the only place where fractions are divided.",
    ),
    function("timestamp", "timestamp(text)", "A time of RFC 3339; without a zone at `time.offset`."),
    function("duration", "duration(text)", "A span of time such as `1h30m` or `7d`."),
    variables(
        "all",
        "all(x, condition)",
        "Whether it holds for every element, or key; `all(i, x, condition)` with the index or key.",
    ),
    variables(
        "exists",
        "exists(x, condition)",
        "Whether it holds for some element, or key; `exists(i, x, condition)` with the index or key.",
    ),
    variables("exists_one", "exists_one(x, condition)", "Whether it holds for exactly one element, or key."),
    variables(
        "existsOne",
        "existsOne(i, x, condition)",
        "Whether it holds for exactly one element with its index, or value with its key.",
    ),
    variables("filter", "filter(x, condition)", "The elements, or keys, for which it holds."),
    variables(
        "map",
        "map(x, value)",
        "A list of a value for each element, or key; `map(x, condition, value)` where it holds.",
    ),
    variables(
        "transformList",
        "transformList(i, x, value)",
        "A list of a value for each element with its index, or value with its key.",
    ),
    method("orValue", "orValue(default)", "Ends a path with `.?` or `[?…]`: the default where it is absent or null."),
    method("size", "size()", "Characters of a text, elements of a list, members of a map."),
    method("sum", "sum()", "The sum of numbers; 0 of an empty list."),
    method("min", "min()", "The least element; missing for an empty list."),
    method("max", "max()", "The greatest element; missing for an empty list."),
    method("distinct", "distinct()", "The first of each of the equal elements."),
    method("join", "join(between)", "The texts of a list as one text."),
    method("startsWith", "startsWith(text)", "Whether a text begins so."),
    method("endsWith", "endsWith(text)", "Whether a text ends so."),
    method("contains", "contains(text)", "Whether a text has this in it."),
    method("matches", "matches(pattern)", "Searches a constant pattern in a text; `^…$` asks for all of it."),
    method("substring", "substring(from, to)", "A part of a text by characters, from 0."),
    method("split", "split(between)", "A list of the texts between."),
    method("lowerAscii", "lowerAscii()", "`A` to `Z` in lower case."),
    method("getFullYear", "getFullYear()", "The year of a time."),
    method("getMonth", "getMonth()", "The month of a time, from 0."),
    method("getDate", "getDate()", "The day of the month, from 1."),
    method("getDayOfMonth", "getDayOfMonth()", "The day of the month, from 0."),
    method("getDayOfWeek", "getDayOfWeek()", "The day of the week, from Sunday, which is 0."),
    method("getDayOfYear", "getDayOfYear()", "The day of the year, from 0."),
    method("getHours", "getHours()", "The hours of a time or a span."),
    method("getMinutes", "getMinutes()", "The minutes of a time or a span."),
    method("getSeconds", "getSeconds()", "The seconds of a time or a span."),
    method("getMilliseconds", "getMilliseconds()", "The milliseconds of a time or a span."),
];

#[cfg(test)]
mod tests {
    use super::super::calls::SPECIAL;
    use super::super::functions::FUNCTIONS;
    use super::super::names::ROOTS;
    use super::super::parse::MACROS;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_vocabulary_has_every_word_of_the_language_and_no_other() {
        let functions = FUNCTIONS
            .iter()
            .map(|function| (if function.is_method { Sort::Method } else { Sort::Function }, function.name));
        let macros = MACROS.iter().map(|(name, _)| (Sort::Macro, *name));
        let special = SPECIAL.iter().map(|name| (Sort::Function, *name));
        let roots = ROOTS.iter().map(|name| (Sort::Root, *name));
        let known = functions.chain(macros).chain(special).chain(roots).chain([(Sort::Method, "orValue")]);
        let told: BTreeSet<(Sort, &str)> = VOCABULARY.iter().map(|term| (term.sort, term.name)).collect();
        assert_eq!(told, known.collect());
        assert_eq!(told.len(), VOCABULARY.len());
        for term in VOCABULARY {
            assert!(term.form.starts_with(term.name) && term.doc.ends_with('.'), "{}", term.name);
        }
    }
}
