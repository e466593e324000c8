//! Learning from text and predicting it: the whole run is native, Python is told how it goes.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use separatrix_core::game::Passes;
use separatrix_core::learner::{LearnError, Schedule, Tick, TrainError};
use separatrix_core::rows::Tidy;
use separatrix_core::stream::{Failure, Stream, Summary};
use separatrix_core::text::{IndexBase, Labels, Options};

use crate::errors;
use crate::learner::{Learner, order_of};
use crate::reading::{SourceArgument, bad_rows_of, sources, stream_error};

/// How text is read, from keyword arguments of the same names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Reading {
    index_base: Option<u8>,
    bad_rows: String,
    max_line_bytes: usize,
    threads: usize,
}

impl Reading {
    fn options(&self, labels: Labels, column_limit: u32) -> Options {
        Options {
            base: base_of(self.index_base),
            bad_rows: bad_rows_of(&self.bad_rows),
            labels,
            column_limit,
            line_limit: self.max_line_bytes,
            threads: self.threads,
            ..Options::default()
        }
    }
}

fn base_of(base: Option<u8>) -> IndexBase {
    match base {
        None => IndexBase::Auto,
        Some(0) => IndexBase::Zero,
        Some(_) => IndexBase::One,
    }
}

/// Says how a run goes, at most some twenty times a second, and asks whether to stop. `tick` returns
/// True to stop; a signal's exception stops too, and is raised when the run has ended cleanly.
struct Teller<'a> {
    tick: Option<&'a Py<PyAny>>,
    raised: &'a mut Option<PyErr>,
}

