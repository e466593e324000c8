//! Exact arithmetic on the floats themselves: every double is an integer times a power of two.

pub mod dependency;
pub mod double_double;
pub mod elimination;
pub mod integers;
pub mod lifting;
pub mod modular;
pub mod nearest;
pub mod sum;
