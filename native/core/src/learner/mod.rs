//! A learner: a game, the labels its classes stand for, and what a person wants to know of it later.
//!
//! # Labels that are not declared
//!
//! With two classes the smaller label is negative. A stream that has shown one label only does not
//! say yet which side it is on. Until the second one comes the game is therefore played twice, with
//! the first label as the negative class and as the positive one; then the game that guessed wrong is
//! dropped. What is left is to the bit what knowing both labels from the start would have given.

mod label;
mod text;
mod train;

pub use label::Label;
pub use text::{TextError, rows_of};
pub use train::{Ending, Schedule, Tick, TrainError, train};

use serde::{Deserialize, Serialize};

use crate::each_game;
use crate::game::{AnyGame, Counters, Order, Passes, Played, Refusal, check};
use crate::rows::{Row, Rows, Tidy};
use crate::rules::{BadSettings, Settings};

/// More classes than this are not classes.
pub const MOST_CLASSES: usize = 10_000;

/// Rows played between two looks at the memory that the rule takes.
const STRETCH: usize = 8192;

/// What a learner knows of its classes. There is one of it a learner, so its size is no matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone)]
pub enum Stage {
    /// No label seen, none declared.
    New,
    /// One label seen: the game as it is if that label is the negative class, and if the positive.
    OneLabel {
        as_negative: AnyGame,
        as_positive: AnyGame,
    },
    Settled(AnyGame),
}

/// What the games do not need, but people do. Saved with the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The index base of the text it learnt from.
    pub index_base: Option<u8>,
    /// Where the rows came from, in order.
    pub sources: Vec<String>,
    pub passes: u64,
    /// "file", "shuffle, seed S" or "misclassified".
    pub order: String,
    pub rows_refused: u64,
}

#[derive(Clone)]
pub struct Learner {
    /// As they were asked for: what is automatic stays automatic here.
    pub asked: Settings,
    /// With what is automatic worked out; none before the number of columns is known.
    pub settings: Option<Settings>,
    /// Sorted.
    pub labels: Vec<Label>,
    pub stage: Stage,
    pub columns: usize,
    /// Names of the columns, where rows came with names.
    pub names: Option<Vec<String>>,
    pub about: About,
    room: Tidy,
}

impl Clone for Tidy {
    /// Room is not state.
    fn clone(&self) -> Self {
        Tidy::default()
    }
}

/// Why a learner did not do what it was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum LearnError {
    Settings(BadSettings),
    /// Something is automatic, and the number of columns is not known.
    ColumnsUnknown,
    /// So many columns (or so much beside them) do not fit.
    Memory {
        columns: usize,
        bytes: u64,
        limit: u64,
    },
    /// The limit allows so many columns, but the machine does not have the memory.
    NoMemory {
        columns: usize,
        bytes: u64,
    },
    /// Row `row` (from 0, of those given in this call) was refused; those before it were learnt.
    Refused {
        row: usize,
        refusal: Refusal,
    },
    /// Labels that cannot be the classes.
    Labels(String),
    /// A label that none of the classes has, and it is too late for a new one.
    NewLabel {
        label: Label,
        known: Vec<Label>,
    },
    /// An order that needs all rows in memory, and they do not fit.
    RowsTooLarge {
        bytes: u64,
        limit: u64,
    },
}

impl std::fmt::Display for LearnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LearnError::Settings(bad) => bad.fmt(f),
            LearnError::ColumnsUnknown => f.write_str(
                "the rule's automatic parameter (Winnow's threshold n, the p-norm's p = 2 ln d) depends on the number of \
                 columns, which is not known yet: declare n_features (--features), or set threshold or p",
            ),
            LearnError::Memory { columns, bytes, limit } => write!(
                f,
                "{columns} columns need {bytes} bytes of weights, more than memory_limit (--memory-limit) = {limit} allows"
            ),
            LearnError::NoMemory { columns, bytes } => {
                write!(f, "{columns} columns need {bytes} bytes of weights, more than this machine can give")
            }
            LearnError::Refused { row, refusal } => write!(f, "row {row}: {refusal}"),
            LearnError::Labels(found) => f.write_str(found),
            LearnError::NewLabel { label, known } => write!(
                f,
                "expected one of the classes {}, found {label}: to learn more than two, declare them all (classes=, --classes) before the first row",
                label::list(known)
            ),
            LearnError::RowsTooLarge { bytes, limit } => write!(
                f,
                "this order needs all rows in memory: {bytes} bytes so far, more than memory_limit (--memory-limit) = {limit} allows"
            ),
        }
    }
}

