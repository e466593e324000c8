//! Learning from text: one streaming pass, or as many as asked.
//!
//! The first pass in file order learns while it reads, in constant memory. For later passes the rows
//! are kept if they fit in [`Schedule::hold`] bytes, and the sources read again if not: the game is
//! the same to the bit. Other orders need all rows in memory before the first round.
//!
//! Text does not say how many columns or classes it has. Where a rule's automatic parameter needs the
//! columns, or a third label turns up in an undeclared run, the sources are surveyed once, without
//! learning, and the run begins (again) with what was found.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use super::text::class_among;
use super::{Label, LearnError, Learner, Stage, TextError, label, mistakes_by_label};
use crate::game::{AnyGame, Counters, Order, Passes, Played};
use crate::rows::SparseRows;
use crate::stream::{Failure, Progress, Stream, StreamError, Summary};
use crate::text::{Batch, IndexBase};

/// How a run goes.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub order: Order,
    pub passes: Passes,
    /// Bytes of rows that may be kept for later passes in file order.
    pub hold: usize,
    /// The sources can be opened again.
    pub again: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// From 1; 0 while the sources are surveyed.
    pub pass: u64,
    pub progress: Progress,
    /// Of this run, as `mistakes` are.
    pub rounds: u64,
    pub mistakes: u64,
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    pub played: Played,
    /// Of the first pass.
    pub summary: Summary,
    /// More than two labels were found on the way, and the run began again with all of them.
    pub restarted: bool,
    /// Rounds of this run.
    pub rounds: u64,
    /// Mistakes of this run on rows of each label.
    pub mistakes_by_label: Vec<u64>,
}

/// Why a run failed. What was learnt before stays learnt.
#[derive(Debug)]
pub enum TrainError {
    Stream(StreamError),
    /// `place` is "file:line" where a row is to blame.
    Learn {
        place: Option<String>,
        error: LearnError,
    },
    /// Something can be had only by reading the sources twice.
    ReadOnce(&'static str),
}

impl std::fmt::Display for TrainError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TrainError::Stream(error) => error.fmt(f),
            TrainError::Learn { place: Some(place), error: LearnError::Refused { refusal, .. } } => {
                write!(f, "{place}: {refusal}")
            }
            TrainError::Learn { place: Some(place), error } => write!(f, "{place}: {error}"),
            TrainError::Learn { place: None, error } => error.fmt(f),
            TrainError::ReadOnce(what) => write!(f, "standard input and file objects can be read only once: {what}"),
        }
    }
}

impl std::error::Error for TrainError {}

impl From<StreamError> for TrainError {
    fn from(error: StreamError) -> Self {
        TrainError::Stream(error)
    }
}

impl From<LearnError> for TrainError {
    fn from(error: LearnError) -> Self {
        TrainError::Learn { place: None, error }
    }
}

/// Rows kept in memory, and where each came from.
#[derive(Default)]
struct Held {
    labels: Vec<f64>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    places: Vec<(usize, u64)>,
    columns: usize,
}

impl Held {
    fn bytes_with(&self, batch: &Batch) -> usize {
        (self.values.len() + batch.values.len()) * 12 + (self.labels.len() + batch.rows()) * 32
    }

    fn push(&mut self, batch: &Batch) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let entries = self.values.len();
        self.labels.extend_from_slice(&batch.labels);
        self.starts.extend(batch.starts[1..].iter().map(|start| start + entries));
        self.indices.extend_from_slice(&batch.indices);
        self.values.extend_from_slice(&batch.values);
        self.places.extend(batch.lines.iter().map(|line| (batch.file, *line)));
        self.columns = self.columns.max(batch.columns);
    }

    fn rows(&self) -> SparseRows<'_, usize, u32, f64> {
        let starts: &[usize] = if self.starts.is_empty() { &[0] } else { &self.starts };
        SparseRows::trusted(starts, &self.indices, &self.values, self.columns)
    }
}

