//! Runs over text that someone stops, and what a run says of itself.
#![allow(clippy::unwrap_used)] // A test's helpers are tests too.

use std::io::{Cursor, ErrorKind, Read};
use std::ops::ControlFlow;

use separatrix_core::game::{Order, Passes};
use separatrix_core::learner::{Ending, Label, Learner, Schedule, Stage, Tick, train};
use separatrix_core::rows::SparseRows;
use separatrix_core::rules::{Demotion, RuleSettings, Settings, Tie};
use separatrix_core::stream::{Source, Stream};
use separatrix_core::text::{IndexBase, Options};

/// Has nothing to give when it is asked the `silent`-th time: then the run looks whether it should stop.
struct Hesitant {
    bytes: Cursor<Vec<u8>>,
    asked: usize,
    silent: usize,
}

impl Read for Hesitant {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.asked += 1;
        if self.asked == self.silent {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = buffer.len().min(8);
        self.bytes.read(&mut buffer[..count])
    }
}

fn learner(rule: RuleSettings, tie: Tie) -> Learner {
    Learner::new(Settings { rule, bias: false, normalize: false, tie, memory_limit: 1 << 30 }).unwrap()
}

fn winnow() -> Learner {
    let rule = RuleSettings::Winnow { threshold: None, factor: 2.0, demotion: Demotion::Divide, k: None, delta: None };
    learner(rule, Tie::Positive)
}

/// A run in blocks of a line or so; the source falls silent at the `silent`-th read of each pass.
fn run(
    learner: &mut Learner,
    text: &str,
    passes: Passes,
    silent: usize,
    mut tick: impl FnMut(&Tick) -> ControlFlow<()>,
) -> Ending {
    let open = |base: IndexBase| {
        let read = Box::new(Hesitant { bytes: Cursor::new(text.as_bytes().to_vec()), asked: 0, silent });
        let options = Options { base, block: 8, ..Options::default() };
        Stream::open(vec![Source::Reader { name: "text".into(), read }], options)
    };
    let schedule = Schedule { order: Order::File, passes, hold: 0, again: true };
    train(learner, IndexBase::One, open, schedule, &mut tick).unwrap()
}

const TEXT: &str = "1 1:1\n-1 2:1\n1 3:1\n-1 4:1\n1 5:1\n";

#[test]
fn a_survey_that_is_stopped_settles_nothing() {
    let mut stopped = winnow();
    let ending = run(&mut stopped, TEXT, Passes::Fixed(1), 4, |tick| match tick.pass {
        0 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(ending.played.stopped);
    assert_eq!((ending.rounds, ending.played.passes), (0, 0));
    // Going on with it is as if it had never begun: the threshold is the number of all columns.
    let mut whole = winnow();
    for learner in [&mut stopped, &mut whole] {
        let ending = run(learner, TEXT, Passes::Fixed(1), usize::MAX, |_| ControlFlow::Continue(()));
        assert_eq!(ending.rounds, 5);
    }
    assert_eq!(stopped.settings, whole.settings);
    assert_eq!(stopped.coefficients(0), whole.coefficients(0));
}

#[test]
fn passes_shorter_than_a_glance_can_be_stopped_between_them() {
    let mut perceptron = learner(RuleSettings::Perceptron, Tie::Mistake);
    let mut told = Vec::new();
    let ending = run(&mut perceptron, TEXT, Passes::Fixed(1000), usize::MAX, |tick| {
        told.push((tick.pass, tick.rounds));
        if tick.pass == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(ending.played.stopped);
    assert_eq!(ending.played.passes, 3);
    // Only what this run played is told, whatever the learner had played before.
    assert_eq!(told, [(1, 5), (2, 10), (3, 15)]);
    told.clear();
    run(&mut perceptron, TEXT, Passes::Fixed(2), usize::MAX, |tick| {
        told.push((tick.pass, tick.rounds));
        ControlFlow::Continue(())
    });
    assert_eq!(told, [(1, 5), (2, 10)]);
}

#[test]
fn mistakes_of_a_run_are_those_of_the_side_that_the_label_turns_out_to_have() {
    // Label 1 looks positive, and is negative once there is a 2; a tie counts as positive.
    let mut perceptron = learner(RuleSettings::Perceptron, Tie::Positive);
    let ones =
        run(&mut perceptron, "1 1:1\n1 2:1\n1 3:1\n", Passes::Fixed(1), usize::MAX, |_| ControlFlow::Continue(()));
    assert_eq!(ones.mistakes_by_label, [0]);
    let mut other_way_round = perceptron.clone();
    let rest = run(&mut perceptron, "2 4:1\n1 5:1\n", Passes::Fixed(1), usize::MAX, |_| ControlFlow::Continue(()));
    assert_eq!((rest.rounds, rest.mistakes_by_label), (2, vec![1, 0]));
    assert_eq!(perceptron.game().unwrap().counters().mistakes, 4);
    let rest = run(&mut other_way_round, "0 4:1\n0 5:1\n", Passes::Fixed(1), usize::MAX, |_| ControlFlow::Continue(()));
    assert_eq!((rest.rounds, rest.mistakes_by_label), (2, vec![2, 0]));
}

#[test]
fn a_run_on_one_label_can_be_stopped_and_both_games_stop_together() {
    let mut perceptron = learner(RuleSettings::Perceptron, Tie::Mistake);
    perceptron.begin(1).unwrap();
    perceptron.declare(vec![Label::Integer(7)]).unwrap();
    let (starts, indices, values) = ((0..=9000).collect::<Vec<usize>>(), vec![0u32; 9000], vec![1.0; 9000]);
    let rows = SparseRows::trusted(&starts, &indices, &values, 1);
    let played = perceptron.run(&rows, |_| 0, Order::File, Passes::Fixed(1 << 40), |_| false).unwrap();
    assert!(played.stopped);
    let rounds: Vec<u64> = perceptron.counters().iter().map(|counters| counters.rounds).collect();
    assert_eq!(rounds, [4096, 4096]);
    assert!(matches!(perceptron.stage, Stage::OneLabel { .. }));
}
