//! The voted Perceptron: plays the Perceptron's game; every hypothesis it ever held votes.
//!
//! The k-th hypothesis votes with the number of rounds after which it was held (Freund and
//! Schapire's c_k). It is the sum of the first k updates, so one pass over the updates gives all
//! its votes on a row: their products with x are summed up one by one. A prediction costs as much as
//! the updates hold non-zeros; the memory limit counts them.

use super::{Change, Perceptron, Rule, Tie, Weights};
use crate::model::tensors::{BadTensors, Tensors};
use crate::rows::Row;

#[derive(Clone, Debug)]
pub struct VotedPerceptron {
    plain: Perceptron,
    updates: Updates,
}

/// Every update, in order: round, vector, direction and row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Updates {
    rounds: Vec<u64>,
    vectors: Vec<u64>,
    directions: Vec<f64>,
    /// One more than there are updates.
    starts: Vec<u64>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl VotedPerceptron {
    #[must_use]
    pub fn new(vectors: usize, has_bias: bool) -> Self {
        let updates = Updates { starts: vec![0], ..Updates::default() };
        VotedPerceptron { plain: Perceptron::new(vectors, has_bias), updates }
    }

    /// The vote of the hypothesis with these scores, `rounds` times.
    fn vote(scores: &[f64], votes: &mut [f64], rounds: u64, tie: Tie) {
        let rounds = rounds as f64;
        if let [score] = *scores {
            votes[0] += match (score, tie) {
                (s, _) if s > 0.0 => rounds,
                (s, _) if s < 0.0 => -rounds,
                (_, Tie::Positive) => rounds,
                (_, Tie::Negative) => -rounds,
                (_, Tie::Mistake) => 0.0,
            };
        } else {
            votes[crate::game::best_class(scores, tie)] += rounds;
        }
    }
}

impl Rule for VotedPerceptron {
    #[inline(always)]
    fn scoring(&self) -> &Weights {
        self.plain.scoring()
    }

    const DECIDES_AS_IT_PLAYS: bool = false;

    fn grow(&mut self, columns: usize) {
        self.plain.grow(columns);
    }

    fn bytes_per_column(&self) -> usize {
        self.plain.bytes_per_column()
    }

    fn bytes_beside(&self) -> usize {
        self.updates.values.len() * 12 + self.updates.rounds.len() * 32
    }

    fn change<R: Row>(&mut self, row: &R, changes: &[Change], round: u64) {
        self.plain.change(row, changes, round);
        for change in changes {
            self.updates.rounds.push(round);
            self.updates.vectors.push(change.of as u64);
            self.updates.directions.push(change.direction);
            row.for_each(|column, value| {
                if value != 0.0 {
                    self.updates.columns.push(column as u32);
                    self.updates.values.push(value);
                }
            });
            self.updates.starts.push(self.updates.values.len() as u64);
        }
    }

    fn decide<R: Row>(&self, row: &R, scores: &mut [f64], rounds: u64, tie: Tie) {
        let mut x = vec![0.0; self.weights(0).len()];
        row.for_each(|column, value| x[column] = value);
        let u = &self.updates;
        let mut held = vec![0.0; scores.len()];
        scores.fill(0.0);
        // The first hypothesis, 0, is held until the first mistake: after 0 rounds if that is round 1.
        let mut since = 1;
        for k in 0..u.rounds.len() {
            if u.rounds[k] > since {
                Self::vote(&held, scores, u.rounds[k] - since, tie);
                since = u.rounds[k];
            }
            let mut product = f64::from(u8::from(self.plain.has_bias));
            for e in u.starts[k] as usize..u.starts[k + 1] as usize {
                product += u.values[e] * x[u.columns[e] as usize];
            }
            held[u.vectors[k] as usize] += u.directions[k] * product;
        }
        if rounds + 1 > since {
            Self::vote(&held, scores, rounds + 1 - since, tie);
        }
        for score in scores.iter_mut() {
            *score /= rounds.max(1) as f64;
        }
    }

    fn coefficients(&self, _vector: usize, _rounds: u64) -> Option<Vec<f64>> {
        None
    }

    fn save(&self, tensors: &mut Tensors) {
        self.plain.save(tensors);
        let u = &self.updates;
        tensors.put("update_rounds", u.rounds.clone());
        tensors.put("update_vectors", u.vectors.clone());
        tensors.put("update_directions", u.directions.clone());
        tensors.put("update_starts", u.starts.clone());
        tensors.put("update_columns", u.columns.clone());
        tensors.put("update_values", u.values.clone());
    }

    fn load(fresh: Self, tensors: &mut Tensors) -> Result<Self, BadTensors> {
        let plain = Perceptron::load(fresh.plain, tensors)?;
        let rounds: Vec<u64> = tensors.take("update_rounds", None)?;
        let count = rounds.len();
        let updates = Updates {
            rounds,
            vectors: tensors.take("update_vectors", Some(count))?,
            directions: tensors.take("update_directions", Some(count))?,
            starts: tensors.take("update_starts", Some(count + 1))?,
            columns: tensors.take("update_columns", None)?,
            values: tensors.take("update_values", None)?,
        };
        let (columns, vectors) = (plain.weights(0).len() as u64, plain.vectors() as u64);
        let sound = updates.starts[0] == 0
            && updates.starts[count] == updates.values.len() as u64
            && updates.columns.len() == updates.values.len()
            && updates.starts.windows(2).all(|pair| pair[0] <= pair[1])
            && updates.columns.iter().all(|c| u64::from(*c) < columns)
            && updates.vectors.iter().all(|v| *v < vectors)
            && updates.rounds.windows(2).all(|pair| pair[0] <= pair[1])
            && updates.rounds.first().is_none_or(|r| *r >= 1);
        if !sound {
            return Err(BadTensors("the updates of a voted Perceptron do not fit each other".into()));
        }
        Ok(VotedPerceptron { plain, updates })
    }
}