/// One run over sources that `open` opens, read with the index base it is given.
struct Run<'a, O, T> {
    learner: &'a mut Learner,
    open: O,
    schedule: Schedule,
    tick: T,
    base: IndexBase,
    pass: u64,
    /// Rounds and mistakes of the learner before this run.
    before: (u64, u64),
}

/// Trains a learner on text. `tick` is called about every 50 ms and may end the run after the batch
/// being played.
pub fn train(
    learner: &mut Learner,
    base: IndexBase,
    open: impl FnMut(IndexBase) -> Result<Stream, StreamError>,
    schedule: Schedule,
    tick: impl FnMut(&Tick) -> ControlFlow<()>,
) -> Result<Ending, TrainError> {
    let fresh = matches!(learner.stage, Stage::New).then(|| learner.clone());
    let earlier: Vec<Counters> = learner.counters().into_iter().cloned().collect();
    let only_label = learner.labels.first().filter(|_| earlier.len() == 2).cloned();
    let before = counts(learner);
    let mut run = Run { learner, open, schedule, tick, base, pass: 0, before };
    let stopped = || Ending { played: Played { stopped: true, ..Played::default() }, ..Ending::default() };
    if run.learner.settings.is_none() && schedule.order == Order::File {
        let survey =
            run.survey("declare the number of columns (--features), or set the parameter that depends on it")?;
        let Some((_, columns)) = survey else { return Ok(stopped()) };
        run.learner.begin(columns)?;
    }
    let mut ending = match (schedule.order, run.passes_in_file_order(), fresh) {
        (Order::File, Err(TrainError::Learn { error: LearnError::NewLabel { .. }, .. }), Some(fresh))
            if schedule.again =>
        {
            *run.learner = fresh;
            let Some((labels, columns)) = run.survey("declare the classes (--classes)")? else {
                return Ok(stopped());
            };
            run.learner.begin(columns)?;
            run.learner.declare(labels)?;
            run.pass = 0;
            run.passes_in_file_order().map(|ending| Ending { restarted: true, ..ending })
        }
        (_, ending, _) => ending,
    }?;
    learner.about.passes += ending.played.passes;
    learner.about.rows_refused += ending.summary.rows_refused;
    learner.about.index_base = learner.about.index_base.or(ending.summary.index_base.map(|b| b as u8));
    learner.about.order = match schedule.order {
        Order::File => "file".into(),
        Order::Shuffle { seed } => format!("shuffle, seed {seed}"),
        Order::Misclassified => "misclassified".into(),
    };
    // The game that went on: where there were two, the second label decides which of them it was.
    let went_on = match only_label {
        Some(label) if learner.labels.len() > 1 => learner.class_of(&label).unwrap_or(0),
        _ => learner.shown(),
    };
    if let (Some(now), then) = (learner.game().map(AnyGame::counters), earlier.get(went_on)) {
        ending.rounds = now.rounds - then.map_or(0, |then| then.rounds);
        ending.mistakes_by_label = mistakes_by_label(now, learner.labels.len());
        let then = then.map_or_else(Vec::new, |then| mistakes_by_label(then, learner.labels.len()));
        for (now, then) in ending.mistakes_by_label.iter_mut().zip(then) {
            *now -= then;
        }
    }
    Ok(ending)
}