impl Teller<'_> {
    fn tell(&mut self, tick: &Tick) -> ControlFlow<()> {
        let stop = Python::attach(|py| {
            py.check_signals()?;
            let Some(callback) = self.tick else { return Ok(false) };
            let p = &tick.progress;
            let told = (tick.pass, p.bytes_read, p.bytes_total, p.rows, p.rows_refused, tick.rounds, tick.mistakes);
            callback.call1(py, told)?.is_truthy(py)
        });
        match stop {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                *self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

fn describe(summary: &Summary, into: &Bound<'_, PyDict>) -> PyResult<()> {
    into.set_item("rows", summary.rows)?;
    into.set_item("rows_refused", summary.rows_refused)?;
    into.set_item("first_bad", summary.first_bad.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    into.set_item("bytes", summary.bytes)?;
    into.set_item("stopped", summary.stopped)
}

/// Trains a learner on text: (what came of it, what was raised on the way after a clean stop).
#[pyfunction]
#[pyo3(signature = (learner, sources, reading, *, order, seed, passes, until_clean, hold, tick=None))]
fn train_text<'py>(
    py: Python<'py>,
    learner: &Learner,
    sources: Vec<SourceArgument>,
    reading: Reading,
    order: &str,
    seed: u64,
    passes: u64,
    until_clean: bool,
    hold: usize,
    tick: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Option<PyErr>)> {
    let again = sources.iter().all(SourceArgument::can_be_opened_again);
    let schedule = Schedule {
        order: order_of(order, seed)?,
        passes: if until_clean { Passes::UntilClean { limit: passes } } else { Passes::Fixed(passes) },
        hold,
        again,
    };
    let mut inner = learner.lock(py)?;
    let core = &mut inner.core;
    // A row beyond it is a bad row, with its place; the learner's own check is for what comes together later.
    let column_limit = u32::try_from(core.column_limit()).unwrap_or(u32::MAX);
    let options = reading.options(Labels::Required, column_limit);
    let base = base_of(reading.index_base.or(core.about.index_base));
    let mut raised = None;
    let mut opener = SourceArgument::opener(sources);
    let outcome = py.detach(|| {
        let mut teller = Teller { tick: tick.as_ref(), raised: &mut raised };
        separatrix_core::learner::train(
            core,
            base,
            |base| Stream::open(opener(), Options { base, ..options.clone() }),
            schedule,
            |tick| teller.tell(tick),
        )
    });
    inner.refresh(py)?;
    let ending = match (outcome, raised.take()) {
        (Ok(ending), error) => {
            raised = error;
            ending
        }
        (Err(_), Some(error)) => return Err(error),
        (Err(error), None) => return Err(train_error(py, error)),
    };
    let told = PyDict::new(py);
    describe(&ending.summary, &told)?;
    told.set_item("passes", ending.played.passes)?;
    told.set_item("clean", ending.played.clean)?;
    told.set_item("stopped", ending.played.stopped)?;
    told.set_item("restarted", ending.restarted)?;
    told.set_item("rounds", ending.rounds)?;
    told.set_item("mistakes_by_class", ending.mistakes_by_label)?;
    Ok((told, raised))
}

fn train_error(py: Python<'_>, error: TrainError) -> PyErr {
    let text = error.to_string();
    match error {
        TrainError::Stream(error) => stream_error(py, error),
        TrainError::Learn { error, .. } if !errors::is_about_usage(&error) => errors::input(text),
        TrainError::Learn { .. } | TrainError::ReadOnce(_) => errors::usage(text),
    }
}

/// Predicts text: a line a row, its label or its scores, to `write`. Rows whose label is none of the
/// classes are counted apart.
#[pyfunction]
#[pyo3(signature = (learner, sources, reading, *, scores, write, tick=None))]
fn predict_text<'py>(
    py: Python<'py>,
    learner: &Learner,
    sources: Vec<SourceArgument>,
    reading: Reading,
    scores: bool,
    write: Option<Py<PyAny>>,
    tick: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let inner = learner.lock(py)?;
    let core = &inner.core;
    let base = base_of(reading.index_base.or(core.about.index_base));
    let options = Options { base, ..reading.options(Labels::Optional, u32::MAX) };
    let sources = self::sources(sources);
    let names: Vec<String> = core.labels.iter().map(plain).collect();
    let numbers: Vec<f64> = core.labels.iter().map(|l| l.number().unwrap_or(f64::NAN)).collect();
    let (mut errors, mut known, mut strange) = (0u64, 0u64, 0u64);
    let mut raised = None;
    let outcome = py.detach(|| {
        let stream = Stream::open(sources, options).map_err(Failure::Stream)?;
        let files = stream.names().to_vec();
        let (mut room, mut lines) = (Tidy::default(), String::new());
        let mut teller = Teller { tick: tick.as_ref(), raised: &mut raised };
        stream.for_each(
            |batch| {
                lines.clear();
                core.predict_text(batch, &mut room, |row, class, row_scores| {
                    let label = batch.labels[row];
                    match numbers.iter().position(|n| *n == label) {
                        Some(truth) => {
                            known += 1;
                            errors += u64::from(truth != class);
                        }
                        None => strange += u64::from(!label.is_nan()),
                    }
                    if scores {
                        for (at, score) in row_scores.iter().enumerate() {
                            let blank = if at > 0 { " " } else { "" };
                            // Writing to a String cannot fail.
                            let _ = write!(lines, "{blank}{score}");
                        }
                    } else {
                        lines.push_str(names.get(class).map_or("", String::as_str));
                    }
                    lines.push('\n');
                })
                .map_err(|e| {
                    let place = e.row.map(|row| format!("{}:{}", files[batch.file], batch.lines[row]));
                    train_error_of(place, e.error)
                })?;
                match &write {
                    Some(write) => {
                        Python::attach(|py| write.call1(py, (PyBytes::new(py, lines.as_bytes()),)).map(|_| ()))
                    }
                    None => Ok(()),
                }
            },
            |progress| teller.tell(&Tick { pass: 1, progress: *progress, rounds: 0, mistakes: 0 }),
        )
    });
    if let Some(error) = raised {
        return Err(error);
    }
    let summary = match outcome {
        Ok(summary) => summary,
        Err(Failure::Stream(error)) => return Err(stream_error(py, error)),
        Err(Failure::Visit(error)) => return Err(error),
    };
    let told = PyDict::new(py);
    describe(&summary, &told)?;
    told.set_item("labelled", known)?;
    told.set_item("strange_labels", strange)?;
    told.set_item("errors", errors)?;
    Ok(told)
}

fn train_error_of(place: Option<String>, error: LearnError) -> PyErr {
    errors::input(TrainError::Learn { place, error }.to_string())
}

/// A label as text files have it.
fn plain(label: &separatrix_core::learner::Label) -> String {
    match label {
        separatrix_core::learner::Label::Text(text) => text.clone(),
        other => other.to_string(),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(train_text, module)?)?;
    module.add_function(wrap_pyfunction!(predict_text, module)?)
}
