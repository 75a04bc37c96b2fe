//! A profile, checked and compiled.

use crate::profile::Profile;
use std::{error::Error, fmt, sync::Arc};

/// A compiled profile: immutable, cheap to clone, shared by any number of engines.
#[derive(Clone, Debug)]
pub struct Policy {
    #[allow(dead_code)]
    inner: Arc<Profile>,
}

impl Policy {
    pub(crate) fn new(profile: &Profile) -> Result<Self, ProfileError> {
        Ok(Policy {
            inner: Arc::new(profile.clone()),
        })
    }
}

/// Why a profile cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    key: String,
    problem: String,
}

impl ProfileError {
    /// The key that is to blame, as a path: `thinking.tags[1]`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is wrong with it and what is allowed.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.key, self.problem)
    }
}

impl Error for ProfileError {}
