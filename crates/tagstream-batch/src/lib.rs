//! Files of logged messages, read with tagstream: content, thoughts, tool calls and notices of
//! millions of answers.
//!
//! JSON Lines (also gzip and zstd) and Parquet go in and out. Records keep their order, all cores work, and memory does not grow with the files. A record that cannot be read is passed on with its
//! error. An output file appears whole or not at all, and an interrupted run can be resumed.
//!
//! ```no_run
//! use tagstream_batch::{Batch, Quiet, Settings};
//!
//! let policy = tagstream::preset("qwen3")?.compile()?;
//! let batch = Batch::new(&policy, Settings::field("answer"));
//! let summary = batch.run(&["logs".into()], "clean".as_ref(), &mut Quiet)?;
//! println!("{} thoughts in {} messages", summary.thoughts, summary.messages);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The pipeline. A file goes through it in blocks; of small files, each goes through it as a whole:
//!
//! ```text
//! input → blocks of whole records → worker: kernel, encoding, compression → in order → partial file → output
//! ```
//!
//! * `plan` decides which file becomes which.
//! * `source` reads blocks: of `lines`, or of `rows` of Parquet.
//! * `file` is what happens to one file, `finisher` completes files while the next ones are read.
//! * `pipeline` runs the workers and keeps the order; `block` is what a worker does.
//! * `record`, `chat` and `json` are JSON Lines.
//! * [`arrow`] is the kernel for columns, `table` and `messages_type` are rows, `segment` is Parquet.
//! * `journal` and `partial` are what makes a run resumable and files atomic.

pub mod arrow;
mod block;
mod chat;
mod codec;
mod error;
mod file;
mod finisher;
mod journal;
mod json;
mod lines;
mod messages_type;
mod observer;
mod partial;
mod pipeline;
mod plan;
mod record;
mod rows;
mod run;
mod segment;
mod settings;
mod source;
mod summary;
mod table;

pub use error::{BatchError, Problem};
pub use observer::{BadRecord, Observer, Progress, Quiet};
pub use run::Batch;
pub use settings::{Settings, Subject};
pub use summary::Summary;
