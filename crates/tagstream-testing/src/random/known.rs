//! Defects that engines have had: each must never come back.
