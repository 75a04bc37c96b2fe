//! The other parsers, each used as its documentation says.

pub mod dynamo_v1;
pub mod dynamo_v2;
pub mod symphony;
pub mod tool_parser;
