//! Running the binary.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

/// What a run gave.
pub(crate) struct Ran {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tagstream"));
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the binary with this input.
pub(crate) fn run(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    let mut child = command(args).spawn().unwrap();
    // A run that is refused may end before it has read anything.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    ended(child)
}

pub(crate) fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    Ran {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().expect("ended by a signal"),
    }
}

/// Runs the binary and returns its output; all must be well.
pub(crate) fn out(args: &[&str], input: impl AsRef<[u8]>) -> String {
    let ran = run(args, input);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (0, ""),
        "{args:?}: {}",
        ran.out
    );
    ran.out
}

/// The chunks as lines for `--chunks`.
pub(crate) fn lines(chunks: &[&str]) -> String {
    chunks
        .iter()
        .map(|chunk| serde_json::to_string(chunk).unwrap() + "\n")
        .collect()
}

/// A file that is gone when the test is over.
pub(crate) struct Temp(PathBuf);

impl Temp {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let name = format!("tagstream-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).unwrap();
        Temp(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
