//! Dialects: the built-in ones, and the errors of a user's own file.

use tagstream::dialect::{Arguments, Repair};
use tagstream::dialect::{built_in, find, parse};
use tagstream::{CallSettings, CodeStyle, Profile};

#[test]
fn a_built_in_dialect_is_found_by_its_name() {
    for built_in in built_in() {
        assert_eq!(find(built_in.name()), Some(built_in));
    }
    assert_eq!(find("nothing"), None);
}

#[test]
fn a_file_says_all_of_a_dialect() {
    let text = "
        name = 'mine'
        repairs = ['stray_closer']
        [wrapper]
        open = ['<calls>']
        close = ['</calls>']
        [call]
        open = ['<call {name}>']
        [arguments]
        style = 'pairs'
        key = ['<k>', '</k>']
        value = ['<v>', '</v>']";
    let mine = parse(text).unwrap();
    assert_eq!(mine.name, "mine");
    assert_eq!(mine.repairs, [Repair::StrayCloser]);
    assert_eq!(mine.wrapper.unwrap().close, ["</calls>"]);
    assert!(matches!(mine.arguments, Arguments::Pairs { .. }));
}

#[test]
fn a_mistake_is_reported_with_key_line_and_what_is_allowed() {
    for (text, message) in [
        (
            "name = 'x'\nwraper = 1",
            "line 2: `wraper`: unknown key `wraper` (did you mean `wrapper`?); allowed: `name`, `about`, `brackets`, `plain`, `entities`, `wrapper`, `call`, `arguments`, `repairs`",
        ),
        ("name = 'x'", "line 1: missing key `arguments`"),
        (
            "name = 'x'\n[arguments]\nstyle = 'yaml'",
            "line 3: `arguments.style`: unknown value `yaml`; allowed: `elements`, `pairs`, `json`, `envelope`, `python`, `keyed`",
        ),
        (
            "name = 'x'\n[arguments]\nstyle = 'pairs'\nkey = ['a', 'b']\nvalue = ['c', 'd']\nopn = 1",
            "line 6: `arguments.opn`: unknown key `opn`; allowed: `key`, `value`, `layout`",
        ),
        (
            "name = 'x'\n[arguments]\nstyle = 'elements'\nopen = ['a']",
            "line 2: `arguments`: missing key `close`",
        ),
        (
            "name = 'x'\nrepairs = ['all']\n[arguments]\nstyle = 'json'",
            "line 2: `repairs[0]`: unknown value `all`; allowed: `missing_value_closer`, `missing_value_opener`, `missing_key_closer`, `missing_call_closer`, `stray_closer`",
        ),
        (
            "name = 'x'\n[wrapper]\nopen = '<a>'\n[arguments]\nstyle = 'json'",
            "line 3: `wrapper.open`: wrong type: string \"<a>\"; allowed: a list",
        ),
        (
            "name = 'x'\nbrackets = ['<<', '>>']\n[arguments]\nstyle = 'json'",
            "line 2: `brackets`: wrong length 2; allowed: a list of 3 strings",
        ),
        (
            "name = 'x'\nbrackets = ['<<', '', '>>']\n[call]\nopen = ['<<f {name}>>']\n[arguments]\nstyle = 'json'",
            "line 2: `brackets[1]`: wrong value \"\"; allowed: 1 to 64 bytes without white space",
        ),
        (
            "name = 'x'\n[call]\nopen = ['<f {name}>']\n[arguments]\nstyle = 'elements'\nopen = ['<a x=\"{argument}\">']\nclose = ['</a>']\ntype_attribute = 1",
            "line 8: `arguments.type_attribute`: wrong type: integer `1`; allowed: a string",
        ),
        (
            "name = 'x'\n[call]\nopen = ['call:{name}']\n[arguments]\nstyle = 'json'\nquote = ' '",
            "line 6: `arguments.quote`: wrong value \" \"; allowed: 1 to 64 bytes without white space",
        ),
        (
            "name = 'x'\n[arguments]\nstyle = 'json'\nqoute = 1",
            "line 4: `arguments.qoute`: unknown key `qoute`; allowed: `quote`, `bare_keys`",
        ),
        (
            "name = 'x'\n[arguments]\nstyle = 'json'\nbare_keys = 'yes'",
            "line 4: `arguments.bare_keys`: wrong type: string \"yes\"; allowed: true or false",
        ),
        (
            "name = 'x'\n[call]\nopen = ['call {name} {id}']\n[arguments]\nstyle = 'json'",
            "line 3: `call.open[0]`: \"call {name} {id}\" does not say where the id ends; allowed: {id} between two literals",
        ),
        (
            "name = 'x'\n[wrapper]\nopen = ['{skip}<tool>']\n[arguments]\nstyle = 'keyed'",
            "line 3: `wrapper.open[0]`: wrong value \"{skip}<tool>\"; allowed: {skip} between two literals",
        ),
        (
            "name = 'x'\n[call]\nopen = ['<a>{name}', '']\n[arguments]\nstyle = 'json'",
            "line 3: `call.open[1]`: an opener or closer may not be empty",
        ),
        (
            "name = 'x'\n[wrapper]\nopen = ['<a>']\nclose = [\n'{</a>,}']\n[arguments]\nstyle = 'keyed'",
            "line 5: `wrapper.close[0]`: an opener or closer may not be empty",
        ),
        (
            "name = 'x'\n[call]\nopen = ['<a>{name}']\n[arguments]\nstyle = 'pairs'\nkey = ['<k>', '</k>']\nvalue = ['<v>', '']",
            "line 7: `arguments.value[1]`: an opener or closer may not be empty",
        ),
        (
            "name = 'x'\n[call]\nopen = ['<a>{name}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}']\n[arguments]\nstyle = 'json'",
            "line 3: `call.open[0]`: 512 spellings are too many; allowed: 256",
        ),
        (
            "name = 'x'\n[arguments]\nopen = 'a'\nclose = ['b']\nstyle = 'elements'",
            "line 3: `arguments.open`: wrong type: string \"a\"; allowed: a list",
        ),
        (
            "{\"name\": \"x\",\n\"arguments\": {\"style\": \"json\",\n\"quote\": []}}",
            "line 3: `arguments.quote`: wrong type: sequence; allowed: a string",
        ),
        (
            "\nname = 'auto'\n[arguments]\nstyle = 'json'",
            "line 2: `name`: wrong value; allowed: a name of its own",
        ),
        (
            "{\"name\": \"x\",\n\"arguments\": 5}",
            "line 2: `arguments`: wrong type: integer `5`; allowed: a table",
        ),
    ] {
        let reported = parse(text).unwrap_err().to_string();
        assert_eq!(reported, message, "{text}");
    }
}

