//! Calls for tagstream: the built-in dialects.
