//! Text files into NumPy arrays.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use separatrix_core::stream::{Failure, Source, Stream, StreamError};
use separatrix_core::text::{BadRows, Batch, IndexBase, Labels, Options};

use crate::errors;

/// What Python passes for a source: a path, `"-"` for standard input, or a binary file.
pub enum SourceArgument {
    Path(PathBuf),
    Stdin,
    File { name: String, file: Py<PyAny> },
}

impl SourceArgument {
    /// A path can be opened a second time; a stream is gone once it is read. What is missing, or is a
    /// directory, counts as a path, for opening it says so.
    pub fn can_be_opened_again(&self) -> bool {
        let SourceArgument::Path(path) = self else { return false };
        path.metadata().map_or(true, |found| found.is_file() || found.is_dir())
    }

    /// Makes the sources to read, as often as it is called; a stream goes on where it was.
    pub fn opener(arguments: Vec<SourceArgument>) -> impl FnMut() -> Vec<Source> {
        move || {
            let source = |argument: &SourceArgument| match argument {
                SourceArgument::Path(path) => Source::Path(path.clone()),
                SourceArgument::Stdin => Source::stdin(),
                SourceArgument::File { name, file } => {
                    let file = Python::attach(|py| file.clone_ref(py));
                    Source::Reader { name: name.clone(), read: Box::new(PythonFile(file)) }
                }
            };
            arguments.iter().map(source).collect()
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for SourceArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.hasattr("read")? {
            let name = object.getattr("name").and_then(|name| name.extract()).unwrap_or_else(|_| "<file>".to_owned());
            return Ok(SourceArgument::File { name, file: object.to_owned().unbind() });
        }
        let path: PathBuf = object.extract()?;
        Ok(if path.as_os_str() == "-" { SourceArgument::Stdin } else { SourceArgument::Path(path) })
    }
}

pub fn sources(arguments: Vec<SourceArgument>) -> Vec<Source> {
    SourceArgument::opener(arguments)()
}

/// "fail", "skip" or "quarantine=FILE"; Python has checked that it is one of them.
pub fn bad_rows_of(bad_rows: &str) -> BadRows {
    match bad_rows.split_once('=') {
        Some((_, path)) => BadRows::Quarantine(PathBuf::from(path)),
        None if bad_rows == "skip" => BadRows::Skip,
        None => BadRows::Fail,
    }
}

/// A binary file object of Python's; takes the GIL for each read.
struct PythonFile(Py<PyAny>);

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = Python::attach(|py| {
            let answer = self.0.bind(py).call_method1("read", (buffer.len(),)).map_err(io::Error::other)?;
            if answer.is_none() {
                return Ok(None);
            }
            let bytes = answer.cast::<PyBytes>().map_err(|_| {
                io::Error::other(PyTypeError::new_err(format!(
                    "expected a file opened in binary mode, whose read() gives bytes; found {}",
                    answer.get_type()
                )))
            })?;
            let bytes = bytes.as_bytes();
            if bytes.len() > buffer.len() {
                let text = format!("read({}) gave {} bytes", buffer.len(), bytes.len());
                return Err(io::Error::other(PyValueError::new_err(text)));
            }
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok::<_, io::Error>(Some(bytes.len()))
        })?;
        count.ok_or_else(|| {
            // Nothing yet, says a file that does not wait. Do not ask without a pause.
            std::thread::sleep(Duration::from_millis(10));
            io::ErrorKind::WouldBlock.into()
        })
    }
}

/// The Python error for a stream's: what the file object raised, an `OSError` of the right kind, or `InputError`.
pub fn stream_error(py: Python<'_>, error: StreamError) -> PyErr {
    let text = error.to_string();
    match error {
        StreamError::Open { name, error }
        | StreamError::Read { name, error }
        | StreamError::Quarantine { name, error } => match error.raw_os_error() {
            // With these arguments Python makes FileNotFoundError and its like.
            Some(code) => {
                let reason = py.import("os").and_then(|os| os.call_method1("strerror", (code,)));
                match reason {
                    Ok(reason) => PyOSError::new_err((code, reason.unbind(), name)),
                    Err(error) => error,
                }
            }
            None => match error.downcast::<PyErr>() {
                Ok(raised) => raised,
                Err(_) => PyOSError::new_err(text),
            },
        },
        StreamError::Corrupt { error, name } => match error.downcast::<PyErr>() {
            Ok(raised) => raised,
            Err(_) => errors::input(if text.is_empty() { name } else { text }),
        },
        StreamError::Directory { name } => match py.import("errno").and_then(|m| m.getattr("EISDIR")) {
            Ok(code) => PyOSError::new_err((code.unbind(), "Is a directory", name)),
            Err(error) => error,
        },
        StreamError::Setting(_) | StreamError::QuarantineIsSource { .. } => errors::usage(text),
        StreamError::BadRow(_) | StreamError::LateZero(_) | StreamError::LongLine { .. } => errors::input(text),
    }
}

/// Rows being read: `separatrix.data.reading` has the public face of it.
#[pyclass(frozen)]
struct RowStream {
    stream: Mutex<Option<Stream>>,
}

