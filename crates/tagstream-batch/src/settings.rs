//! What the user chooses.

use tagstream::Whitespace;

/// How files are read and written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Where the text of a record is.
    pub subject: Subject,
    /// Put before the names of the columns that are added.
    pub prefix: String,
    /// What becomes of white space where markup was taken out.
    pub whitespace: Whitespace,
    /// How many threads work; 0: one for each core. With 1 everything runs on the calling thread, except
    /// that others wait for the disk.
    pub threads: usize,
    /// Whether an interrupted run is continued.
    pub resume: bool,
    /// Whether output files that exist are replaced.
    pub overwrite: bool,
    /// Names everything that the policy was made from: a resumed run must have the same.
    pub policy_name: String,
    /// About how many bytes of input a worker gets at once; of Parquet, eight times that.
    pub block_bytes: usize,
    /// About how many bytes of output are written between two entries of the journal.
    pub commit_bytes: u64,
}

/// Where the text of a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// In the field of this name. The columns `content`, `thoughts`, `tool_calls`, `notices` and
    /// `error` are added; fields of these names are replaced.
    Field(String),
    /// In the messages of the assistant in the list of this name, in OpenAI's form. They are replaced
    /// by cleaned ones, and `notices` and `error` are added.
    Messages(String),
}

impl Subject {
    /// The name of the field.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Subject::Field(name) | Subject::Messages(name) => name,
        }
    }
}

impl Settings {
    /// For the text in the field of this name.
    #[must_use]
    pub fn field(name: impl Into<String>) -> Self {
        Settings::new(Subject::Field(name.into()))
    }

    /// For messages in OpenAI's form in the field of this name.
    #[must_use]
    pub fn messages(name: impl Into<String>) -> Self {
        Settings::new(Subject::Messages(name.into()))
    }

    fn new(subject: Subject) -> Self {
        Settings {
            subject,
            prefix: String::new(),
            whitespace: Whitespace::default(),
            threads: 0,
            resume: false,
            overwrite: false,
            policy_name: String::new(),
            block_bytes: 1 << 20,
            commit_bytes: 64 << 20,
        }
    }

    /// The names of the added columns, with the prefix.
    pub(crate) fn columns(&self) -> Columns {
        let name = |name: &str| format!("{}{name}", self.prefix);
        Columns {
            content: name("content"),
            thoughts: name("thoughts"),
            tool_calls: name("tool_calls"),
            notices: name("notices"),
            error: name("error"),
            has_message: matches!(self.subject, Subject::Field(_)),
        }
    }

    /// What a resumed run must have in common with the interrupted one, as one number.
    pub(crate) fn fingerprint(&self) -> u64 {
        let choices = (&self.subject, &self.prefix, self.whitespace);
        let text = format!(
            "{}\n{choices:?}\n{}",
            env!("CARGO_PKG_VERSION"),
            self.policy_name
        );
        fnv(text.as_bytes())
    }
}

/// The names of the added columns.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) content: String,
    pub(crate) thoughts: String,
    pub(crate) tool_calls: String,
    pub(crate) notices: String,
    pub(crate) error: String,
    /// Whether the columns of a message are among them. Messages in a list are cleaned where they are.
    pub(crate) has_message: bool,
}

/// FNV-1a: small, and the same in every version of the compiler, unlike the standard hasher.
fn fnv(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(start, step)
}

impl Columns {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        if self.has_message { 5 } else { 2 }
    }

    /// Whether this is the name of an added column.
    pub(crate) fn has(&self, name: &str) -> bool {
        let of_message = [&self.content, &self.thoughts, &self.tool_calls];
        name == self.notices
            || name == self.error
            || (self.has_message && of_message.iter().any(|column| *column == name))
    }
}
