//! One file a command.

pub(crate) mod check;
pub(crate) mod graph;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod shot;
pub(crate) mod view;
