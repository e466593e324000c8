//! The libsvm tokeniser: a fast engine where it can, the careful one where it must.

use std::sync::OnceLock;

use memchr::memchr;

use super::{Batch, Block, Refusal, Rules, Tokenise, careful, fast};

/// What reads the rows that are as programs write them. All give the same to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// None: every row goes to the specification, byte by byte.
    Careful,
    /// One pass over the bytes, on any machine.
    Portable,
    /// 64 bytes and two pairs at a time, on processors with AVX2.
    Avx2,
    /// 64 bytes and eight pairs at a time, on processors with AVX-512 and its byte permutes.
    Avx512,
}

impl Engine {
    /// Those that this machine can run, the fastest last.
    pub fn available() -> Vec<Engine> {
        let mut engines = vec![Engine::Careful, Engine::Portable];
        #[cfg(target_arch = "x86_64")]
        if super::avx2::available() {
            engines.push(Engine::Avx2);
        }
        #[cfg(target_arch = "x86_64")]
        if super::avx512::available() {
            engines.push(Engine::Avx512);
        }
        engines
    }

    /// The fastest; without vectors if the environment has `SEPARATRIX_PORTABLE` set to other than 0.
    /// Found out once a process.
    pub fn best() -> Engine {
        static BEST: OnceLock<Engine> = OnceLock::new();
        *BEST.get_or_init(|| {
            let portable =
                std::env::var_os("SEPARATRIX_PORTABLE").is_some_and(|value| value != "0" && !value.is_empty());
            let fastest = Engine::available().pop().unwrap_or(Engine::Portable);
            if portable { Engine::Portable } else { fastest }
        })
    }
}

/// libsvm / svmlight text.
#[derive(Clone, Copy, Debug)]
pub struct Libsvm(Engine);

impl Libsvm {
    /// `None` if this machine cannot run that engine.
    pub fn with(engine: Engine) -> Option<Libsvm> {
        Engine::available().contains(&engine).then_some(Libsvm(engine))
    }
}

impl Default for Libsvm {
    fn default() -> Self {
        Libsvm(Engine::best())
    }
}

impl Tokenise for Libsvm {
    fn rows(&self, block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
        #[cfg(target_arch = "x86_64")]
        match self.0 {
            Engine::Avx512 => return super::avx512::rows(block, rules, batch, refused),
            Engine::Avx2 => return super::avx2::rows(block, rules, batch, refused),
            Engine::Portable | Engine::Careful => {}
        }
        let text = block.text();
        let mut at = 0;
        let mut line = 0;
        while at < text.len() {
            line += 1;
            let fast = if self.0 == Engine::Careful { None } else { fast::row(block, at, line, rules, batch) };
            at = match fast {
                Some(next) => next,
                None => careful_row(text, at, line, rules, batch, refused),
            };
        }
        line
    }
}

/// Gives the line at `at` to the specification; returns where the next one begins.
pub(super) fn careful_row(
    text: &[u8],
    at: usize,
    line: u64,
    rules: Rules,
    batch: &mut Batch,
    refused: &mut Vec<Refusal>,
) -> usize {
    if text[at] == b'\n' {
        return at + 1;
    }
    let end = memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline);
    let next = (end + 1).min(text.len());
    if let Err((place, why)) = careful::row(&text[at..end], line, rules, batch) {
        refused.push(Refusal { line, column: place + 1, span: at..next, why });
    }
    next
}
