//! Regression where plain doubles do not suffice (T13).
//!
//! Factorisations are LAPACK's, called from Python. Here is what LAPACK has not: residuals in twice
//! the precision with a bound on their own error, and the square-root form of online ridge regression.

pub mod double_double;
pub mod residual;
mod simd;
pub mod square_root;
