//! What a run knows of itself, kept in file order: index base, line numbers, refused rows, counts.

use std::fs::File;
use std::io::{BufWriter, Write};

use super::error::StreamError;
use super::{Progress, Summary};
use crate::text::{BadRow, BadRows, Batch, Block, IndexBase, Options, Refusal, Rules, Tokenise, Why};

/// How many refused rows a summary repeats in words.
const REMEMBERED: usize = 5;

pub(super) struct Ledger {
    options: Options,
    names: Vec<String>,
    base: Option<u32>,
    quarantine: Option<(String, BufWriter<File>)>,
    file: usize,
    /// Lines of the current file in the batches taken so far.
    lines: u64,
    pub(super) rows: u64,
    pub(super) refused: u64,
    first_bad: Vec<BadRow>,
    columns: usize,
}

impl Ledger {
    /// Creates the quarantine file, if there is to be one.
    pub(super) fn new(options: &Options, names: Vec<String>) -> Result<Self, StreamError> {
        let quarantine = match &options.bad_rows {
            BadRows::Quarantine(path) => {
                let name = path.display().to_string();
                let file = File::create(path).map_err(|error| StreamError::Quarantine { name: name.clone(), error })?;
                Some((name, BufWriter::new(file)))
            }
            _ => None,
        };
        let base = match options.base {
            IndexBase::Auto => None,
            IndexBase::Zero => Some(0),
            IndexBase::One => Some(1),
        };
        Ok(Ledger {
            options: options.clone(),
            names,
            base,
            quarantine,
            file: 0,
            lines: 0,
            rows: 0,
            refused: 0,
            first_bad: Vec::new(),
            columns: 0,
        })
    }

    /// The rules for a block. `None`: the base is open, so this block must wait until it is next.
    pub(super) fn rules(options: &Options, base: Option<u32>) -> Option<Rules> {
        base.map(|base| Rules { base, column_limit: options.column_limit, labels: options.labels })
    }

    pub(super) fn base(&self) -> Option<u32> {
        self.base
    }

    /// The rules for the next block in order, which settles the base if it can.
    pub(super) fn settle(&mut self, tokeniser: &dyn Tokenise, block: &Block, batch: &mut Batch) -> Rules {
        if self.base.is_none() {
            let open = Rules { base: 0, column_limit: u32::MAX, labels: self.options.labels };
            batch.clear();
            tokeniser.rows(block, open, batch, &mut Vec::new());
            self.base = batch.indices.iter().min().map(|least| u32::from(*least > 0));
        }
        Rules { base: self.base.unwrap_or(0), column_limit: self.options.column_limit, labels: self.options.labels }
    }

    /// Takes the next block's rows in order: numbers their lines, keeps count, deals with refused rows.
    /// An error stands for the first row that stops the run; the batch then ends before it.
    pub(super) fn take(
        &mut self,
        block: &Block,
        batch: &mut Batch,
        refused: &[Refusal],
        lines: u64,
    ) -> Result<(), StreamError> {
        if block.file != self.file {
            self.file = block.file;
            self.lines = 0;
        }
        batch.file = block.file;
        if self.lines > 0 {
            for line in &mut batch.lines {
                *line += self.lines;
            }
        }
        let mut outcome = Ok(());
        for refusal in refused {
            if let Err(error) = self.refuse(block, refusal) {
                batch.truncate_at_line(self.lines + refusal.line);
                outcome = Err(error);
                break;
            }
        }
        self.lines += lines;
        self.rows += batch.rows() as u64;
        self.columns = self.columns.max(batch.columns);
        outcome
    }

    fn refuse(&mut self, block: &Block, refusal: &Refusal) -> Result<(), StreamError> {
        let line = &block.text()[refusal.span.clone()];
        let describe = || BadRow::new(&self.names[block.file], self.lines + refusal.line, line, refusal);
        if refusal.why == Why::IndexZero && self.options.base == IndexBase::Auto {
            return Err(StreamError::LateZero(describe()));
        }
        if self.options.bad_rows == BadRows::Fail {
            return Err(StreamError::BadRow(describe()));
        }
        if self.first_bad.len() < REMEMBERED {
            let row = describe();
            self.first_bad.push(row);
        }
        self.refused += 1;
        if let Some((name, file)) = &mut self.quarantine {
            file.write_all(line).map_err(|error| StreamError::Quarantine { name: name.clone(), error })?;
        }
        Ok(())
    }

    /// Completes an error that the reading side met after the blocks taken so far.
    pub(super) fn locate(&self, error: StreamError, file: usize) -> StreamError {
        match error {
            StreamError::LongLine { name, limit, .. } => {
                let before = if file == self.file { self.lines } else { 0 };
                StreamError::LongLine { name, line: before + 1, limit }
            }
            other => other,
        }
    }

    pub(super) fn progress(&self, bytes_read: u64, bytes_total: Option<u64>) -> Progress {
        Progress { bytes_read, bytes_total, rows: self.rows, rows_refused: self.refused }
    }

    /// Writes out what is buffered and sums up.
    pub(super) fn close(&mut self, bytes: u64, stopped: bool) -> Result<Summary, StreamError> {
        if let Some((name, file)) = &mut self.quarantine {
            file.flush().map_err(|error| StreamError::Quarantine { name: name.clone(), error })?;
        }
        Ok(self.summary(bytes, stopped))
    }

    pub(super) fn summary(&self, bytes: u64, stopped: bool) -> Summary {
        Summary {
            rows: self.rows,
            rows_refused: self.refused,
            first_bad: self.first_bad.clone(),
            index_base: self.base,
            columns: self.columns,
            bytes,
            stopped,
        }
    }
}
