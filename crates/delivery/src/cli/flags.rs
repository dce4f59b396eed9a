//! A command line flag for each setting, generated from the list of settings.

use super::values::Offered;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use config::SETTINGS;

/// The commands that read no settings.
pub const WITHOUT_SETTINGS: [&str; 6] = ["completions", "help", "listen", "man", "send", "trigger"];

/// Leaves the settings out of the help of a program.
pub fn without_settings(program: Command) -> Command {
    program.mut_args(|arg| {
        let is_setting = SETTINGS.iter().any(|setting| arg.get_id() == setting.name);
        if is_setting { arg.hide(true) } else { arg }
    })
}

/// The settings given as flags, by name.
#[derive(Debug)]
pub struct SettingFlags(pub Vec<(&'static str, Option<String>)>);

/// The flag of `admin agent` with the same name as a setting: the address of a model's server.
const AGENTS_FLAG: &str = "base_url";

/// Whether the command is one of `admin agent`.
fn names_an_agent(matches: &ArgMatches) -> bool {
    let Some(("admin", admin)) = matches.subcommand() else { return false };
    matches!(admin.subcommand(), Some(("agent", _)))
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        // `admin agent` has its own flag with the name of a setting, so that setting gets no flag
        // here.
        let own: Vec<_> = command.get_arguments().map(|arg| arg.get_id().clone()).collect();
        let settings = SETTINGS.iter().filter(|it| !own.iter().any(|id| id == it.name));
        settings.fold(command, |command, setting| {
            let default = if setting.default.is_empty() { "none" } else { setting.default };
            let help = format!("{} [default: {default}]", setting.about);
            let flag = Arg::new(setting.name)
                .long(setting.name.replace('_', "-"))
                .value_name("VALUE")
                .help(help)
                .help_heading("Settings, also in switchboard.toml and as SWITCHBOARD_*")
                .hide_short_help(true)
                .hide_possible_values(true)
                .global(true);
            let values = setting.values();
            // A wrong value is not rejected here. It is reported as an error of the configuration,
            // which names its source.
            let flag = if values.is_empty() {
                flag
            } else {
                flag.value_parser(Offered::new(values.iter().copied()))
            };
            command.arg(flag)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let is_agents = names_an_agent(matches);
        let given = |name: &'static str| {
            let is_setting = !(is_agents && name == AGENTS_FLAG);
            let value = matches.get_one::<String>(name).filter(|_| is_setting);
            (name, value.cloned())
        };
        Ok(Self(SETTINGS.iter().map(|setting| given(setting.name)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
