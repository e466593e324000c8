//! The learner as Python sees it: one object, safe to use from several threads.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use separatrix_core::game::{Order, Passes};
use separatrix_core::learner::{Label, LearnError, Learner as Core};
use separatrix_core::model::write_atomically;
use separatrix_core::rows::{Rows, Tidy};

use crate::dict_row::Names;
use crate::one_row::{Reader, check_width};
use crate::rows::RowsArgument;
use crate::settings::settings_of;
use crate::{each_rows, errors, labels};

/// What one lock guards.
pub struct Inner {
    pub core: Core,
    names: Names,
    /// The classes as Python objects, to hand out without making them anew.
    classes: Vec<Py<PyAny>>,
    row: Tidy,
    room: Tidy,
    scores: Vec<f64>,
}

#[pyclass(frozen, module = "separatrix._native")]
pub struct Learner {
    inner: Mutex<Inner>,
    /// The thread that holds the lock: a thread cannot wait for itself.
    holder: AtomicU64,
}

/// The lock, held.
pub struct Held<'a> {
    guard: MutexGuard<'a, Inner>,
    holder: &'a AtomicU64,
}

impl Deref for Held<'_> {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.guard
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Inner {
        &mut self.guard
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static MINE: Cell<u64> = Cell::new(NEXT.fetch_add(1, Ordering::Relaxed)));
    MINE.with(Cell::get)
}

impl Learner {
    /// Takes the lock; while another thread has it, waits without the GIL.
    pub fn lock(&self, py: Python<'_>) -> PyResult<Held<'_>> {
        loop {
            let guard = match self.inner.try_lock() {
                Ok(guard) => guard,
                // A panic elsewhere does not make counters wrong: the core has none to throw.
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    if self.holder.load(Ordering::Relaxed) == this_thread() {
                        return Err(PyRuntimeError::new_err(
                            "this learner is at work in this very thread (a callback must not use it)",
                        ));
                    }
                    py.detach(|| drop(self.inner.lock()));
                    continue;
                }
            };
            self.holder.store(this_thread(), Ordering::Relaxed);
            return Ok(Held { guard, holder: &self.holder });
        }
    }

    fn of(py: Python<'_>, core: Core) -> PyResult<Self> {
        let names = Names::of(core.names.as_deref().unwrap_or_default());
        let mut inner =
            Inner { core, names, classes: Vec::new(), row: Tidy::default(), room: Tidy::default(), scores: Vec::new() };
        inner.show_classes(py)?;
        Ok(Learner { inner: Mutex::new(inner), holder: AtomicU64::new(0) })
    }
}

impl Inner {
    /// Makes the classes' Python objects after the labels have changed.
    fn show_classes(&mut self, py: Python<'_>) -> PyResult<()> {
        self.classes =
            self.core.labels.iter().map(|l| Ok(labels::to_python(py, l)?.unbind())).collect::<PyResult<_>>()?;
        Ok(())
    }

    /// The class of a label as it comes; the objects that were met before are recognised at once.
    fn meet(&mut self, y: &Bound<'_, PyAny>) -> PyResult<usize> {
        if let Some(class) = self.classes.iter().position(|known| known.is(y)) {
            return Ok(class);
        }
        let label = labels::from_python(y)?;
        let class = self.core.meet(&label).map_err(errors::learning)?;
        if self.classes.len() != self.core.labels.len() {
            self.show_classes(y.py())?;
        }
        Ok(class)
    }

