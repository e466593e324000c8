//! Python bindings: check the arguments, release the GIL, call the core. Nothing else.

use pyo3::prelude::*;

mod arrays;
mod reading;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    reading::register(module)?;
    Ok(())
}
