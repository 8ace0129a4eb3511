//! A data-driven render-graph engine that knows no game.
//!
//! A graph file ([`graph`]) is compiled into a plan, a flat list of instructions; the Vulkan backend ([`vulkan`])
//! replays it every frame over the draw lists, views, images and params that a game hands over ([`scene`]).

pub mod asset;
pub mod bytes;
pub mod diag;
pub mod graph;
pub mod live;
pub mod overlay;
pub mod scene;
pub mod script;
pub mod shader;
pub mod terrain;
pub mod vulkan;

pub mod app;