#[test]
fn an_opener_that_code_comes_before_is_an_error_where_there_is_code() {
    let file = |part: &str| {
        let text = format!("name = 'mine'\n{part}\n[arguments]\nstyle = 'json'");
        parse(&text).unwrap()
    };
    let reported = |part: &str, code: CodeStyle| {
        let calls = CallSettings::dialects([file(part)]);
        let compiled = Profile::new().code(code).calls(calls).compile();
        compiled.map(drop).map_err(|error| error.to_string())
    };
    let fenced = "[call]\nopen = ['<a>{name}', '```tool {name}']";
    let message = "`calls.dialects[0].call.open[1]`: the opener \"```tool {name}\" of the dialect \
                   `mine` can never match, because code has precedence; start it with another \
                   character, or set `code = \"none\"`";
    assert_eq!(reported(fenced, CodeStyle::Markdown).unwrap_err(), message);
    assert_eq!(reported(fenced, CodeStyle::None), Ok(()));
    // In its wrapper it counts.
    let wrapped = format!("[wrapper]\nopen = ['<calls>']\n{fenced}");
    assert_eq!(reported(&wrapped, CodeStyle::Markdown), Ok(()));
    let wrapper = "[wrapper]\nopen = ['{x,~~~}']\n[call]\nopen = ['<a>{name}']";
    let error = reported(wrapper, CodeStyle::Markdown).unwrap_err();
    assert!(
        error.starts_with("`calls.dialects[0].wrapper.open[0]`"),
        "{error}"
    );
}

#[test]
fn a_choice_in_a_pattern_stands_for_each_of_its_spellings() {
    let text = "
        name = 'mine'
        [call]
        open = ['{<a>,<b>}{name}']
        [arguments]
        style = 'json'";
    let policy = Profile::new().calls(CallSettings::dialects([parse(text).unwrap()]));
    let policy = policy.compile().unwrap();
    for (message, calls) in [
        ("<a>f{}", 1),
        ("<B >f{}", 1),
        ("<c>f{}", 0),
        ("{<a>,<b>}f{}", 0),
    ] {
        let mut seen = 0;
        let mut sink = |event: tagstream::Event<'_>| {
            seen += i32::from(matches!(event.kind, tagstream::EventKind::CallEnd { .. }));
        };
        let mut engine = tagstream::Engine::new(&policy);
        engine.push(message, &mut sink);
        engine.finish(&mut sink);
        assert_eq!(seen, calls, "{message}");
    }
}
