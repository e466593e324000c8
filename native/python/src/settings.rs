//! A rule and its parameters, from the words and numbers that Python passes.

use pyo3::prelude::*;
use separatrix_core::rules::{Demotion, RuleSettings, Settings, Tie};

use crate::errors;

pub fn settings_of(
    rule: &str,
    bias: bool,
    normalize: bool,
    tie: &str,
    memory_limit: u64,
    p: Option<f64>,
    threshold: Option<f64>,
    factor: Option<f64>,
    demotion: &str,
    k: Option<u32>,
    delta: Option<f64>,
) -> PyResult<Settings> {
    let tie = match tie {
        "positive" => Tie::Positive,
        "negative" => Tie::Negative,
        "mistake" => Tie::Mistake,
        other => {
            return Err(errors::usage(format!("tie must be 'positive', 'negative' or 'mistake', but is {other:?}")));
        }
    };
    let demotion = match demotion {
        "divide" => Demotion::Divide,
        "eliminate" => Demotion::Eliminate,
        other => return Err(errors::usage(format!("demotion must be 'divide' or 'eliminate', but is {other:?}"))),
    };
    let given = [factor.is_some(), k.is_some(), delta.is_some()].iter().filter(|g| **g).count();
    if given > 1 {
        return Err(errors::usage("factor, k and delta all set the factor: at most one of them may be given"));
    }
    let rule = match rule {
        "perceptron" => RuleSettings::Perceptron,
        "averaged-perceptron" => RuleSettings::AveragedPerceptron,
        "voted-perceptron" => RuleSettings::VotedPerceptron,
        "p-norm" => RuleSettings::PNorm { p },
        "winnow" => {
            let factor = match (factor, k, delta) {
                (Some(factor), ..) => factor,
                (None, Some(k), _) => 1.0 + 1.0 / (2.0 * f64::from(k)),
                (None, None, Some(delta)) => 1.0 + delta / 2.0,
                (None, None, None) => 2.0,
            };
            RuleSettings::Winnow { threshold, factor, demotion, k, delta }
        }
        "balanced-winnow" => RuleSettings::BalancedWinnow { factor: factor.unwrap_or(1.5) },
        other => {
            return Err(errors::usage(format!(
                "rule must be 'perceptron', 'averaged-perceptron', 'voted-perceptron', 'p-norm', 'winnow' or \
                 'balanced-winnow', but is {other:?}"
            )));
        }
    };
    Ok(Settings { rule, bias, normalize, tie, memory_limit })
}
