//! Labels: what the classes are called.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A label as people write them. Numbers are one kind, whatever their type; text is another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Label {
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Label {
    /// The label as a number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Label::Bool(b) => Some(f64::from(u8::from(*b))),
            Label::Integer(i) => Some(*i as f64),
            Label::Number(v) => Some(*v),
            Label::Text(_) => None,
        }
    }

    /// Numbers by value, text by its characters; a number and a text have no order.
    #[must_use]
    pub fn order(&self, other: &Label) -> Option<Ordering> {
        match (self, other) {
            (Label::Text(a), Label::Text(b)) => Some(a.cmp(b)),
            (Label::Integer(a), Label::Integer(b)) => Some(a.cmp(b)),
            _ => self.number()?.partial_cmp(&other.number()?),
        }
    }

    #[must_use]
    pub fn same(&self, other: &Label) -> bool {
        self.order(other) == Some(Ordering::Equal)
    }
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Label::Bool(b) => f.write_str(if *b { "True" } else { "False" }),
            Label::Integer(i) => write!(f, "{i}"),
            Label::Number(v) => write!(f, "{v}"),
            Label::Text(t) => write!(f, "{t:?}"),
        }
    }
}

/// Labels in words: at most ten of them.
#[must_use]
pub fn list(labels: &[Label]) -> String {
    let mut words: Vec<String> = labels.iter().take(10).map(ToString::to_string).collect();
    if labels.len() > 10 {
        words.push(format!("… ({} in all)", labels.len()));
    }
    words.join(", ")
}
