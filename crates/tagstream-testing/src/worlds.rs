//! Small worlds for brute force: a profile, and the pieces that all short messages consist of.
//!
//! Names are one letter long, so that a few pieces reach far.

use crate::Rng;
use serde_json::{Value, json};
use tagstream::Profile;

pub struct World {
    pub name: &'static str,
    pub profile: Profile,
    pub pieces: &'static [&'static str],
    /// All messages of up to this many pieces are looked at.
    pub length: usize,
    /// Endings that settle what the last pieces left open, one way or the other.
    pub endings: &'static [&'static str],
    /// The engine may wait where it need not: a tag that is shown, in what may be a code span, is
    /// text either way, but what follows it is not.
    pub may_wait: bool,
}

/// Endings for what few messages leave open.
pub const FAR_ENDINGS: &[&str] = &[
    "x```",
    "x````",
    "x`````",
    "x``````",
    "x```````",
    "x````````",
    "x`````````",
    "x``````````",
    "x```````````",
    "x````````````",
    "x`````````````",
    "x``````````````",
    "x```````````````",
    "x``````````````````",
    "</c></c></c>",
    "</c></c></c></c>",
    "</c></c></c></c></c>",
    "</baa>",
    "</baaa>",
    "</baaaa>",
    "</bb>",
    "</ba></b>",
    "></baaa>",
    "=a></ba>",
    "=a></baa>",
    "=a></baaa>",
    "a=a></b>",
    "```````````",
    "></a>",
    "></aa>",
    "></aaa>",
    "></aaaa>",
    "a></aa>",
    "/c>",
    "/c></b>",
    "/b></c>",
    "a></aaa>",
    "</c></c></c></b>",
    "</b></b></b></c>",
    "></b></b></b>",
];

/// Closes what may be open: a tag, a section, a span.
const ENDINGS: &[&str] = &[
    "x", ">", "t>", "/t>", "`", "```", "`x\n\n", "\n", "</t>", "x</t>", "</t></t>", "`</t>",
];

fn world(
    name: &'static str,
    profile: Value,
    length: usize,
    pieces: &'static [&'static str],
) -> World {
    World {
        name,
        profile: serde_json::from_value(profile).expect("the profile is good"),
        pieces,
        length,
        endings: ENDINGS,
        may_wait: false,
    }
}

impl World {
    /// A message of this many random pieces.
    pub fn random(&self, rng: &mut Rng, length: usize) -> String {
        (0..length).map(|_| *rng.choose(self.pieces)).collect()
    }

    /// All messages of up to this many pieces.
    pub fn messages(&self, length: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut newest = 0;
        for _ in 0..length {
            let longer: Vec<String> = all[newest..]
                .iter()
                .flat_map(|message| {
                    self.pieces
                        .iter()
                        .map(move |piece| format!("{message}{piece}"))
                })
                .collect();
            newest = all.len();
            all.extend(longer);
        }
        all
    }

    /// Many continuations, the likely ones first.
    pub fn continuations(&self) -> impl Iterator<Item = String> {
        let endings = || self.endings.iter().chain(FAR_ENDINGS);
        let steps = || self.pieces.iter().chain(self.endings);
        let one = endings().map(|end| (*end).to_owned());
        let two = steps().flat_map(move |one| endings().map(move |end| format!("{one}{end}")));
        let three = steps().flat_map(move |one| {
            steps().flat_map(move |two| {
                self.endings
                    .iter()
                    .map(move |end| format!("{one}{two}{end}"))
            })
        });
        one.chain(two).chain(three)
    }

    fn may_wait(mut self) -> Self {
        self.may_wait = true;
        self
    }

    fn endings(mut self, endings: &'static [&'static str]) -> Self {
        self.endings = endings;
        self
    }
}