impl std::error::Error for LearnError {}

impl Learner {
    pub fn new(settings: Settings) -> Result<Self, LearnError> {
        settings.check().map_err(LearnError::Settings)?;
        Ok(Learner {
            asked: settings,
            settings: (!settings.wants_columns()).then_some(settings),
            labels: Vec::new(),
            stage: Stage::New,
            columns: 0,
            names: None,
            about: About::default(),
            room: Tidy::default(),
        })
    }

    /// Says how many columns there are: settles what depends on their number, and makes room.
    pub fn begin(&mut self, columns: usize) -> Result<(), LearnError> {
        if self.settings.is_none() {
            self.settings = Some(self.asked.resolved(columns));
        }
        self.reserve(columns)
    }

    /// Makes room for columns.
    pub fn reserve(&mut self, columns: usize) -> Result<(), LearnError> {
        if columns <= self.columns {
            return Ok(());
        }
        let bytes = match &self.stage {
            Stage::New => 16usize.saturating_mul(columns),
            Stage::OneLabel { as_negative, .. } => as_negative.bytes(columns).saturating_mul(2),
            Stage::Settled(game) => game.bytes(columns),
        };
        self.must_fit(columns, bytes)?;
        // Asked for in one piece and given back: growing cannot say no, it would end the process.
        if Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
            return Err(LearnError::NoMemory { columns, bytes: bytes as u64 });
        }
        match &mut self.stage {
            Stage::New => {}
            Stage::OneLabel { as_negative, as_positive } => {
                as_negative.grow(columns);
                as_positive.grow(columns);
            }
            Stage::Settled(game) => game.grow(columns),
        }
        self.columns = columns;
        Ok(())
    }

    /// How many columns the memory limit has room for, once both labels are known.
    #[must_use]
    pub fn column_limit(&self) -> u64 {
        let per_column = |game: &AnyGame| (game.bytes(1) - game.bytes(0)) as u64;
        let bytes = match &self.stage {
            Stage::New => per_column(&AnyGame::new(&self.asked, 2)),
            Stage::Settled(game) | Stage::OneLabel { as_negative: game, .. } => per_column(game),
        };
        self.asked.memory_limit / bytes
    }

    fn must_fit(&self, columns: usize, bytes: usize) -> Result<(), LearnError> {
        let limit = self.asked.memory_limit;
        if bytes as u64 > limit {
            return Err(LearnError::Memory { columns, bytes: bytes as u64, limit });
        }
        Ok(())
    }

    /// Declares the classes. Allowed once, or again with the same labels.
    pub fn declare(&mut self, mut labels: Vec<Label>) -> Result<(), LearnError> {
        let mut comparable = true;
        labels.sort_by(|a, b| {
            a.order(b).unwrap_or_else(|| {
                comparable = false;
                std::cmp::Ordering::Equal
            })
        });
        if !comparable {
            return Err(LearnError::Labels(format!(
                "classes must be all numbers or all text, found {}",
                label::list(&labels)
            )));
        }
        labels.dedup_by(|a, b| a.same(b));
        if labels.len() > MOST_CLASSES {
            return Err(LearnError::Labels(format!(
                "expected at most {MOST_CLASSES} classes, found {}: are these labels real numbers to be predicted (separatrix regress)?",
                labels.len()
            )));
        }
        match (&self.stage, labels.len()) {
            (Stage::New, 0) => Ok(()),
            (Stage::New, 1) => {
                let settings = self.settings.ok_or(LearnError::ColumnsUnknown)?;
                let mut game = AnyGame::new(&settings, 2);
                self.must_fit(self.columns, 2 * game.bytes(self.columns))?;
                game.grow(self.columns);
                self.stage = Stage::OneLabel { as_negative: game.clone(), as_positive: game };
                self.labels = labels;
                Ok(())
            }
            (Stage::New, classes) => {
                let settings = self.settings.ok_or(LearnError::ColumnsUnknown)?;
                let mut game = AnyGame::new(&settings, classes);
                self.must_fit(self.columns, game.bytes(self.columns))?;
                game.grow(self.columns);
                self.stage = Stage::Settled(game);
                self.labels = labels;
                Ok(())
            }
            (Stage::OneLabel { .. }, 2) if labels.iter().any(|l| l.same(&self.labels[0])) => {
                let first_is_positive = labels[1].same(&self.labels[0]);
                if let Stage::OneLabel { as_negative, as_positive } = std::mem::replace(&mut self.stage, Stage::New) {
                    self.stage = Stage::Settled(if first_is_positive { as_positive } else { as_negative });
                }
                self.labels = labels;
                Ok(())
            }
            _ if labels.iter().all(|l| self.class_of(l).is_some()) => Ok(()),
            _ => Err(LearnError::Labels(format!(
                "expected labels among the known classes {}, found {}: declare all classes (classes=, --classes) before the first row",
                label::list(&self.labels),
                label::list(&labels)
            ))),
        }
    }

    /// The class that a label stands for.
    #[must_use]
    pub fn class_of(&self, label: &Label) -> Option<usize> {
        self.labels.iter().position(|known| known.same(label))
    }

    /// Takes a label as it comes: known, or new and still allowed to be. Answers its class, which
    /// is 0 as long as it is the only one.
    pub fn meet(&mut self, label: &Label) -> Result<usize, LearnError> {
        if let Some(class) = self.class_of(label) {
            return Ok(class);
        }
        let mut labels = self.labels.clone();
        labels.push(label.clone());
        if labels.len() > 2 {
            return Err(LearnError::NewLabel { label: label.clone(), known: self.labels.clone() });
        }
        self.declare(labels)?;
        self.class_of(label).ok_or_else(|| LearnError::Labels(format!("{label} is not a label that can be compared")))
    }

    /// Plays rows of known classes. The rows before a refused one were learnt.
    pub fn play<X: Rows>(
        &mut self,
        rows: &X,
        range: std::ops::Range<usize>,
        class_of: impl Fn(usize) -> usize,
    ) -> Result<(), LearnError> {
        self.reserve(rows.columns())?;
        let mut from = range.start;
        while from < range.end {
            let to = range.end.min(from + STRETCH);
            self.play_stretch(rows, from..to, &class_of)
                .map_err(|(row, refusal)| LearnError::Refused { row, refusal })?;
            from = to;
            self.must_fit(self.columns, self.bytes())?;
        }
        Ok(())
    }

    fn play_stretch<X: Rows>(
        &mut self,
        rows: &X,
        range: std::ops::Range<usize>,
        class_of: impl Fn(usize) -> usize,
    ) -> Result<(), (usize, Refusal)> {
        match &mut self.stage {
            Stage::New => Ok(()),
            Stage::Settled(game) => each_game!(game, game => game.play(rows, range, class_of, &mut self.room)),
            Stage::OneLabel { .. } => {
                let checked = check(rows, range.clone());
                for at in range.start..checked.as_ref().err().map_or(range.end, |(row, _)| *row) {
                    self.play_both(&rows.row(at)).map_err(|refusal| (at, refusal))?;
                }
                checked
            }
        }
    }

    /// A row of the only label, in both games: either both learn from it or neither.
    fn play_both<X: Row>(&mut self, row: &X) -> Result<bool, Refusal> {
        let Stage::OneLabel { as_negative, as_positive } = &mut self.stage else { return Ok(false) };
        each_game!(as_negative, game => game.would_err(row, 0, &mut self.room))?;
        each_game!(as_positive, game => game.would_err(row, 1, &mut self.room))?;
        let positive = first_label_looks_positive(&self.labels);
        let as_negative = each_game!(as_negative, game => game.round(row, 0, &mut self.room))?;
        let as_positive = each_game!(as_positive, game => game.round(row, 1, &mut self.room))?;
        Ok(if positive { as_positive } else { as_negative })
    }

    /// One row of a known class; answers whether it was a mistake.
    pub fn learn_one<X: Row>(&mut self, row: &X, class: usize) -> Result<bool, LearnError> {
        self.reserve(row.columns())?;
        let mistake = match &mut self.stage {
            Stage::New => Ok(false),
            Stage::Settled(game) => each_game!(game, game => game.round(row, class, &mut self.room)),
            Stage::OneLabel { .. } => self.play_both(row),
        };
        mistake.map_err(|refusal| LearnError::Refused { row: 0, refusal })
    }

    /// Plays passes over rows in memory.
    pub fn run<X: Rows>(
        &mut self,
        rows: &X,
        class_of: impl Fn(usize) -> usize,
        order: Order,
        passes: Passes,
        mut go_on: impl FnMut(&Counters) -> bool,
    ) -> Result<Played, LearnError> {
        self.reserve(rows.columns())?;
        let (columns, limit) = (self.columns, self.asked.memory_limit);
        let mut too_large = None;
        // Only the voted Perceptron grows with its mistakes.
        let mut fits = |game_bytes: usize| {
            if game_bytes as u64 > limit {
                too_large = Some(game_bytes as u64);
            }
            too_large.is_none()
        };
        let played = match &mut self.stage {
            Stage::New => Ok(Played::default()),
            Stage::Settled(game) => each_game!(game, game => game.run(rows, class_of, order, passes, |game| {
                go_on(&game.counters) && fits(bytes_of(&game.rule, columns))
            })),
            Stage::OneLabel { as_negative, as_positive } => {
                // Both play, whatever becomes of the first: they must not part before the second label. Where
                // the first was asked to stop, the second is too, as it is asked after the same rounds.
                let first =
                    each_game!(as_negative, game => game.run(rows, |_| 0, order, passes, |game| go_on(&game.counters)));
                let stop = first.as_ref().is_ok_and(|played| played.stopped).then(|| as_negative.counters().rounds);
                let second = each_game!(as_positive, game => game.run(rows, |_| 1, order, passes, |game| {
                    stop.is_none_or(|rounds| game.counters.rounds < rounds)
                }));
                first.and(second)
            }
        };
        if let Some(bytes) = too_large {
            return Err(LearnError::Memory { columns, bytes, limit });
        }
        played.map_err(|(row, refusal)| LearnError::Refused { row, refusal })
    }

    fn bytes(&self) -> usize {
        self.game().map_or(0, |game| game.bytes(self.columns))
    }

    /// The game that is shown to people: the only one, or that of the side the only label looks like.
    #[must_use]
    pub fn game(&self) -> Option<&AnyGame> {
        match &self.stage {
            Stage::New => None,
            Stage::Settled(game) => Some(game),
            Stage::OneLabel { as_negative, as_positive } => Some([as_negative, as_positive][self.shown()]),
        }
    }

    /// Which of the games, as [`Learner::counters`] numbers them, `game` is.
    #[must_use]
    pub fn shown(&self) -> usize {
        usize::from(matches!(self.stage, Stage::OneLabel { .. }) && first_label_looks_positive(&self.labels))
    }

    /// The counters of every game that is played: none, one, or while there is one label only that in which
    /// it is the negative class and that in which it is the positive one.
    #[must_use]
    pub fn counters(&self) -> Vec<&Counters> {
        match &self.stage {
            Stage::New => Vec::new(),
            Stage::Settled(game) => vec![game.counters()],
            Stage::OneLabel { as_negative, as_positive } => vec![as_negative.counters(), as_positive.counters()],
        }
    }

    /// How many scores a row has: one for two classes, else one a class.
    #[must_use]
    pub fn scores_per_row(&self) -> usize {
        if self.labels.len() > 2 { self.labels.len() } else { 1 }
    }

    /// Whether rows can be scored: their storage is in order.
    pub fn check<X: Rows>(&self, rows: &X) -> Result<(), LearnError> {
        check(rows, 0..rows.len()).map_err(|(row, refusal)| LearnError::Refused { row, refusal })
    }

    /// Scores of one row, and the class they stand for (0 while there is one label only).
    pub fn predict_one<X: Row>(&self, row: &X, scores: &mut [f64], room: &mut Tidy) -> Result<usize, Refusal> {
        let Some(game) = self.game() else { return Ok(0) };
        each_game!(game, game => {
            game.scores(row, scores, room)?;
            Ok(if self.labels.len() == 1 { 0 } else { game.class_of_scores(scores) })
        })
    }

    /// The coefficients behind the predictions of one vector, the intercept last.
    #[must_use]
    pub fn coefficients(&self, vector: usize) -> Option<Vec<f64>> {
        use crate::rules::Rule;
        each_game!(self.game()?, game => game.rule.coefficients(vector, game.counters.rounds))
    }
}

/// Mistakes on rows of each of so many labels: a label that is alone is on either side.
#[must_use]
pub fn mistakes_by_label(counters: &Counters, labels: usize) -> Vec<u64> {
    if labels == 1 { vec![counters.mistakes] } else { counters.mistakes_by_class.clone() }
}

/// Bytes of a rule with so many columns.
fn bytes_of(rule: &impl crate::rules::Rule, columns: usize) -> usize {
    rule.bytes_per_column().saturating_mul(columns).saturating_add(rule.bytes_beside())
}

/// Which of the two games to show while only one label is known: nothing that is learnt depends on it.
fn first_label_looks_positive(labels: &[Label]) -> bool {
    labels.first().and_then(Label::number).is_none_or(|number| number > 0.0)
}
