//! The command with its help, and what is made from it: completions and the manual.

use crate::args::{Args, default_preset};
use crate::failure::{Failure, say_lines};
use crate::output::Output;
use crate::stream::Outcome;
use clap::error::{ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, FromArgMatches};
use clap_complete::Shell;
use std::ffi::OsString;
use std::fmt::Write;
use tagstream::names::did_you_mean;

/// The subcommands by what they are for.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Read a message, or a provider's stream",
        &["filter", "calls", "events", "explain", "strip"],
    ),
    (
        "Read what applications put into messages",
        &["elements", "nodes", "directives", "chat"],
    ),
    (
        "Collect or correct a provider's stream",
        &["aggregate", "rewrite", "serve", "batch"],
    ),
    (
        "Look around",
        &["demo", "profile", "dialects", "completions", "man"],
    ),
];

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  tagstream completions bash > ~/.local/share/bash-completion/completions/tagstream")]
pub(crate) struct CompletionsArgs {
    /// Shell to complete commands in
    shell: Shell,
}

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  tagstream man filter > tagstream-filter.1")]
pub(crate) struct ManArgs {
    /// Subcommand that the page is about; without it, all of them
    subcommand: Option<String>,
}

/// The command as the user sees it.
pub(crate) fn command() -> Command {
    let command = defined();
    let groups = groups(&command);
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n{groups}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// The definition of the arguments, with the presets that commands have by default.
fn defined() -> Command {
    let has_preset =
        |command: &Command| command.get_arguments().any(|arg| arg.get_id() == "preset");
    let about = |command: &str, arg: Arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        arg.help(format!("{help} [default: {}]", default_preset(command)))
    };
    Args::command().mut_subcommands(|command| {
        if !has_preset(&command) {
            return command;
        }
        let name = command.get_name().to_owned();
        command.mut_arg("preset", |arg| about(&name, arg))
    })
}

fn groups(command: &Command) -> String {
    let mut groups = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(groups, "\n{title}:");
        for name in names {
            // Those of a feature that is off are missing.
            let Some(subcommand) = command.find_subcommand(name) else {
                continue;
            };
            let about = subcommand.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _ = writeln!(groups, "  {name:<12} {about}");
        }
    }
    groups
}

/// The arguments of this run, or how it ends without them.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Args, u8> {
    let matches = command().try_get_matches_from(args);
    let args = matches.and_then(|matches| Args::from_arg_matches(&matches));
    args.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            0
        }
        _ => {
            say_lines(&in_our_style(&error));
            2
        }
    })
}

/// The words of the parser of arguments, written as all other messages are.
fn in_our_style(error: &clap::Error) -> String {
    let mut message = error.render().to_string();
    // What the user wrote may have quotes of its own.
    for (_, value) in error.context() {
        let values = match value {
            ContextValue::String(value) => std::slice::from_ref(value),
            ContextValue::Strings(values) => values,
            _ => continue,
        };
        for value in values {
            message = message.replace(&format!("'{value}'"), &format!("`{value}`"));
        }
    }
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let lines = message.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let lines: Vec<_> = lines.collect();
    lines.join("\n")
}

/// Prints the help of the whole command.
pub(crate) fn print() -> Result<Outcome, Failure> {
    print_text(&command().render_help().to_string())
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut defined(), "tagstream", &mut script);
    print_text(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(args: &ManArgs) -> Result<Outcome, Failure> {
    let mut command = defined();
    command.build();
    let pages = match &args.subcommand {
        None => {
            let subcommands = command.get_subcommands().cloned();
            [command.clone()].into_iter().chain(subcommands).collect()
        }
        Some(name) => {
            let page = command.find_subcommand(name).cloned();
            vec![page.ok_or_else(|| {
                let known = command.get_subcommands().map(Command::get_name);
                let meant = did_you_mean(name, known);
                Failure::because(format_args!(
                    "unknown subcommand `{name}`{meant}; see tagstream --help"
                ))
            })?]
        }
    };
    let mut text = Vec::new();
    for page in pages {
        let name = page.get_bin_name().unwrap_or("tagstream").replace(' ', "-");
        let written = clap_mangen::Man::new(page).title(name).render(&mut text);
        written.map_err(Failure::because)?;
    }
    print_text(&String::from_utf8_lossy(&text))
}

fn print_text(text: &str) -> Result<Outcome, Failure> {
    let mut out = Output::new();
    out.text(text);
    out.flush()?;
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_in_one_group() {
        let command = Args::command();
        let mut names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        let mut grouped: Vec<_> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .filter(|name| command.find_subcommand(name).is_some())
            .collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(names, grouped);
    }

    #[test]
    fn every_subcommand_has_examples() {
        let command = Args::command();
        for subcommand in command.get_subcommands() {
            let after = subcommand.get_after_help().map(ToString::to_string);
            let has_example = after.is_some_and(|text| text.contains("Example"));
            assert!(has_example, "{}", subcommand.get_name());
        }
    }

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        command().debug_assert();
    }
}
