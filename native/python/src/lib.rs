//! Python bindings: check the arguments, release the GIL, call the core. Nothing else.

use pyo3::prelude::*;

mod arrays;
mod describe;
mod dict_row;
mod disagreement;
mod encode;
mod errors;
mod geometry;
mod hinge;
mod labels;
mod learner;
mod names;
mod one_row;
mod reading;
mod regression;
mod rows;
mod settings;
mod text;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    disagreement::register(module)?;
    encode::register(module)?;
    geometry::register(module)?;
    hinge::register(module)?;
    learner::register(module)?;
    reading::register(module)?;
    regression::register(module)?;
    text::register(module)?;
    Ok(())
}
