//! The proxy between a client and an upstream that the tests play themselves, byte by byte.

mod bodies;
mod cancel;
mod ends;
mod load;
mod modes;
mod operations;
mod retries;
mod routes;
mod security;
mod streaming;
mod time;
mod transport;
mod world;
