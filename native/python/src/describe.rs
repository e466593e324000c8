//! A learner in words and numbers: what `inspect` and `run_` are made from.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use separatrix_core::game::Counters;
use separatrix_core::learner::{Learner, mistakes_by_label};
use separatrix_core::rules::{Demotion, RuleSettings, Settings, Tie};

/// The settings as the keyword arguments that make such a learner.
fn settings<'py>(py: Python<'py>, settings: &Settings) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("bias", settings.bias)?;
    all.set_item("normalize", settings.normalize)?;
    all.set_item(
        "tie",
        match settings.tie {
            Tie::Positive => "positive",
            Tie::Negative => "negative",
            Tie::Mistake => "mistake",
        },
    )?;
    let rule = match settings.rule {
        RuleSettings::Perceptron => "perceptron",
        RuleSettings::AveragedPerceptron => "averaged-perceptron",
        RuleSettings::VotedPerceptron => "voted-perceptron",
        RuleSettings::PNorm { p } => {
            all.set_item("p", p)?;
            "p-norm"
        }
        RuleSettings::Winnow { threshold, factor, demotion, k, delta } => {
            all.set_item("threshold", threshold)?;
            all.set_item("factor", factor)?;
            all.set_item("k", k)?;
            all.set_item("delta", delta)?;
            all.set_item("demotion", if demotion == Demotion::Divide { "divide" } else { "eliminate" })?;
            "winnow"
        }
        RuleSettings::BalancedWinnow { factor } => {
            all.set_item("factor", factor)?;
            "balanced-winnow"
        }
    };
    all.set_item("memory_limit", settings.memory_limit)?;
    let whole = PyDict::new(py);
    whole.set_item("rule", rule)?;
    whole.set_item("parameters", all)?;
    Ok(whole)
}

fn counters(whole: &Bound<'_, PyDict>, counters: &Counters) -> PyResult<()> {
    whole.set_item("rounds", counters.rounds)?;
    whole.set_item("mistakes", counters.mistakes)?;
    whole.set_item("radius", counters.radius_squared.sqrt())?;
    whole.set_item("squared_norms", counters.squared_norms)?;
    whole.set_item("radius_p", counters.radius_p)?;
    let mut curve = counters.curve.clone();
    if curve.last().is_some_and(|(round, _)| *round < counters.rounds) {
        curve.push((counters.rounds, counters.mistakes));
    }
    whole.set_item("curve", curve)
}

/// Everything there is to tell of a learner.
pub fn learner<'py>(py: Python<'py>, learner: &Learner) -> PyResult<Bound<'py, PyDict>> {
    let whole = settings(py, learner.settings.as_ref().unwrap_or(&learner.asked))?;
    whole.set_item("asked", settings(py, &learner.asked)?)?;
    whole.set_item("columns", learner.columns)?;
    let none = Counters::new(learner.labels.len().max(2));
    let counted = learner.game().map_or(&none, |game| game.counters());
    counters(&whole, counted)?;
    whole.set_item("mistakes_by_class", mistakes_by_label(counted, learner.labels.len()))?;
    whole.set_item("index_base", learner.about.index_base)?;
    whole.set_item("sources", learner.about.sources.clone())?;
    whole.set_item("passes", learner.about.passes)?;
    whole.set_item("order", learner.about.order.clone())?;
    whole.set_item("rows_refused", learner.about.rows_refused)?;
    Ok(whole)
}