#[pymethods]
impl RowStream {
    /// `index_base`: 0, 1 or None for auto; `bad_rows`: "fail", "skip" or the path of a quarantine file after "=".
    #[new]
    #[pyo3(signature = (sources, *, index_base, bad_rows, optional_labels, column_limit, line_limit, threads))]
    fn new(
        py: Python<'_>,
        sources: Vec<SourceArgument>,
        index_base: Option<u8>,
        bad_rows: &str,
        optional_labels: bool,
        column_limit: u32,
        line_limit: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let options = Options {
            base: match index_base {
                None => IndexBase::Auto,
                Some(0) => IndexBase::Zero,
                Some(_) => IndexBase::One,
            },
            bad_rows: bad_rows_of(bad_rows),
            labels: if optional_labels { Labels::Optional } else { Labels::Required },
            column_limit,
            line_limit,
            threads,
            ..Options::default()
        };
        let sources = self::sources(sources);
        let stream = py.detach(|| Stream::open(sources, options)).map_err(|e| stream_error(py, e))?;
        Ok(RowStream { stream: Mutex::new(Some(stream)) })
    }

    /// The next rows as `(labels, starts, indices, values, columns, qids)`, or None at the end.
    fn next_batch<'py>(&self, py: Python<'py>) -> PyResult<Option<Arrays<'py>>> {
        let mut batch = Batch::new();
        let mut interrupted = None;
        let read = py.detach(|| {
            let mut guard = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(stream) = guard.as_mut() else { return Ok(false) };
            stream.next_batch_or_stop(&mut batch, || {
                interrupted = Python::attach(|py| py.check_signals()).err();
                interrupted.is_some()
            })
        });
        if let Some(error) = interrupted {
            return Err(error);
        }
        if !read.map_err(|e| stream_error(py, e))? {
            return Ok(None);
        }
        Ok(Some(arrays(py, batch)))
    }

    /// All rows at once, in the form of `next_batch`, and the summary.
    fn read_all<'py>(&self, py: Python<'py>) -> PyResult<(Arrays<'py>, Bound<'py, PyDict>)> {
        let mut whole = Batch::new();
        let mut interrupted = None;
        let outcome = py.detach(|| {
            let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(stream) = stream else {
                return Err(Failure::Stream(StreamError::Setting("the stream has been read already".to_owned())));
            };
            stream.for_each(
                |batch| {
                    append(&mut whole, batch);
                    Ok::<(), std::convert::Infallible>(())
                },
                |_| {
                    interrupted = Python::attach(|py| py.check_signals()).err();
                    if interrupted.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            )
        });
        if let Some(error) = interrupted {
            return Err(error);
        }
        let summary = match outcome {
            Ok(summary) => summary,
            Err(Failure::Stream(error)) => return Err(stream_error(py, error)),
            Err(Failure::Visit(never)) => match never {},
        };
        let described = PyDict::new(py);
        described.set_item("rows", summary.rows)?;
        described.set_item("rows_refused", summary.rows_refused)?;
        described.set_item("first_bad", summary.first_bad.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        described.set_item("index_base", summary.index_base)?;
        described.set_item("columns", summary.columns)?;
        Ok((arrays(py, whole), described))
    }

    /// `(rows, rows refused, the first refused in words, index base)` so far.
    fn so_far(&self, py: Python<'_>) -> (u64, u64, Vec<String>, Option<u32>) {
        py.detach(|| {
            let guard = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            guard.as_ref().map_or((0, 0, Vec::new(), None), |stream| {
                let summary = stream.so_far();
                (
                    summary.rows,
                    summary.rows_refused,
                    summary.first_bad.iter().map(ToString::to_string).collect(),
                    summary.index_base,
                )
            })
        })
    }
}

fn append(whole: &mut Batch, batch: &Batch) {
    let rows = whole.rows();
    let entries = whole.indices.len();
    whole.labels.extend_from_slice(&batch.labels);
    whole.starts.extend(batch.starts[1..].iter().map(|start| start + entries));
    whole.indices.extend_from_slice(&batch.indices);
    whole.values.extend_from_slice(&batch.values);
    whole.qids.extend(batch.qids.iter().map(|(row, id)| (row + rows, *id)));
    whole.columns = whole.columns.max(batch.columns);
}

type Arrays<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<f64>>,
    usize,
    (Vec<usize>, Vec<i64>),
);

/// `(labels, starts, indices, values, columns, (rows with a query id, query ids))`, with SciPy's index types.
fn arrays(py: Python<'_>, batch: Batch) -> Arrays<'_> {
    let narrow = i32::MAX as usize;
    let (starts, indices) = if batch.columns <= narrow && batch.indices.len() <= narrow {
        (
            batch.starts.into_iter().map(|s| s as i32).collect::<Vec<_>>().into_pyarray(py).into_any(),
            batch.indices.into_iter().map(|i| i as i32).collect::<Vec<_>>().into_pyarray(py).into_any(),
        )
    } else {
        (
            batch.starts.into_iter().map(|s| s as i64).collect::<Vec<_>>().into_pyarray(py).into_any(),
            batch.indices.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py).into_any(),
        )
    };
    (
        batch.labels.into_pyarray(py),
        starts,
        indices,
        batch.values.into_pyarray(py),
        batch.columns,
        batch.qids.into_iter().unzip(),
    )
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RowStream>()
}