    /// Reads a row of Python's into `self.row`.
    fn read(&mut self, x: &Bound<'_, PyAny>, grow: bool) -> PyResult<()> {
        let begun = self.core.game().is_some_and(|game| game.counters().rounds > 0);
        // Rows without any column leave open what columns will be.
        let may_be_named = !self.names.list().is_empty() || !begun || self.core.columns == 0;
        let mut reader = Reader { names: &mut self.names, may_be_named, grow };
        let named = reader.read(x, &mut self.row)?;
        if grow && named {
            let known = self.core.names.as_ref().map_or(0, Vec::len);
            if known < self.names.list().len() {
                // The weights make room for every name, even of values that are 0.
                self.core.reserve(self.names.list().len()).map_err(errors::learning)?;
                self.core.names.get_or_insert_default().extend_from_slice(&self.names.list()[known..]);
            }
        } else if grow {
            check_width(&self.row.row(), &self.names)?;
        }
        Ok(())
    }
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (rule, *, bias, normalize, tie, memory_limit, n_features=None, p=None, threshold=None, factor=None, demotion="divide", k=None, delta=None))]
    fn new(
        py: Python<'_>,
        rule: &str,
        bias: bool,
        normalize: bool,
        tie: &str,
        memory_limit: u64,
        n_features: Option<usize>,
        p: Option<f64>,
        threshold: Option<f64>,
        factor: Option<f64>,
        demotion: &str,
        k: Option<u32>,
        delta: Option<f64>,
    ) -> PyResult<Self> {
        if k == Some(0) {
            return Err(errors::usage("k must be at least 1, but is 0"));
        }
        let settings = settings_of(rule, bias, normalize, tie, memory_limit, p, threshold, factor, demotion, k, delta)?;
        let mut core = Core::new(settings).map_err(errors::learning)?;
        if let Some(columns) = n_features {
            core.begin(columns).map_err(errors::learning)?;
        }
        Learner::of(py, core)
    }

    /// Declares the classes.
    fn declare(&self, py: Python<'_>, labels: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let labels = labels.iter().map(self::labels::from_python).collect::<PyResult<Vec<Label>>>()?;
        let mut inner = self.lock(py)?;
        inner.core.declare(labels).map_err(errors::learning)?;
        inner.show_classes(py)
    }

    /// Says how many columns there are.
    fn begin(&self, py: Python<'_>, columns: usize) -> PyResult<()> {
        self.lock(py)?.core.begin(columns).map_err(errors::learning)
    }

    /// The classes known so far, sorted.
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        Ok(self.lock(py)?.classes.iter().map(|c| c.clone_ref(py)).collect())
    }

    /// Plays rows whose classes are numbered: passes in an order. Answers (passes, clean).
    /// `new_pass`: these rows begin a pass, and are not more of the last one.
    #[pyo3(signature = (rows, codes, *, order, seed, passes, until_clean, new_pass=true))]
    fn run(
        &self,
        py: Python<'_>,
        rows: RowsArgument<'_>,
        codes: CodesArgument<'_>,
        order: &str,
        seed: u64,
        passes: u64,
        until_clean: bool,
        new_pass: bool,
    ) -> PyResult<(u64, bool)> {
        let mut inner = self.lock(py)?;
        let order = order_of(order, seed)?;
        let passes = if until_clean { Passes::UntilClean { limit: passes } } else { Passes::Fixed(passes) };
        let codes = codes.view()?;
        let classes = inner.core.labels.len();
        let mut interrupted = None;
        let mut asked = std::time::Instant::now();
        let go_on = |_: &separatrix_core::game::Counters| {
            if asked.elapsed().as_millis() > 50 {
                asked = std::time::Instant::now();
                interrupted = Python::attach(|py| py.check_signals()).err();
            }
            interrupted.is_none()
        };
        let core = &mut inner.core;
        let played = each_rows!(&rows, rows => py.detach(|| {
            check_codes(codes, rows.len(), classes)?;
            core.run(rows, |row| codes.class(row), order, passes, go_on)
        }))
        .map_err(errors::learning)?;
        if let Some(error) = interrupted {
            return Err(error);
        }
        inner.core.about.passes += if new_pass { played.passes } else { played.passes.saturating_sub(1) };
        inner.core.about.order = match order {
            Order::File => "file".into(),
            Order::Shuffle { seed } => format!("shuffle, seed {seed}"),
            Order::Misclassified => "misclassified".into(),
        };
        Ok((played.passes, played.clean))
    }

    /// Scores of every row: one column for two classes, else one a class.
    fn scores<'py>(&self, py: Python<'py>, rows: RowsArgument<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock(py)?;
        let core = &inner.core;
        let width = core.scores_per_row();
        let (scores, count) = each_rows!(&rows, rows => py.detach(|| {
            core.check(rows)?;
            let mut room = Tidy::default();
            let mut scores = vec![0.0; rows.len() * width];
            for (at, scores) in scores.chunks_exact_mut(width).enumerate() {
                core.predict_one(&rows.row(at), scores, &mut room)
                    .map_err(|refusal| LearnError::Refused { row: at, refusal })?;
            }
            Ok((scores, rows.len()))
        }))
        .map_err(errors::learning)?;
        scores.into_pyarray(py).reshape([count, width])
    }

    /// The class numbers that rows are predicted to be of.
    fn predict<'py>(&self, py: Python<'py>, rows: RowsArgument<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let inner = self.lock(py)?;
        let core = &inner.core;
        let classes: Vec<i64> = each_rows!(&rows, rows => py.detach(|| {
            core.check(rows)?;
            let mut room = Tidy::default();
            let mut scores = vec![0.0; core.scores_per_row()];
            (0..rows.len())
                .map(|at| {
                    core.predict_one(&rows.row(at), &mut scores, &mut room)
                        .map(|class| class as i64)
                        .map_err(|refusal| LearnError::Refused { row: at, refusal })
                })
                .collect::<Result<_, _>>()
        }))
        .map_err(errors::learning)?;
        Ok(classes.into_pyarray(py))
    }

    /// One round; answers whether it was a mistake.
    fn learn_one(&self, py: Python<'_>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mut inner = self.lock(py)?;
        inner.read(x, true)?;
        let class = inner.meet(y)?;
        let Inner { core, row, .. } = &mut *inner;
        core.learn_one(&row.row(), class).map_err(errors::learning)
    }

    /// The label predicted for one row; None before the first label is known.
    fn predict_one(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let mut inner = self.lock(py)?;
        let class = inner.predict_one(x)?;
        Ok(inner.classes.get(class).map(|label| label.clone_ref(py)))
    }

    /// The scores of one row.
    fn scores_one(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let mut inner = self.lock(py)?;
        inner.predict_one(x)?;
        Ok(inner.scores.clone())
    }

    /// (coefficients, intercepts), a row a vector; None where no vector stands behind the predictions.
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Option<Coefficients<'py>>> {
        let inner = self.lock(py)?;
        let vectors = inner.core.scores_per_row();
        let (mut all, mut intercepts) = (Vec::new(), Vec::new());
        for vector in 0..vectors {
            let Some(mut coefficients) = inner.core.coefficients(vector) else { return Ok(None) };
            intercepts.extend(coefficients.pop());
            all.extend(coefficients);
        }
        let columns = all.len() / vectors;
        Ok(Some((all.into_pyarray(py).reshape([vectors, columns])?, intercepts.into_pyarray(py))))
    }

    /// Everything there is to tell, as a dict.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock(py)?;
        crate::describe::learner(py, &inner.core)
    }

    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.core.columns)
    }

    /// Names of the columns, where they have names.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        Ok(self.lock(py)?.core.names.clone())
    }

    /// Names the columns, all of them.
    fn name_columns(&self, py: Python<'_>, names: Vec<String>) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        inner.core.reserve(names.len()).map_err(errors::learning)?;
        inner.names = Names::of(&names);
        inner.core.names = Some(names);
        Ok(())
    }

    /// Adds where rows came from.
    fn note_source(&self, py: Python<'_>, source: String) -> PyResult<()> {
        self.lock(py)?.core.about.sources.push(source);
        Ok(())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock(py)?;
        let core = &inner.core;
        let bytes = py.detach(|| core.to_bytes()).map_err(|e| errors::model("model", e))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[classmethod]
    #[pyo3(signature = (bytes, name="model"))]
    fn from_bytes(_class: &Bound<'_, PyType>, py: Python<'_>, bytes: &[u8], name: &str) -> PyResult<Self> {
        let core = py.detach(|| Core::from_bytes(bytes)).map_err(|e| errors::model(name, e))?;
        Learner::of(py, core)
    }

    /// Writes the model file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let inner = self.lock(py)?;
        let core = &inner.core;
        let name = path.display().to_string();
        let bytes = py.detach(|| core.to_bytes()).map_err(|e| errors::model(&name, e))?;
        py.detach(|| write_atomically(&path, &bytes)).map_err(|e| match e.raw_os_error() {
            Some(code) => {
                let reason = e.to_string();
                let reason = reason.split(" (os error").next().unwrap_or_default().to_string();
                PyOSError::new_err((code, reason, name))
            }
            None => PyOSError::new_err(format!("{name}: {e}")),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        let restore = py.get_type::<Learner>().getattr("from_bytes")?;
        Ok((restore, (slf.get().to_bytes(py)?,)))
    }
}

impl Inner {
    /// Shows what a run on text may have changed.
    pub fn refresh(&mut self, py: Python<'_>) -> PyResult<()> {
        self.show_classes(py)
    }

    /// Scores one row into `self.scores` and answers its class.
    fn predict_one(&mut self, x: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.read(x, false)?;
        let Inner { core, row, room, scores, .. } = self;
        scores.resize(core.scores_per_row(), 0.0);
        core.predict_one(&row.row(), scores, room)
            .map_err(|refusal| errors::learning(LearnError::Refused { row: 0, refusal }))
    }
}

/// Coefficients, a row a vector, and intercepts.
type Coefficients<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

pub fn order_of(order: &str, seed: u64) -> PyResult<Order> {
    match order {
        "file" => Ok(Order::File),
        "shuffle" => Ok(Order::Shuffle { seed }),
        "misclassified" => Ok(Order::Misclassified),
        other => Err(errors::usage(format!("order must be 'file', 'shuffle' or 'misclassified', but is {other:?}"))),
    }
}

/// Every row's class number: bytes as `encode_labels` makes them, or whatever NumPy indexes with.
#[derive(FromPyObject)]
pub enum CodesArgument<'py> {
    Bytes(PyReadonlyArray1<'py, u8>),
    Wide(PyReadonlyArray1<'py, i64>),
}

#[derive(Clone, Copy)]
enum Codes<'a> {
    Bytes(&'a [u8]),
    Wide(&'a [i64]),
}

impl CodesArgument<'_> {
    fn view(&self) -> PyResult<Codes<'_>> {
        Ok(match self {
            CodesArgument::Bytes(array) => Codes::Bytes(array.as_slice()?),
            CodesArgument::Wide(array) => Codes::Wide(array.as_slice()?),
        })
    }
}

impl Codes<'_> {
    #[inline(always)]
    fn class(&self, row: usize) -> usize {
        match self {
            Codes::Bytes(codes) => usize::from(codes[row]),
            Codes::Wide(codes) => codes[row] as usize,
        }
    }
}

/// Every row has a code, and every code is a class.
fn check_codes(codes: Codes<'_>, rows: usize, classes: usize) -> Result<(), LearnError> {
    let (count, least, most) = match codes {
        Codes::Bytes(codes) => {
            (codes.len(), 0, codes.iter().fold(None, |most, code| most.max(Some(*code))).map(i64::from))
        }
        Codes::Wide(codes) => {
            let (least, most) = codes.iter().fold((0, -1), |(least, most), code| (*code.min(&least), *code.max(&most)));
            (codes.len(), least, Some(most))
        }
    };
    if count != rows {
        return Err(LearnError::Labels(format!("{rows} rows but {count} labels")));
    }
    // Before any label is known, and while there is one only, the one class is number 0.
    let last = classes.max(1) as i64 - 1;
    let most = most.unwrap_or(0);
    if least < 0 || most > last {
        let found = if least < 0 { least } else { most };
        return Err(LearnError::Labels(format!("expected class numbers from 0 to {last}, found {found}")));
    }
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Learner>()
}
