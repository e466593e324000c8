//! A game of any rule. Matched once a batch, so that every rule's loop is compiled for itself.

use super::{Counters, Game, Terms};
use crate::model::tensors::{BadTensors, Tensors};
use crate::rules::{
    AveragedPerceptron, BalancedWinnow, PNorm, Perceptron, Rule, RuleSettings, Settings, VotedPerceptron, Winnow,
};

#[derive(Clone)]
pub enum AnyGame {
    Perceptron(Game<Perceptron>),
    Averaged(Game<AveragedPerceptron>),
    Voted(Game<VotedPerceptron>),
    PNorm(Game<PNorm>),
    Winnow(Game<Winnow>),
    BalancedWinnow(Game<BalancedWinnow>),
}

/// Runs the same expression on the game of whichever rule it is.
#[macro_export]
macro_rules! each_game {
    ($any:expr, $game:ident => $body:expr) => {
        match $any {
            $crate::game::AnyGame::Perceptron($game) => $body,
            $crate::game::AnyGame::Averaged($game) => $body,
            $crate::game::AnyGame::Voted($game) => $body,
            $crate::game::AnyGame::PNorm($game) => $body,
            $crate::game::AnyGame::Winnow($game) => $body,
            $crate::game::AnyGame::BalancedWinnow($game) => $body,
        }
    };
}

impl AnyGame {
    /// A new game for so many classes. Nothing in `settings` is automatic any more.
    #[must_use]
    pub fn new(settings: &Settings, classes: usize) -> Self {
        let terms = Terms { bias: settings.bias, normalize: settings.normalize, tie: settings.tie };
        let counters = Counters::new(classes);
        let (vectors, bias) = (if classes > 2 { classes } else { 1 }, settings.bias);
        match settings.rule {
            RuleSettings::Perceptron => {
                AnyGame::Perceptron(Game { rule: Perceptron::new(vectors, bias), terms, counters })
            }
            RuleSettings::AveragedPerceptron => {
                AnyGame::Averaged(Game { rule: AveragedPerceptron::new(vectors, bias), terms, counters })
            }
            RuleSettings::VotedPerceptron => {
                AnyGame::Voted(Game { rule: VotedPerceptron::new(vectors, bias), terms, counters })
            }
            RuleSettings::PNorm { p } => {
                AnyGame::PNorm(Game { rule: PNorm::new(vectors, bias, p.unwrap_or(2.0)), terms, counters })
            }
            RuleSettings::Winnow { threshold, factor, demotion, .. } => {
                let rule = Winnow::new(vectors, bias, threshold.unwrap_or(1.0), factor, demotion);
                AnyGame::Winnow(Game { rule, terms, counters })
            }
            RuleSettings::BalancedWinnow { factor } => {
                AnyGame::BalancedWinnow(Game { rule: BalancedWinnow::new(vectors, bias, factor), terms, counters })
            }
        }
    }

    #[must_use]
    pub fn counters(&self) -> &Counters {
        each_game!(self, game => &game.counters)
    }

    pub fn grow(&mut self, columns: usize) {
        each_game!(self, game => game.rule.grow(columns));
    }

    /// Bytes that the rule's state takes, or would take with so many columns.
    #[must_use]
    pub fn bytes(&self, columns: usize) -> usize {
        each_game!(self, game => game.rule.bytes_per_column().saturating_mul(columns).saturating_add(game.rule.bytes_beside()))
    }

    pub fn save(&self, tensors: &mut Tensors) {
        each_game!(self, game => game.rule.save(tensors));
    }

    /// This game with the rule's state from `tensors` and these counters.
    pub fn load(self, tensors: &mut Tensors, counters: Counters) -> Result<Self, BadTensors> {
        fn load<R: Rule>(game: Game<R>, tensors: &mut Tensors, counters: Counters) -> Result<Game<R>, BadTensors> {
            Ok(Game { rule: R::load(game.rule, tensors)?, terms: game.terms, counters })
        }
        Ok(match self {
            AnyGame::Perceptron(game) => AnyGame::Perceptron(load(game, tensors, counters)?),
            AnyGame::Averaged(game) => AnyGame::Averaged(load(game, tensors, counters)?),
            AnyGame::Voted(game) => AnyGame::Voted(load(game, tensors, counters)?),
            AnyGame::PNorm(game) => AnyGame::PNorm(load(game, tensors, counters)?),
            AnyGame::Winnow(game) => AnyGame::Winnow(load(game, tensors, counters)?),
            AnyGame::BalancedWinnow(game) => AnyGame::BalancedWinnow(load(game, tensors, counters)?),
        })
    }
}
