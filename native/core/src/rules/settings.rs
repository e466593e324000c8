//! What a learner was told to be. Saved with every model.

use serde::{Deserialize, Serialize};

/// What a score of exactly 0 means while the game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tie {
    /// sgn(0) = +1.
    Positive,
    /// sgn(0) = −1.
    Negative,
    /// A tie is a mistake whatever the label; asked for a label all the same, the answer is −1.
    Mistake,
}

/// What Winnow does to the weights of a false positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Demotion {
    /// w ← w / β^x
    Divide,
    /// w ← 0 where x > 0
    Eliminate,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RuleSettings {
    Perceptron,
    AveragedPerceptron,
    VotedPerceptron,
    /// `p` ≥ 2; none: 2 ln d, at least 2, once d is known.
    PNorm {
        p: Option<f64>,
    },
    /// `threshold` > 0; none: n, once n is known. `k` and `delta` say where `factor` came from.
    Winnow {
        threshold: Option<f64>,
        factor: f64,
        demotion: Demotion,
        k: Option<u32>,
        delta: Option<f64>,
    },
    BalancedWinnow {
        factor: f64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub rule: RuleSettings,
    pub bias: bool,
    pub normalize: bool,
    pub tie: Tie,
    /// The weights may take this many bytes.
    pub memory_limit: u64,
}

/// A setting that breaks its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSettings(pub String);

impl std::fmt::Display for BadSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSettings {}

impl Settings {
    pub fn check(&self) -> Result<(), BadSettings> {
        let must = |holds: bool, rule: &str, value: f64| {
            if holds { Ok(()) } else { Err(BadSettings(format!("{rule}, but is {value}"))) }
        };
        match self.rule {
            RuleSettings::PNorm { p: Some(p) } => must(p >= 2.0 && p.is_finite(), "p must be at least 2 and finite", p),
            RuleSettings::Winnow { threshold, factor, k, delta, .. } => {
                let theta = threshold.unwrap_or(1.0);
                must(theta > 0.0 && theta.is_finite(), "threshold must be positive and finite", theta)?;
                must(k.is_none_or(|k| k >= 1), "k must be at least 1", 0.0)?;
                // Before the factor, which may be made from it: the message names what was given.
                let delta = delta.unwrap_or(1.0);
                must(delta > 0.0 && delta <= 1.0, "delta must be above 0 and at most 1", delta)?;
                must(factor > 1.0 && factor <= 1e6, "factor must be above 1 and at most a million", factor)
            }
            RuleSettings::BalancedWinnow { factor } => {
                must(factor > 1.0 && factor <= 1e6, "factor must be above 1 and at most a million", factor)
            }
            _ => Ok(()),
        }
    }

    /// Whether something is still automatic, and needs the number of columns.
    #[must_use]
    pub fn wants_columns(&self) -> bool {
        matches!(self.rule, RuleSettings::PNorm { p: None } | RuleSettings::Winnow { threshold: None, .. })
    }

    /// The settings with what is automatic worked out for `columns` columns; the bias is one more.
    #[must_use]
    pub fn resolved(mut self, columns: usize) -> Self {
        let n = (columns + usize::from(self.bias)).max(1) as f64;
        match &mut self.rule {
            RuleSettings::PNorm { p: p @ None } => *p = Some((2.0 * n.ln()).max(2.0)),
            RuleSettings::Winnow { threshold: threshold @ None, .. } => *threshold = Some(n),
            _ => {}
        }
        self
    }
}
