//! The game: see a row, predict, learn its class, change on a mistake, count. The one loop that every
//! learner, file, batch and single row goes through.

mod any;
mod counters;
mod order;

pub use any::AnyGame;
pub use counters::Counters;
pub use order::{Order, Passes, Played, Shuffle, Stop};

use std::ops::Range;

use crate::rows::{CHECKED_TOGETHER, Engine, Row, Rows, Scan, Tidy, Untidy, Work};
use crate::rules::{Change, OutOfDomain, Rule, Tie};

/// Why a row was not played. Nothing was learnt from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    Untidy(Untidy),
    OutOfDomain(OutOfDomain),
    /// A sparse row's column indices are not in order, or not below so many columns.
    NotRising {
        columns: usize,
    },
    /// The row is fine, but its score is not a finite number.
    Score(f64),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Untidy(Untidy::NotFinite { column, value }) => {
                write!(f, "column {column} (counted from 0): expected a finite number, found {value}")
            }
            Refusal::Untidy(Untidy::TooLong) => f.write_str(
                "expected values whose squares add up to a finite number, found larger ones: scale them down",
            ),
            Refusal::OutOfDomain(OutOfDomain { column, value, expected }) => {
                write!(f, "column {column} (counted from 0): found {value}. {expected}")
            }
            Refusal::NotRising { columns } => {
                write!(f, "expected column indices that rise strictly from 0 and are below {columns}")
            }
            Refusal::Score(score) => {
                write!(
                    f,
                    "expected a finite score, found {score}: the products with the weights overflow, scale the values down"
                )
            }
        }
    }
}

/// How the game is played, whatever the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    pub bias: bool,
    pub normalize: bool,
    pub tie: Tie,
}

/// One learner at play.
#[derive(Clone)]
pub struct Game<R> {
    pub rule: R,
    pub terms: Terms,
    pub counters: Counters,
}

/// The class with the largest score; ties go to the last one under `Tie::Positive`, else to the first.
#[must_use]
pub fn best_class(scores: &[f64], tie: Tie) -> usize {
    let mut best = 0;
    for class in 1..scores.len() {
        if scores[class] > scores[best] || (tie == Tie::Positive && scores[class] == scores[best]) {
            best = class;
        }
    }
    best
}

/// Whether two-class `score` is wrong for `class` (1 is positive).
///
/// Without a branch on the class: of labels that follow no pattern every second such branch is guessed
/// wrongly, and the next row's work is thrown away.
#[inline(always)]
fn is_mistake(score: f64, class: usize, tie: Tie) -> bool {
    let positive = class == 1;
    match tie {
        Tie::Mistake => {
            let toward_class = f64::from_bits(score.to_bits() ^ (u64::from(!positive) << 63));
            toward_class <= 0.0
        }
        Tie::Positive => (score >= 0.0) != positive,
        Tie::Negative => (score > 0.0) != positive,
    }
}

/// Rows whose storage is in order, to be played one after the other.
struct Stretch<'a, R, X, C> {
    game: &'a mut Game<R>,
    rows: &'a X,
    range: Range<usize>,
    class_of: &'a C,
    room: &'a mut Tidy,
}

impl<R: Rule, X: Rows, C: Fn(usize) -> usize> Work for Stretch<'_, R, X, C> {
    type Done = Result<(), (usize, Refusal)>;

    #[inline(always)]
    fn on(self, engine: Engine) -> Self::Done {
        for at in self.range {
            self.rows.look_ahead(at);
            let row = self.rows.row_on(at, engine);
            self.game.round(&row, (self.class_of)(at), self.room).map_err(|refusal| (at, refusal))?;
        }
        Ok(())
    }
}

