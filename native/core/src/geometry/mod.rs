//! Separability and the largest margin: one geometric question (T11), answered with proof.
//!
//! With `z_i = y_i (x_i, 1)`, let `p` be the point of `conv{z_i}` nearest to the origin. If `p ≠ 0` the data
//! are separable, `‖p‖` is the largest margin and `p/‖p‖` attains it; if `p = 0` its convex weights prove
//! that they are not. [`separate`] finds `p` in floating point (`wolfe` over working sets, `minimum_norm`),
//! proves the answer on the floats themselves (`certify`, `conflict`), and where floating point does not
//! settle it goes on in double-doubles and in integers (`settle`).

pub mod ascent;
pub mod certify;
pub mod conflict;
pub mod duplicates;
mod factor;
pub mod minimum_norm;
pub mod newton;
pub mod perceptron;
pub mod rows;
pub mod scalar;
mod separate;
mod settle;
mod unit;
mod vector;
pub mod weak;
pub mod wolfe;

pub use conflict::Conflict;
pub use separate::{Answer, Failure, Options, Separation, Vector, Weights, separate};
pub use unit::unit_values;
