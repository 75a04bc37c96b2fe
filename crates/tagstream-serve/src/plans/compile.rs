//! What a route looks for, with the tools of a request.

use crate::config::{Route, Thoughts};
use tagstream::profile::{CallOptions, Loaded, Preset, load_with, parse_with, preset, presets};
use tagstream::{Calls, Profile, Thinking, Tools};
use tagstream_wire::Format;
use tagstream_wire::rewrite::{self, Options, OrphanClose, Plan};

/// How an answer is read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) plan: Plan,
    /// The dialect of calls, for metrics; `auto` if there are several.
    pub(crate) dialect: String,
}

/// Whether the plan of a route can be compiled: if not, its key and why.
pub(crate) fn check(route: &Route) -> Result<(), (&'static str, String)> {
    if let Some(name) = &route.preset {
        preset(name).map_err(|error| ("preset", error.to_string()))?;
    }
    if let Some(path) = &route.profile_file {
        let loaded = load_with(path, &CallOptions::new());
        loaded.map_err(|error| ("profile_file", error.to_string()))?;
    }
    let compiled = compile(route, Format::OpenAi, None);
    compiled.map_err(|problem| ("reasoning_field", problem))?;
    Ok(())
}

pub(super) fn compile(
    route: &Route,
    format: Format,
    tools: Option<&str>,
) -> Result<Reading, String> {
    let tools = tools.map(Tools::parse).transpose();
    let tools = tools.map_err(|error| error.to_string())?;
    let tools = tools.filter(|tools| !tools.is_empty());
    let loaded = profile(route, tools.as_ref())?;
    let mut options = Options::default();
    options.thinking = match route.thinking {
        Thoughts::Move => rewrite::Thinking::Move,
        Thoughts::Hide => rewrite::Thinking::Hide,
        Thoughts::Keep => rewrite::Thinking::Keep,
    };
    options.reasoning_field.clone_from(&route.reasoning_field);
    if loaded.sets_orphan_close {
        options.orphan_close = OrphanClose::AsProfile;
    }
    let plan = Plan::new(&loaded.profile, format, options).map_err(|error| error.to_string())?;
    let dialect = dialect(&loaded.profile);
    Ok(Reading { plan, dialect })
}

/// The only dialect of a profile.
fn dialect(profile: &Profile) -> String {
    let dialects = profile
        .calls
        .as_ref()
        .map(|calls| calls.dialects.as_slice());
    match dialects {
        Some([dialect]) => dialect.name.clone(),
        Some(_) => "auto".to_owned(),
        None => String::new(),
    }
}

struct Looked {
    profile: Profile,
    sets_orphan_close: bool,
}

/// The profile of a route with the tools of a request. Without tools there are no calls, whatever the
/// profile says.
fn profile(route: &Route, tools: Option<&Tools>) -> Result<Looked, String> {
    let options = CallOptions::new().tools(tools.cloned());
    let loaded: Loaded = if let Some(path) = &route.profile_file {
        load_with(path, &options).map_err(|error| error.to_string())?
    } else if let Some(preset) = route.preset.as_deref().and_then(Preset::find) {
        parse_with(preset.source(), &options).map_err(|error| error.to_string())?
    } else {
        return Ok(Looked {
            profile: default_profile(tools),
            sets_orphan_close: false,
        });
    };
    let mut profile = loaded.profile;
    if tools.is_none() {
        profile.calls = None;
    }
    Ok(Looked {
        profile,
        sets_orphan_close: loaded.sets_orphan_close,
    })
}

/// Thinking in the tags of all presets, and calls in any dialect of the declared tools.
fn default_profile(tools: Option<&Tools>) -> Profile {
    let profile = Profile::new().thinking(all_thinking());
    match tools {
        Some(tools) => profile.calls(Calls::auto(tools)),
        None => profile,
    }
}

/// The thinking tags of all presets.
fn all_thinking() -> Thinking {
    let mut all = Thinking::default();
    for preset in presets() {
        let thinking = preset.profile().thinking;
        for tag in thinking.tags {
            if !all.tags.contains(&tag) {
                all.tags.push(tag);
            }
        }
        for pair in thinking.delimiters {
            if !all.delimiters.iter().any(|known| known[0] == pair[0]) {
                all.delimiters.push(pair);
            }
        }
    }
    all
}
