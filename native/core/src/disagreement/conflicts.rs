//! Many dimensions: lower bounds from conflicts, and branch and bound on them.
//!
//! A conflict is a set of rows that no `w` gets all right; T11 finds one of at most m + 1 rows, and
//! exact arithmetic proves it. Conflicts that share no weight each cost their lightest row, so their
//! sum bounds the errors of every direction from below. To branch, some row of a conflict must err:
//! either the first does, or the first is right and the second errs, and so on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Limits;
use super::descent::{Descent, Dice};
use super::exact::positively_dependent;
use super::nearest::{Nearest, nearest_point};
use super::open::Open;
use super::rows::Rows;
use super::weights::Weight;
use super::witness::{Incumbent, Witness};

/// Nodes kept; beyond it the search goes deep first.
const MOST: usize = 100_000;
/// Exact proofs take integers of about 60 m bits; beyond this width one takes minutes.
const MOST_PROVED: usize = 150;

#[derive(Clone, Default)]
struct Node {
    wrong: Vec<u32>,
    right: Vec<u32>,
}

/// What is left of a search.
pub struct Tree {
    open: Open<Node>,
}

impl Default for Tree {
    fn default() -> Self {
        let mut open = Open::new();
        open.push(0, Node::default());
        Tree { open }
    }
}

/// What packing conflicts at a node showed.
struct Packed {
    bound: Weight,
    first: Option<Vec<usize>>,
    /// Every row that may be right is, or the rows that must be cannot.
    closed: bool,
    unclear: bool,
}

impl Tree {
    #[must_use]
    pub fn bound(&self) -> Option<Weight> {
        self.open.bound()
    }

    #[must_use]
    pub fn is_done(&self) -> bool {
        self.open.is_done()
    }

    /// Works on the nodes of the lowest bounds, and on the incumbent beside them.
    pub fn round(
        &mut self,
        rows: &Rows,
        incumbent: &mut Incumbent,
        best: Weight,
        limits: &Limits,
        descent: &mut Descent,
        dice: &mut Dice,
    ) {
        let taken = self.open.take(32, MOST, best);
        let slots: Vec<Mutex<Option<(Packed, Incumbent)>>> = taken.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((bound, node)) = taken.get(at) else { break };
                if limits.reached() && *bound > 0 {
                    break;
                }
                let mut witness = Witness { rows, limits, incumbent: incumbent.clone() };
                let packed = pack(rows, node, best, limits, &mut witness);
                if let Ok(mut slot) = slots[at].lock() {
                    *slot = Some((packed, witness.incumbent));
                }
            }
        };
        let mut kicked = incumbent.clone();
        std::thread::scope(|scope| {
            let threads = if rows.count() * rows.m < 2000 { 1 } else { limits.threads };
            for _ in 1..threads {
                scope.spawn(work);
            }
            kicked = kick(rows, &kicked, limits, descent, dice);
            work();
        });
        if kicked.errors < incumbent.errors {
            *incumbent = kicked;
        }
        for ((bound, node), slot) in taken.into_iter().zip(slots) {
            let Ok(Some((packed, found))) = slot.into_inner() else {
                self.open.push(bound, node);
                continue;
            };
            if found.errors < incumbent.errors {
                *incumbent = found;
            }
            let bound = bound.max(packed.bound);
            if packed.closed || bound >= best {
                continue;
            }
            let Some(conflict) = packed.first else {
                if packed.unclear {
                    self.open.give_up(bound);
                }
                continue;
            };
            if limits.reached() && packed.unclear {
                self.open.push(bound, node);
                continue;
            }
            let mut kept = node.right.clone();
            for row in conflict {
                let row = row as u32;
                if node.right.contains(&row) {
                    continue;
                }
                let mut child = Node { wrong: node.wrong.clone(), right: kept.clone() };
                child.wrong.push(row);
                kept.push(row);
                let own: Weight = child.wrong.iter().map(|i| rows.weights[*i as usize]).sum();
                self.open.push(bound.max(own), child);
            }
        }
        self.open.cut(best.min(incumbent.errors));
    }
}

/// Line searches from the incumbent, and from near it.
fn kick(rows: &Rows, incumbent: &Incumbent, limits: &Limits, descent: &mut Descent, dice: &mut Dice) -> Incumbent {
    let mut witness = Witness { rows, limits, incumbent: incumbent.clone() };
    let each = 15 * (rows.count() * (rows.m + 20)) as u64 + 20_000;
    for _ in 0..3 {
        if limits.reached() {
            break;
        }
        let mut u = rows.from_given(&witness.incumbent.given);
        let size = super::nearest::norm(&u).max(1e-300) / (rows.m as f64).sqrt();
        let spread = [0.3, 0.1, 0.03, 0.01][dice.below(4)];
        u.iter_mut().for_each(|a| *a += dice.bell() * size * spread);
        descent.set(&u);
        descent.improve(dice, each, limits);
        if descent.errors < witness.incumbent.errors {
            witness.offer(&rows.to_given(&descent.u));
        }
    }
    witness.incumbent
}

/// Conflicts taken out one after another, each lowering the weights left in its rows.
fn pack(rows: &Rows, node: &Node, best: Weight, limits: &Limits, witness: &mut Witness) -> Packed {
    let mut left = rows.weights.clone();
    let mut bound: Weight = 0;
    for &i in &node.wrong {
        bound += rows.weights[i as usize];
        left[i as usize] = 0;
    }
    // Rows that must be right stay, whatever conflicts they are in.
    let mut firm = vec![false; rows.count()];
    node.right.iter().for_each(|i| firm[*i as usize] = true);
    let mut packed = Packed { bound, first: None, closed: false, unclear: false };
    let mut active: Vec<usize> = (0..rows.count()).filter(|i| left[*i] > 0).collect();
    let iterations = 100 + 20 * rows.m;
    while packed.bound < best {
        if active.is_empty() {
            packed.closed = packed.first.is_none();
            break;
        }
        match nearest_point(rows.m, active.len(), |k| rows.row(active[k]), iterations, limits) {
            Nearest::Separates(u) => {
                let wrong: Weight = (0..rows.count()).filter(|i| left[*i] == 0).map(|i| rows.weights[i]).sum();
                let errors =
                    if wrong < 2 * witness.incumbent.errors { witness.offer(&rows.to_given(&u)) } else { wrong };
                packed.closed = packed.first.is_none() && errors <= bound;
                packed.unclear = packed.first.is_none() && errors > bound;
                break;
            }
            Nearest::Conflict(corral) if rows.m <= MOST_PROVED => {
                let conflict: Vec<usize> = corral.iter().map(|k| active[*k]).collect();
                let whole: Vec<_> = conflict.iter().map(|i| rows.integer_row(*i)).collect();
                if !positively_dependent(&whole) {
                    packed.unclear = true;
                    break;
                }
                let Some(cost) = conflict.iter().filter(|i| !firm[**i]).map(|i| left[*i]).min() else {
                    packed.closed = true;
                    break;
                };
                packed.bound += cost;
                for &i in &conflict {
                    if !firm[i] {
                        left[i] -= cost;
                    }
                }
                active.retain(|i| left[*i] > 0);
                packed.first.get_or_insert(conflict);
            }
            _ => {
                packed.unclear = true;
                break;
            }
        }
        if limits.reached() {
            packed.unclear = true;
            break;
        }
    }
    packed
}