impl<R: Rule> Game<R> {
    /// Plays rows in their order; `class_of(i)` is row i's class. Stops at the first refused row and
    /// says which; the rows before it were played.
    pub fn play<X: Rows>(
        &mut self,
        rows: &X,
        range: Range<usize>,
        class_of: impl Fn(usize) -> usize,
        room: &mut Tidy,
    ) -> Result<(), (usize, Refusal)> {
        self.rule.grow(rows.columns());
        let mut from = range.start;
        while from < range.end {
            let to = range.end.min(from + CHECKED_TOGETHER);
            let checked = check(rows, from..to);
            let sound = from..checked.as_ref().err().map_or(to, |(row, _)| *row);
            let stretch = Stretch { game: &mut *self, rows, range: sound, class_of: &class_of, room: &mut *room };
            rows.engine().run(stretch)?;
            checked?;
            from = to;
        }
        Ok(())
    }

    /// One round; answers whether it was a mistake. The rule has room for the row's columns.
    #[inline(always)]
    pub fn round<X: Row>(&mut self, row: &X, class: usize, room: &mut Tidy) -> Result<bool, Refusal> {
        let scan = row.scan(self.rule.weights(0));
        if self.terms.normalize || !playable(&scan) {
            return self.tidied_round(row, class, room);
        }
        self.reveal(row, &scan, class)
    }

    /// The same round on a copy of the row without stored zeros, of length 1 if so agreed.
    #[inline(never)]
    fn tidied_round<X: Row>(&mut self, row: &X, class: usize, room: &mut Tidy) -> Result<bool, Refusal> {
        let row = room.tidy(row, self.terms.normalize).map_err(Refusal::Untidy)?;
        let scan = row.scan(self.rule.weights(0));
        self.reveal(&row, &scan, class)
    }

    /// The label is revealed: mistake or not, count, change.
    #[inline(always)]
    fn reveal<X: Row>(&mut self, row: &X, scan: &Scan, class: usize) -> Result<bool, Refusal> {
        self.rule.admit(row).map_err(Refusal::OutOfDomain)?;
        let squares = scan.squares + if self.terms.bias { 1.0 } else { 0.0 };
        if self.rule.vectors() > 1 {
            return self.reveal_among_many(row, squares, class);
        }
        let mistake = is_mistake(self.score(scan.dot)?, class, self.terms.tie);
        // Counted first: nothing of the scan need be kept while the rule changes.
        self.counters.count(class, mistake, squares);
        if mistake {
            self.learn(row, class, 1 - class);
        }
        Ok(mistake)
    }

    /// More than two classes.
    #[inline(never)]
    fn reveal_among_many<X: Row>(&mut self, row: &X, squares: f64, class: usize) -> Result<bool, Refusal> {
        let mistaken_for = self.judge_among_many(row, class)?;
        self.counters.count(class, mistaken_for.is_some(), squares);
        if let Some(predicted) = mistaken_for {
            self.learn(row, class, predicted);
        }
        Ok(mistaken_for.is_some())
    }

    /// The two-class score of a row whose product with the one vector is `dot`.
    #[inline(always)]
    fn score(&self, dot: f64) -> Result<f64, Refusal> {
        let score = dot + self.rule.bias(0) - self.rule.threshold();
        if score.abs() < f64::INFINITY { Ok(score) } else { Err(Refusal::Score(score)) }
    }

    /// The class that the row is mistaken for among more than two, if it is: the true class must score
    /// highest.
    fn judge_among_many<X: Row>(&self, row: &X, class: usize) -> Result<Option<usize>, Refusal> {
        let mut scores = Vec::with_capacity(self.rule.vectors());
        for vector in 0..self.rule.vectors() {
            let score = row.dot(self.rule.weights(vector)) + self.rule.bias(vector) - self.rule.threshold();
            if !score.is_finite() {
                return Err(Refusal::Score(score));
            }
            scores.push(score);
        }
        let predicted = best_class(&scores, self.terms.tie);
        if predicted != class {
            return Ok(Some(predicted));
        }
        // Where a tie is a mistake, the true class must be alone at the top.
        let level = |other: &usize| *other != class && scores[*other] == scores[class];
        Ok((0..scores.len()).find(|other| self.terms.tie == Tie::Mistake && level(other)))
    }

