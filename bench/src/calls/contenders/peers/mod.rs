//! The other parsers, each used as its documentation describes.

mod dynamo_v1;
mod dynamo_v2;
mod symphony;
mod tool_parser;

pub use dynamo_v1::DynamoV1;
pub use dynamo_v2::{DynamoV2, DynamoV2Unified};
pub use symphony::Symphony;
pub use tool_parser::ToolParser;