/// Every world, by the file of tests that looks after it.
pub fn all() -> Vec<World> {
    [
        tags_and_code(),
        thinking(),
        hide_in_thinking(),
        unwrap(),
        literals(),
        elements(),
        limits(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub fn tags_and_code() -> Vec<World> {
    let think = || json!({"thinking": {"tags": ["t"]}});
    vec![
        world(
            "extract",
            think(),
            5,
            &[
                "<t>", "</t>", "<", "t", ">", "/", "`", "```", "\n", "a", " ",
            ],
        ),
        world(
            "attributes",
            think(),
            5,
            &["<t", "</t", " ", "a", "=", "\"", "'", "/", ">", "<"],
        )
        .endings(&[
            "x", ">", "\">", "'>", "<", "</t>", "x</t>", "\"></t>", "'></t>", "></t>", "t>", "/t>",
        ]),
        world(
            "backticks",
            think(),
            6,
            &["`", "```", "\n", " ", "a", "<t>"],
        )
        .endings(&[
            "`", "``", "```", "x", "\n", "\n\n", "`\n", "</t>", "x</t>", "`</t>",
        ]),
        world(
            "tildes",
            think(),
            5,
            &["~~~", "~", "`", "```", "\n", "\t", "a", "<t>", "</t>"],
        ),
        world(
            "no code",
            json!({"code": "none", "thinking": {"tags": ["t"]}}),
            5,
            &["<t>", "</t>", "`", "```", "\n", "a", "<"],
        ),
        world(
            "two names",
            json!({"thinking": {"tags": ["t", "tt"]}}),
            5,
            &["<", "/", "t", "T", ">", "a", " ", "`"],
        )
        .endings(&[
            "x", ">", "t>", "tt>", "/t>", "</t>", "</tt>", "x</t>", "x</tt>", ">x</t>", ">x</tt>",
            "`",
        ]),
    ]
}

pub fn thinking() -> Vec<World> {
    let with = |more: Value| {
        let mut profile = json!({"tags": ["t"]});
        for (key, value) in more.as_object().expect("an object") {
            profile[key] = value.clone();
        }
        json!({"thinking": profile})
    };
    let usual: &[&str] = &["<t>", "</t>", "<", "`", "\n", "a", " "];
    let nested: &[&str] = &["<t>", "</t>", "<t/>", "`", "a", " ", "\n"];
    vec![
        world("hide", with(json!({"mode": "hide"})), 5, nested),
        world(
            "trim both",
            with(json!({"trim": "both"})),
            6,
            &["<t>", "</t>", "<t/>", " ", "\n", "a"],
        ),
        world(
            "trim both, tags cut short",
            with(json!({"trim": "both"})),
            6,
            &["<t>", "<t", "</t>", " ", ">", "a"],
        )
        .endings(&[
            "x",
            ">",
            "<",
            " ",
            "</t>",
            "x</t>",
            "></t>",
            "<</t>",
            "></t></t>",
            "</t></t>",
        ]),
        world("trim both, ticks", with(json!({"trim": "both"})), 5, usual),
        world(
            "trim answer, hide",
            with(json!({"mode": "hide", "trim": "answer"})),
            5,
            usual,
        ),
        world("trim thought", with(json!({"trim": "thought"})), 5, usual),
        world("reveal", with(json!({"unclosed": "reveal"})), 5, nested),
        world(
            "reveal, hide",
            with(json!({"unclosed": "reveal", "mode": "hide"})),
            5,
            nested,
        ),
        world(
            "reveal, trim both",
            with(json!({"unclosed": "reveal", "trim": "both"})),
            5,
            usual,
        ),
        world(
            "unclosed hide",
            with(json!({"unclosed": "hide"})),
            5,
            nested,
        ),
        world("starts open", with(json!({"starts_open": true})), 5, nested),
        world(
            "starts open, hide, reveal",
            with(json!({"starts_open": true, "mode": "hide", "unclosed": "reveal"})),
            5,
            usual,
        ),
        world(
            "starts open, two names, trim",
            with(json!({"starts_open": true, "tags": ["t", "u"], "trim": "both"})),
            5,
            &["<t>", "</t>", "<u>", "</u>", "a", " ", "`"],
        ),
        world("anchor start", with(json!({"anchor": "start"})), 5, usual),
        world(
            "anchor start, trim, hide",
            with(json!({"anchor": "start", "mode": "hide", "trim": "both"})),
            5,
            nested,
        ),
        world(
            "nesting first",
            with(json!({"nesting": "first"})),
            5,
            nested,
        ),
        world(
            "orphan keep",
            with(json!({"orphan_close": "keep", "anchor": "start"})),
            5,
            usual,
        ),
        world(
            "show",
            with(json!({"mode": "show", "trim": "both", "unclosed": "hide"})),
            5,
            nested,
        ),
        world(
            "hide list",
            json!({"hide": ["h"], "thinking": {"tags": ["t"], "anchor": "start"}}),
            5,
            &["<t>", "</t>", "<h>", "</h>", "<h/>", "`", "a", " ", "\n"],
        )
        .endings(&[
            "x",
            "`",
            "</t>",
            "x</t>",
            "</h>",
            "x</h>",
            "</h></h>",
            "`x\n\n",
            "</h></h></h></h></h>",
        ]),
        world(
            "hide in shown",
            json!({"hide": ["h"], "thinking": {"tags": ["t"], "mode": "show"}}),
            5,
            &["<t>", "</t>", "<h>", "</h>", "`", "a", "\n", "<"],
        )
        .endings(HIDE_ENDINGS),
    ]
}

const HIDE_ENDINGS: &[&str] = &[
    "x", "`", "t>", "h>", "/h>", "</t>", "</h>", "x</h>", "</h></h>", "`x\n\n",
];

/// Sections to hide inside thinking.
pub fn hide_in_thinking() -> Vec<World> {
    let profile = |mut thinking: Value, lookahead: usize| {
        thinking["tags"] = json!(["t"]);
        json!({
            "hide": ["h"], "hide_in_thinking": true,
            "thinking": thinking, "limits": {"lookahead": lookahead},
        })
    };
    let far = |name, thinking| {
        let pieces = &["<t>", "</t>", "<h>", "</h>", "<h/>", "`", "a", " "];
        world(name, profile(thinking, 65_536), 4, pieces).endings(HIDE_ENDINGS)
    };
    let near = |name, thinking| {
        let pieces = &["<t>", "</t>", "<h>", "</h>", "<h/>", "a", " "];
        world(name, profile(thinking, 6), 4, pieces).endings(HIDE_ENDINGS)
    };
    vec![
        far("hide in thinking", json!({})),
        far("hide in thinking, hide", json!({"mode": "hide"})),
        far(
            "hide in thinking, reveal",
            json!({"unclosed": "reveal", "trim": "thought"}),
        ),
        far(
            "hide in thinking, starts open",
            json!({"starts_open": true}),
        ),
        near("hide in thinking, trim near", json!({"trim": "thought"})),
        near(
            "hide in thinking, reveal near",
            json!({"unclosed": "reveal"}),
        ),
        near("hide in thinking, hide near", json!({"unclosed": "hide"})),
    ]
}

/// Tags that are removed from text.
pub fn unwrap() -> Vec<World> {
    let profile = |thinking: Value| json!({"unwrap": ["u"], "hide": ["h"], "hide_in_thinking": true, "thinking": thinking});
    let pieces = &["<u>", "</u>", "<t>", "</t>", "<h>", "`", "a", " ", "\n"];
    let endings = &[
        "x", "`", "u>", "/u>", "</u>", "x</u>", "</t>", "</h>", "`x\n\n",
    ];
    let near = |name, thinking| world(name, profile(thinking), 4, pieces).endings(endings);
    vec![
        near("unwrap", json!({"tags": ["t"], "trim": "both"})),
        near(
            "unwrap, anchor start",
            json!({"tags": ["t"], "anchor": "start", "mode": "hide"}),
        ),
        world(
            "unwrap in shown thinking, with elements",
            json!({"unwrap": ["u"], "thinking": {"tags": ["t"], "mode": "show"}, "elements": [{"name": "*"}]}),
            4,
            &["<u>", "</u>", "<u/>", "<t>", "</t>", "<b>", "</b>", "a", "\n"],
        )
        .endings(&["x", "u>", "/u>", "b>", "</u>", "</b>", "</t>"]),
    ]
}

pub fn literals() -> Vec<World> {
    let pairs = json!([["[[", "]]"], ["[[é", "]"]]);
    let pieces: &[&str] = &["[", "]", "é", "｜", "a", " ", "\n", "`"];
    let endings: &[&str] = &[
        "x", "[", "]", "]]", "é", "[é", "é｜", "x]", "x]]", "`", "`x\n\n",
    ];
    let with = |settings: Value| {
        let mut profile =
            json!({"markers": ["｜é｜", "[｜", "]｜"], "thinking": {"delimiters": pairs}});
        for (key, value) in settings.as_object().expect("an object") {
            profile["thinking"][key] = value.clone();
        }
        profile
    };
    vec![
        world("delimiters and markers", with(json!({})), 5, pieces).endings(endings),
        world("delimiters, reveal, trim", with(json!({"unclosed": "reveal", "trim": "both"})), 5, pieces).endings(endings),
        world("delimiters, starts open", with(json!({"starts_open": true, "trim": "thought"})), 5, pieces).endings(endings),
        world("delimiters, anchor start", with(json!({"anchor": "start", "orphan_close": "keep"})), 5, pieces).endings(endings),
        world("tags, delimiters, markers",
            json!({"markers": ["<t|>", "|"], "thinking": {"tags": ["t"], "delimiters": [["<t>>", "<<"]]}}), 5,
            &["<t", ">", "|", "</t>", "<", "a", "`", " "])
            .endings(&["x", ">", "|>", ">x", ">>", "<", "<<", "t>", "/t>", "</t>", "x</t>", "x<<", "`", "`x\n\n"]),
    ]
}

pub fn elements() -> Vec<World> {
    let endings: &[&str] = &[
        "x", ">", "e>", "/e>", "</e>", "</e></e>", "p>", "</p></e>", "</f></e>", "`", "`x\n\n",
        "\"></e>",
    ];
    let parents = json!([{"name": "e", "children": ["p", "f"]}, {"name": "f"}]);
    let nested = json!([{"name": "e", "children": ["e", "p"]}]);
    let flat =
        json!([{"name": "g", "children": ["e"]}, {"name": "e", "nests": false, "children": ["p"]}]);
    let beside = json!([
        {"name": "g", "children": ["e", "f"]},
        {"name": "e", "nests": false},
        {"name": "f"},
        {"name": "h"},
    ]);
    vec![
        world("element", json!({"elements": [{"name": "e"}]}), 5,
            &["<e>", "</e>", "<e/>", "<e a=", "\"", ">", "`", "a", "<", "\n"]).endings(endings),
        world("element in a fence", json!({"code_notices": "all", "elements": [{"name": "e"}]}), 5,
            &["<e>", "<e", "```", "\n", "a=", "\"", ">", " ", "`"])
            .endings(&["x", "\n", "\n```", "\n```\n", "`\n", "``", "``\n", "</e>", ">\n```\n", "\">\n```\n", "<e>\n```\n"]),
        world("children and parts", json!({"elements": parents}), 5,
            &["<e>", "</e>", "<p>", "</p>", "<f>", "</f>", "<p/>", "a", "`"]).endings(endings),
        world("nested in itself", json!({"elements": nested}), 5,
            &["<e>", "</e>", "<p>", "</p>", "<e/>", "a", "<"]).endings(endings),
        world("does not nest", json!({"elements": flat}), 5,
            &["<e>", "</e>", "<g>", "</g>", "<p>", "</p>", "<e/>", "a", "<"])
            .endings(&["x", ">", "e>", "/e>", "/g>", "</e>", "</g>", "</g></g>", "</p></e>", "<e></e></g>"]),
        world("ends before what is beside it", json!({"elements": beside}), 4,
            &["<e>", "</e>", "<g>", "</g>", "<f/>", "<h>", "`", "a", "\n"])
            .endings(&["x", ">", "e>", "f/>", "/f>", "h>", "/e>", "/g>", "/h>", "</e>", "</g>", "</h>", "</g></g>", "<e></e></g>"]),
        world("elements and thinking",
            json!({"hide": ["h"], "thinking": {"tags": ["t"], "anchor": "start", "trim": "answer"}, "elements": [{"name": "e"}]}), 5,
            &["<e>", "</e>", "<t>", "</t>", "<h>", " ", "a", "`"])
            .endings(&["x", "`", "</e>", "</t>", "x</t>", "</h>", "x</h>", "`x\n\n", "</e>x", "</h></h></h></h></h>"]),
        world("elements in shown", json!({"thinking": {"tags": ["t"], "mode": "show"}, "elements": [{"name": "e"}]}), 5,
            &["<e>", "</e>", "<t>", "</t>", "`", "a", "<", "\n"])
            .endings(&["x", "`", "e>", "/e>", "</e>", "/t>", "</t>", "</t><e>", "`x\n\n"])
            .may_wait(),
        world("any name", json!({"elements": [{"name": "*"}]}), 5,
            &["<b>", "</b>", "<b", "a", "=", ">", "/", "`", " ", "<c>"])
            .endings(&["x", ">", "=", "=a>", "/>", "=a/>", "></b>", "=a></b>", "</b>", "</b></b>", "</c>", "</c></b>", "</b></c>", "`", "`x\n\n", "</b></b></b></b></b>", "</ba>", "</baa>", "></ba>"]),
        world("any name and thinking", json!({"thinking": {"tags": ["t"]}, "elements": [{"name": "*"}, {"name": "e"}]}), 5,
            &["<b>", "</b>", "<t>", "</t>", "<e>", "</e>", "`", "a", "\n"])
            .endings(&["x", "</b>", "</b></b>", "</t>", "x</t>", "</e>", "`", "`x\n\n", "</e></b>", "</b></b></b></b></b>"]),
    ]
}

/// Limits so small that short messages reach them.
pub fn limits() -> Vec<World> {
    let with = |limits: Value, mut profile: Value| {
        profile["limits"] = limits;
        profile
    };
    let think = |more: Value| json!({"thinking": more});
    let usual: &[&str] = &["<t>", "</t>", "<", "`", "\n", "a", " "];
    vec![
        world(
            "limits.tag",
            with(json!({"tag": 6}), think(json!({"tags": ["t"]}))),
            5,
            &["<t", "</t", " ", "a", "=\"", "\"", ">", "<"],
        )
        .endings(&[
            "x", ">", "\">", " >", "<", "</t>", "x</t>", "xxxxxx", "\"></t>", "></t>", "t>", "/t>",
        ]),
        world(
            "limits.span",
            with(json!({"span": 3}), think(json!({"tags": ["t"]}))),
            6,
            &["`", "```", "\n", " ", "a", "<t>"],
        )
        .endings(&[
            "`", "``", "```", "x", "xxxx", "\n", "\n\n", "`\n", "</t>", "x</t>",
        ]),
        world(
            "limits.lookahead, reveal",
            with(
                json!({"lookahead": 3}),
                think(json!({"tags": ["t"], "unclosed": "reveal"})),
            ),
            5,
            usual,
        )
        .endings(&[
            "x", "xxxx", "t>", "/t>", "</t>", "x</t>", "</t></t>", "`", "`x\n\n", "`</t>",
        ]),
        world(
            "limits.lookahead, trim",
            with(
                json!({"lookahead": 2}),
                think(json!({"tags": ["t"], "trim": "both"})),
            ),
            6,
            &["<t>", "</t>", "a", " ", "\n", "`"],
        )
        .endings(&["x", "  x", "   ", "</t>", "x</t>", " </t>", "`", "`</t>"]),
        world(
            "limits.lookahead, any name",
            with(
                json!({"lookahead": 3}),
                json!({"elements": [{"name": "*"}]}),
            ),
            5,
            &["<b>", "</b>", "<c>", "</c>", "a", "<"],
        )
        .endings(&[
            "x", "xxxx", "</b>", "/b>", "b>", "</b></b>", "</c>", "</c></b>", "`", "`x\n\n",
        ]),
        world(
            "limits.value",
            with(
                json!({"value": 3}),
                json!({"elements": [{"name": "e", "children": []}]}),
            ),
            6,
            &["<e>", "</e>", "<e/>", "<", "a", "é"],
        )
        .endings(&["x", "xxxx", "</e>", "e>", "/e>", "</e></e></e></e></e></e>"]),
        world(
            "limits.depth, thinking",
            with(json!({"depth": 2}), think(json!({"tags": ["t"]}))),
            6,
            &["<t>", "</t>", "a", "<", " "],
        ),
        world(
            "limits.depth",
            with(
                json!({"depth": 2}),
                json!({"elements": [{"name": "e", "children": ["e"]}]}),
            ),
            6,
            &["<e>", "</e>", "<e/>", "a", "<"],
        )
        .endings(&["x", "e>", "/e>", "</e>", "</e></e>", "</e></e></e>"]),
    ]
}