    /// The rule's change after a mistake that is counted already.
    #[inline(never)]
    fn learn<X: Row>(&mut self, row: &X, class: usize, predicted: usize) {
        if let Some(p) = self.rule.norm() {
            self.counters.see_norm(norm(row, p, self.terms.bias));
        }
        let round = self.counters.rounds;
        if self.rule.vectors() == 1 {
            let direction = if class == 1 { 1.0 } else { -1.0 };
            self.rule.change(row, &[Change { of: 0, direction }], round);
        } else {
            let changes = [Change { of: class, direction: 1.0 }, Change { of: predicted, direction: -1.0 }];
            self.rule.change(row, &changes, round);
        }
    }

    /// Whether showing this row would be a mistake. Nothing is learnt or counted.
    pub fn would_err<X: Row>(&self, row: &X, class: usize, room: &mut Tidy) -> Result<bool, Refusal> {
        self.rule.admit(row).map_err(Refusal::OutOfDomain)?;
        let row = room.tidy(row, self.terms.normalize).map_err(Refusal::Untidy)?;
        if self.rule.vectors() > 1 {
            return Ok(self.judge_among_many(&row, class)?.is_some());
        }
        Ok(is_mistake(self.score(row.dot(self.rule.weights(0)))?, class, self.terms.tie))
    }

    /// The prediction's scores for a row: one for two classes, else one a class. Columns that were
    /// never seen count with the weight that they would start from.
    pub fn scores<X: Row>(&self, row: &X, scores: &mut [f64], room: &mut Tidy) -> Result<(), Refusal> {
        let (seen, unseen) = (self.rule.weights(0).len(), self.rule.unseen());
        let (rounds, tie) = (self.counters.rounds, self.terms.tie);
        self.rule.admit(row).map_err(Refusal::OutOfDomain)?;
        let scan = (!self.terms.normalize && row.columns() <= seen).then(|| row.scan(self.rule.weights(0)));
        if let Some(scan) = scan.filter(playable) {
            match scores {
                [score] if R::DECIDES_AS_IT_PLAYS => *score = scan.dot + self.rule.bias(0) - self.rule.threshold(),
                _ => self.rule.decide(row, scores, rounds, tie),
            }
        } else {
            let row = room.tidy(row, self.terms.normalize).map_err(Refusal::Untidy)?;
            let known = row.truncated(seen);
            self.rule.decide(&known, scores, rounds, tie);
            let beyond: f64 = row.values[known.values.len()..].iter().map(|x| x * unseen).sum();
            for score in scores.iter_mut() {
                *score += beyond;
            }
        }
        match scores.iter().find(|s| !s.is_finite()) {
            Some(score) => Err(Refusal::Score(*score)),
            None => Ok(()),
        }
    }

    /// The class that scores stand for.
    #[must_use]
    pub fn class_of_scores(&self, scores: &[f64]) -> usize {
        match *scores {
            [score] => usize::from(score > 0.0 || (score == 0.0 && self.terms.tie == Tie::Positive)),
            _ => best_class(scores, self.terms.tie),
        }
    }
}

/// Refuses the first row whose storage is out of order.
pub fn check<X: Rows>(rows: &X, range: Range<usize>) -> Result<(), Stop> {
    rows.check(range).map_err(|row| (row, Refusal::NotRising { columns: rows.columns() }))
}

/// No stored zero, nothing infinite: the row may be played as it is stored. One comparison for both
/// numbers; where their sum is infinite and they are not, the long way answers the same.
#[inline(always)]
fn playable(scan: &Scan) -> bool {
    scan.plain && scan.dot.abs() + scan.squares < f64::INFINITY
}

/// ‖x‖_p, with the bias's 1 if there is one.
fn norm<X: Row>(row: &X, p: f64, bias: bool) -> f64 {
    let mut largest = f64::from(u8::from(bias));
    row.for_each(|_, value| largest = largest.max(value.abs()));
    if p.is_infinite() || largest == 0.0 {
        return largest;
    }
    let mut sum = if bias { (1.0 / largest).powf(p) } else { 0.0 };
    row.for_each(|_, value| sum += (value.abs() / largest).powf(p));
    largest * sum.powf(1.0 / p)
}
