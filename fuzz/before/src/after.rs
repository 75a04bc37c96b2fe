//! The engine of this workspace.

pub use tagstream_testing::random::engine::ThisEngine as After;
