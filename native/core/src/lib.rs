//! The native core of Separatrix. It knows nothing of Python.
//!
//! Data flows one way: `text` turns bytes into rows, `game` plays a `rules` learner on them, `model`
//! keeps what was learnt. Beside that stream stand the solvers that look at a whole data set.
//!
//! Each `pub mod` below has a page of its own at the top of its file.

pub mod disagreement;
pub mod exact;
pub mod game;
pub mod geometry;
pub mod hinge;
pub mod learner;
pub mod matrix;
pub mod model;
pub mod regression;
pub mod rows;
pub mod rules;
pub mod stream;
pub mod text;