impl<O, T> Run<'_, O, T>
where
    O: FnMut(IndexBase) -> Result<Stream, StreamError>,
    T: FnMut(&Tick) -> ControlFlow<()>,
{
    /// All labels and the number of columns, without learning; none if someone asked to stop, for what a
    /// part of the rows says would settle the rule's parameters for good.
    fn survey(&mut self, otherwise: &'static str) -> Result<Option<(Vec<Label>, usize)>, TrainError> {
        if !self.schedule.again {
            return Err(TrainError::ReadOnce(otherwise));
        }
        let (mut labels, mut columns) = (Vec::new(), 0);
        let stream = (self.open)(self.base)?;
        let tick = &mut self.tick;
        let visited = stream.for_each(
            |batch| {
                columns = columns.max(batch.columns);
                note_labels(&mut labels, &batch.labels)
            },
            |progress| tick(&Tick { pass: 0, progress: *progress, rounds: 0, mistakes: 0 }),
        );
        let summary = visited.map_err(|failure| match failure {
            Failure::Stream(error) => TrainError::Stream(error),
            Failure::Visit(error) => error.into(),
        })?;
        Ok((!summary.stopped).then(|| (labels.into_iter().map(Label::Number).collect(), columns)))
    }

    fn passes_in_file_order(&mut self) -> Result<Ending, TrainError> {
        if self.schedule.order != Order::File {
            return self.passes_in_memory();
        }
        let passes = self.schedule.passes;
        let mut ending = Ending::default();
        let mut held = (passes.limit() > 1).then(Held::default);
        while ending.played.passes < passes.limit() {
            self.pass += 1;
            let (_, before) = counts(self.learner);
            let (mut summary, names) = self.pass_over_text(&mut held)?;
            let mistakes = counts(self.learner).1.saturating_sub(before);
            // A pass may be over before anyone is asked, and there may be thousands of such.
            summary.stopped |= self.tell(&summary).is_break();
            let first = ending.played.passes == 0;
            ending.played = Played {
                passes: ending.played.passes + 1,
                clean: mistakes == 0 && !summary.stopped,
                stopped: summary.stopped,
            };
            if let (IndexBase::Auto, Some(base)) = (self.base, summary.index_base) {
                self.base = if base == 0 { IndexBase::Zero } else { IndexBase::One };
            }
            let over = summary.stopped || passes.over(ending.played.passes, mistakes);
            if first {
                ending.summary = summary;
            }
            if over {
                break;
            }
            if let Some(held) = held.take() {
                let left = match passes {
                    Passes::Fixed(n) => Passes::Fixed(n - 1),
                    Passes::UntilClean { limit } => Passes::UntilClean { limit: limit - 1 },
                };
                let later = self.run_held(&held, &names, left)?;
                ending.played = Played { passes: later.passes + 1, ..later };
                break;
            }
            if !self.schedule.again {
                return Err(TrainError::ReadOnce("more than one pass over so many rows needs a file"));
            }
        }
        Ok(ending)
    }

    /// One pass that learns while it reads; rows go into `held` while they fit.
    fn pass_over_text(&mut self, held: &mut Option<Held>) -> Result<(Summary, Vec<String>), TrainError> {
        let stream = (self.open)(self.base)?;
        let names = stream.names().to_vec();
        let (rounds, mistakes) = (AtomicU64::new(0), AtomicU64::new(0));
        let (pass, before) = (self.pass, self.before);
        let (learner, tick, hold) = (&mut *self.learner, &mut self.tick, self.schedule.hold);
        let visited = stream.for_each(
            |batch| {
                learner.play_text(batch).map_err(|e| blame(e, batch, &names))?;
                if held.as_ref().is_some_and(|held| held.bytes_with(batch) > hold) {
                    *held = None;
                }
                if let Some(held) = held {
                    held.push(batch);
                }
                let now = counts(learner);
                rounds.store(now.0 - before.0, Ordering::Relaxed);
                mistakes.store(now.1.saturating_sub(before.1), Ordering::Relaxed);
                Ok(())
            },
            |progress| {
                let (rounds, mistakes) = (rounds.load(Ordering::Relaxed), mistakes.load(Ordering::Relaxed));
                tick(&Tick { pass, progress: *progress, rounds, mistakes })
            },
        );
        match visited {
            Ok(summary) => Ok((summary, names)),
            Err(Failure::Stream(error)) => Err(error.into()),
            Err(Failure::Visit(error)) => Err(error),
        }
    }

    /// Says how far the run is at the end of a pass over the text.
    fn tell(&mut self, summary: &Summary) -> ControlFlow<()> {
        let progress = Progress {
            bytes_read: summary.bytes,
            bytes_total: None,
            rows: summary.rows,
            rows_refused: summary.rows_refused,
        };
        let (rounds, mistakes) = counts(self.learner);
        let (rounds, mistakes) = (rounds - self.before.0, mistakes.saturating_sub(self.before.1));
        (self.tick)(&Tick { pass: self.pass, progress, rounds, mistakes })
    }

    /// All rows into memory, then passes in an order that text cannot be read in.
    fn passes_in_memory(&mut self) -> Result<Ending, TrainError> {
        let stream = (self.open)(self.base)?;
        let names = stream.names().to_vec();
        let limit = self.learner.asked.memory_limit;
        let (mut held, mut labels) = (Held::default(), Vec::new());
        let tick = &mut self.tick;
        let visited = stream.for_each(
            |batch| {
                let bytes = held.bytes_with(batch) as u64;
                if bytes > limit {
                    return Err(LearnError::RowsTooLarge { bytes, limit });
                }
                held.push(batch);
                note_labels(&mut labels, &batch.labels)
            },
            |progress| tick(&Tick { pass: 0, progress: *progress, rounds: 0, mistakes: 0 }),
        );
        let summary = match visited {
            Ok(summary) => summary,
            Err(Failure::Stream(error)) => return Err(error.into()),
            Err(Failure::Visit(error)) => return Err(error.into()),
        };
        let mut ending = Ending { summary, ..Ending::default() };
        if ending.summary.stopped {
            ending.played.stopped = true;
            return Ok(ending);
        }
        self.learner.begin(held.columns)?;
        self.learner.declare(labels.into_iter().map(Label::Number).collect())?;
        ending.played = self.run_held(&held, &names, self.schedule.passes)?;
        Ok(ending)
    }

    /// Plays passes over the rows that were kept.
    fn run_held(&mut self, held: &Held, names: &[String], passes: Passes) -> Result<Played, TrainError> {
        let numbers: Vec<f64> = self.learner.labels.iter().map(|l| l.number().unwrap_or(f64::NAN)).collect();
        let classes: Vec<usize> = held.labels.iter().map(|l| class_among(&numbers, *l).unwrap_or(0)).collect();
        let (tick, rows, before) = (&mut self.tick, held.labels.len().max(1) as u64, self.before);
        let (first, _) = counts(self.learner);
        let mut told = std::time::Instant::now();
        let played = self.learner.run(
            &held.rows(),
            |row| classes[row],
            self.schedule.order,
            passes,
            |counters| {
                if told.elapsed().as_millis() < 50 {
                    return true;
                }
                told = std::time::Instant::now();
                let pass = 1 + self.pass + (counters.rounds - first) / rows;
                let (rounds, mistakes) = (counters.rounds - before.0, counters.mistakes.saturating_sub(before.1));
                tick(&Tick { pass, progress: Progress::default(), rounds, mistakes }).is_continue()
            },
        );
        played.map_err(|error| {
            let place = match &error {
                LearnError::Refused { row, .. } => {
                    held.places.get(*row).map(|(file, line)| format!("{}:{line}", names[*file]))
                }
                _ => None,
            };
            TrainError::Learn { place, error }
        })
    }
}

/// Rounds and mistakes so far.
fn counts(learner: &Learner) -> (u64, u64) {
    learner.game().map_or((0, 0), |game| (game.counters().rounds, game.counters().mistakes))
}

/// Names the row that an error is about.
fn blame(e: TextError, batch: &Batch, names: &[String]) -> TrainError {
    let place = e.row.map(|row| format!("{}:{}", names[batch.file], batch.lines[row]));
    TrainError::Learn { place, error: e.error }
}

/// Adds new labels to a sorted list of them.
fn note_labels(known: &mut Vec<f64>, labels: &[f64]) -> Result<(), LearnError> {
    for label in labels {
        let label = label + 0.0;
        if let Err(at) = known.binary_search_by(|k| k.total_cmp(&label)) {
            known.insert(at, label);
            if known.len() > super::MOST_CLASSES {
                let labels: Vec<Label> = known.iter().copied().map(Label::Number).collect();
                return Err(LearnError::Labels(format!(
                    "expected at most {} classes, found {}: are these labels real numbers to be predicted (separatrix regress)?",
                    super::MOST_CLASSES,
                    label::list(&labels)
                )));
            }
        }
    }
    Ok(())
}
