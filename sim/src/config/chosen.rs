//! The configuration that holds.

use super::switches::{self, Switch};
use super::{Checks, Config, ConfigError, say};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use std::sync::{Arc, Mutex};

struct Chosen {
    config: Arc<Config>,
    /// The errors in the environment. The defaults apply in their place.
    error: Option<ConfigError>,
}

static CHOSEN: Mutex<Option<Chosen>> = Mutex::new(None);

/// The configuration that holds.
pub(crate) fn current() -> Arc<Config> {
    let mut chosen = lock(&CHOSEN);
    Arc::clone(&chosen.get_or_insert_with(Chosen::from_env).config)
}

/// Where the vendor's manual says one thing and its library does another: fails if the manual's word counts.
pub(crate) fn if_documented(failure: impl FnOnce() -> Failure) -> Answer {
    if is_documented() { Err(failure()) } else { Ok(()) }
}

/// Whether the manual's word counts.
pub(crate) fn is_documented() -> bool {
    switches::is_on(Switch::Documented)
}

/// Whether the environment was sound.
pub(crate) fn checked() -> Answer {
    let mut chosen = lock(&CHOSEN);
    match &chosen.get_or_insert_with(Chosen::from_env).error {
        None => Ok(()),
        Some(error) => Err(Failure::invalid(format!("the simulator's configuration: {error}"))),
    }
}

pub(crate) fn choose(config: Config) {
    *lock(&CHOSEN) = Some(Chosen { config: Arc::new(config), error: None });
    switches::reconsider();
}

impl Chosen {
    fn from_env() -> Self {
        match Config::from_env() {
            Ok(config) => {
                let advice = switches::from_env().is_some_and(|(_, switches)| switches.sets(Switch::Advice));
                let advice = advice.then_some("the word `advice` of ASCENDCL_SIM");
                let unmet = config.reporting().expects().or(advice);
                if let Some(name) = unmet.filter(|_| config.checks_wanted() == Checks::Off) {
                    let missing = "ASCENDCL_SIM has neither report nor strict, so nothing is checked";
                    say(format_args!("ascendcl-sim: {name} has no effect: {missing}"));
                }
                Self { config: Arc::new(config), error: None }
            }
            Err(error) => {
                say(format_args!("ascendcl-sim: {error}. aclInit fails; calls without aclInit use the defaults"));
                Self { config: Arc::default(), error: Some(error) }
            }
        }
    }
}
