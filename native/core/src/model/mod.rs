//! The model file: safetensors, with one JSON document in its metadata.
//!
//! The document (key `separatrix` of the metadata) has the schema version, the settings, classes,
//! counters and provenance; the tensors have the rule's state, by the names its file gives them. A
//! SHA-256 of the whole file, taken with the 64 digits of the checksum itself as zeros, is in the
//! document: a file that was cut, extended or altered anywhere is refused. Loading executes nothing,
//! and checks every number that anything later relies on.

mod atomic;
mod container;
pub mod tensors;

pub use atomic::write_atomically;
pub use container::{BadModel, pack, unpack};

use serde::{Deserialize, Serialize};

use crate::game::{AnyGame, Counters};
use crate::learner::{About, Label, Learner, Stage};
use crate::rules::{Rule, Settings};
use tensors::Tensors;

/// Raised when a file of an earlier version can no longer be read as it was meant.
pub const SCHEMA: u32 = 1;

/// Names before the tensors of the game in which the only label is positive.
const POSITIVE: &str = "as_positive.";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    kind: String,
    asked: Settings,
    settings: Option<Settings>,
    labels: Vec<Label>,
    columns: usize,
    about: About,
    /// None before the first label; two while there is one label only.
    counters: Vec<Counters>,
}

/// What `kind` says in a file that holds a learner.
const KIND: &str = "linear classifier";

impl Learner {
    /// The model file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BadModel> {
        let mut tensors = Tensors::default();
        let mut counters = Vec::new();
        match &self.stage {
            Stage::New => {}
            Stage::Settled(game) => {
                game.save(&mut tensors);
                counters.push(game.counters().clone());
            }
            Stage::OneLabel { as_negative, as_positive } => {
                as_negative.save(&mut tensors);
                tensors.prefix = POSITIVE;
                as_positive.save(&mut tensors);
                tensors.prefix = "";
                counters.extend([as_negative.counters().clone(), as_positive.counters().clone()]);
            }
        }
        if let Some(names) = &self.names {
            let text = serde_json::to_vec(names).map_err(|e| BadModel(e.to_string()))?;
            tensors.put("feature_names", text);
        }
        let document = Document {
            kind: KIND.into(),
            asked: self.asked,
            settings: self.settings,
            labels: self.labels.clone(),
            columns: self.columns,
            about: self.about.clone(),
            counters,
        };
        pack(&document, tensors)
    }

    /// The learner that was saved as these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadModel> {
        let (document, mut tensors): (Document, Tensors) = unpack(bytes)?;
        let bad = |found: &str| BadModel(found.to_string());
        if document.kind != KIND {
            return Err(BadModel(format!("expected a {KIND}, found a {:?}", document.kind)));
        }
        let mut learner = Learner::new(document.asked).map_err(|e| BadModel(e.to_string()))?;
        if let Some(settings) = &document.settings {
            settings.check().map_err(|e| BadModel(e.to_string()))?;
            if settings.wants_columns() {
                return Err(bad("settings are not worked out"));
            }
        }
        learner.settings = document.settings;
        learner.about = document.about;
        let sorted = document.labels.windows(2).all(|p| p[0].order(&p[1]) == Some(std::cmp::Ordering::Less));
        if !sorted || document.labels.iter().any(|l| l.number().is_some_and(|v| !v.is_finite())) {
            return Err(bad("labels are not sorted, or not labels"));
        }
        let games = match document.labels.len() {
            0 => 0,
            1 => 2,
            _ => 1,
        };
        if document.counters.len() != games {
            return Err(BadModel(format!("expected {games} sets of counters, found {}", document.counters.len())));
        }
        learner.labels = document.labels;
        let mut loaded = Vec::new();
        for (at, counters) in document.counters.into_iter().enumerate() {
            let classes = learner.labels.len().max(2);
            let settings = learner.settings.ok_or_else(|| bad("labels, but no settings worked out"))?;
            if !counters.sound(classes) {
                return Err(bad("the counters contradict each other"));
            }
            tensors.prefix = if at == 1 { POSITIVE } else { "" };
            let game = AnyGame::new(&settings, classes).load(&mut tensors, counters)?;
            let columns = crate::each_game!(&game, game => game.rule.weights(0).len());
            if columns != document.columns {
                return Err(BadModel(format!("expected {} columns of weights, found {columns}", document.columns)));
            }
            loaded.push(game);
        }
        tensors.prefix = "";
        if tensors.arrays.contains_key("feature_names") {
            let text: Vec<u8> = tensors.take("feature_names", None)?;
            let names: Vec<String> =
                serde_json::from_slice(&text).map_err(|e| BadModel(format!("feature names: {e}")))?;
            if names.len() > document.columns {
                return Err(BadModel(format!("{} feature names for {} columns", names.len(), document.columns)));
            }
            learner.names = Some(names);
        }
        if let Some(name) = tensors.arrays.keys().next() {
            return Err(BadModel(format!("tensor {name} belongs to no part of this model")));
        }
        learner.columns = document.columns;
        let second = loaded.pop();
        learner.stage = match (loaded.pop(), second) {
            (_, None) => Stage::New,
            (None, Some(game)) => Stage::Settled(game),
            (Some(as_negative), Some(as_positive)) => Stage::OneLabel { as_negative, as_positive },
        };
        Ok(learner)
    }
}

//T
//T
