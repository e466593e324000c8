//! How fast each engine reads libsvm text: `cargo run --release --example parse_speed [rows] [repeats]`.
//!
//! The text is like rcv1's: 73 pairs a row of 47,236 columns, values such as 0.0412345, made from a
//! seed. Every engine must give what the specification gives, or the program fails. Times are the
//! least of the repeats, per non-zero; the machine's other work only ever adds to them.

use std::convert::Infallible;
use std::error::Error;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use separatrix_core::stream::{Source, Stream};
use separatrix_core::text::{Batch, Block, Engine, Labels, Libsvm, Options, Rules, Tokenise};

const PAIRS: usize = 73;
const COLUMNS: u64 = 47_236;
const SEED: u64 = 0x5eba_7a71;

/// Marsaglia's xorshift, which is random enough for text.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn text(rows: usize) -> Result<String, std::fmt::Error> {
    let mut random = Random(SEED);
    let mut text = String::new();
    for _ in 0..rows {
        text.push_str(if random.below(2) == 0 { "-1" } else { "1" });
        let mut indices: Vec<u64> = (0..PAIRS).map(|_| 1 + random.below(COLUMNS)).collect();
        indices.sort_unstable();
        indices.dedup();
        for index in indices {
            let value = (1 + random.below(2_000_000)) as f64 / 1e7;
            write!(text, " {index}:{value}")?;
        }
        text.push('\n');
    }
    Ok(text)
}

/// The text in blocks of whole lines.
fn blocks(text: &[u8], size: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let most = &rest[..rest.len().min(size)];
        let cut = most.iter().rposition(|b| *b == b'\n').map_or(most.len(), |newline| newline + 1);
        blocks.push(Block::of(&rest[..cut]));
        rest = &rest[cut..];
    }
    blocks
}

fn digest(batch: &Batch) -> u64 {
    let words = batch.labels.iter().chain(&batch.values).map(|v| v.to_bits());
    let words = words.chain(batch.indices.iter().map(|i| u64::from(*i))).chain(batch.starts.iter().map(|s| *s as u64));
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>());
    let rows = arguments.next().transpose()?.unwrap_or(40_000);
    let repeats = arguments.next().transpose()?.unwrap_or(7);
    let text = text(rows)?;
    let pairs = text.bytes().filter(|b| *b == b':').count();
    println!(
        "{rows} rows, {pairs} non-zeros, {} bytes, {:.1} a non-zero",
        text.len(),
        text.len() as f64 / pairs as f64
    );
    let show = |name: &str, seconds: f64| {
        let speed = text.len() as f64 / seconds / 1e9;
        println!("{name:28} {speed:6.2} GB/s {:7.2} ns a non-zero", seconds / pairs as f64 * 1e9);
    };

    let rules = Rules { base: 1, column_limit: u32::MAX, labels: Labels::Required };
    let mut right = None;
    let size = Options::default().block;
    for engine in Engine::available() {
        let tokeniser = Libsvm::with(engine).ok_or("an available engine")?;
        let blocks = blocks(text.as_bytes(), size);
        let mut batch = Batch::new();
        let mut refused = Vec::new();
        let mut least = f64::INFINITY;
        for repeat in 0..=repeats {
            let mut hash = 0u64;
            let start = Instant::now();
            for block in &blocks {
                batch.clear();
                tokeniser.rows(block, rules, &mut batch, &mut refused);
                if repeat == 0 {
                    hash = hash.rotate_left(1) ^ digest(&batch);
                }
            }
            let seconds = start.elapsed().as_secs_f64();
            if repeat == 0 {
                if *right.get_or_insert(hash) != hash || !refused.is_empty() {
                    return Err(format!("{engine:?} differs from the specification").into());
                }
            } else {
                least = least.min(seconds);
            }
        }
        show(&format!("{engine:?}, from memory"), least);
    }

    let path = std::env::temp_dir().join(format!("separatrix-parse-speed-{}", std::process::id()));
    std::fs::write(&path, &text)?;
    for engine in Engine::available().into_iter().skip(1) {
        for threads in [1, 2] {
            let mut least = f64::INFINITY;
            for _ in 0..repeats {
                let tokeniser = Arc::new(Libsvm::with(engine).ok_or("an available engine")?);
                let start = Instant::now();
                let options = Options { threads, ..Options::default() };
                let stream = Stream::open_as(tokeniser, vec![Source::Path(path.clone())], options)?;
                let summary = stream.for_each(|_| Ok::<(), Infallible>(()), |_| ControlFlow::Continue(()))?;
                least = least.min(start.elapsed().as_secs_f64());
                if summary.rows != rows as u64 {
                    return Err(format!("expected {rows} rows, found {}", summary.rows).into());
                }
            }
            show(&format!("{engine:?}, file, {threads} thread(s)"), least);
        }
    }
    std::fs::remove_file(&path)?;
    Ok(())
}
