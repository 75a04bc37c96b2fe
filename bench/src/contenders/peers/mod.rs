//! The other parsers, each used as its documentation describes.

mod dynamo_v1;
mod dynamo_v2;
mod lol;
mod reasoning;
mod symphony;
mod xml;

pub use dynamo_v1::DynamoV1;
pub use dynamo_v2::DynamoV2;
pub use lol::LolHtml;
pub use reasoning::ReasoningParser;
pub use symphony::Symphony;
pub use xml::QuickXml;
