//! Parsed rows, side by side.

/// Parsed rows. Reused between blocks: [`Batch::clear`] keeps what was allocated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// One a row; NaN only where labels are optional and the row has none.
    pub labels: Vec<f64>,
    /// Row `i` has the entries `starts[i]..starts[i + 1]`; one more than there are rows.
    pub starts: Vec<usize>,
    /// Zero-based, strictly rising within a row.
    pub indices: Vec<u32>,
    /// Finite; explicit zeros are kept.
    pub values: Vec<f64>,
    /// The line of each row in its file, from 1.
    pub lines: Vec<u64>,
    /// `(row, n)` of each row that has a `qid:n`.
    pub qids: Vec<(usize, i64)>,
    /// Which of the stream's sources these rows are from.
    pub file: usize,
    /// The largest index of the batch plus one; 0 if there is none.
    pub columns: usize,
}

/// Where a batch stood, to go back to when a row turns out bad.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    entries: usize,
    qids: usize,
}

impl Batch {
    pub fn new() -> Self {
        let mut batch = Batch::default();
        batch.clear();
        batch
    }

    /// Empties it without giving memory back.
    pub fn clear(&mut self) {
        self.labels.clear();
        self.starts.clear();
        self.starts.push(0);
        self.indices.clear();
        self.values.clear();
        self.lines.clear();
        self.qids.clear();
        self.file = 0;
        self.columns = 0;
    }

    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The indices and values of one row.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let entries = self.starts[row]..self.starts[row + 1];
        (&self.indices[entries.clone()], &self.values[entries])
    }

    /// Drops the rows from this line on.
    pub fn truncate_at_line(&mut self, line: u64) {
        let rows = self.lines.partition_point(|l| *l < line);
        if rows == self.rows() {
            return;
        }
        self.labels.truncate(rows);
        self.lines.truncate(rows);
        self.starts.truncate(rows + 1);
        let entries = self.starts[rows];
        self.indices.truncate(entries);
        self.values.truncate(entries);
        self.qids.retain(|(row, _)| *row < rows);
        self.columns = self.indices.iter().max().map_or(0, |i| *i as usize + 1);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { entries: self.indices.len(), qids: self.qids.len() }
    }

    pub(super) fn restore(&mut self, mark: Mark) {
        self.indices.truncate(mark.entries);
        self.values.truncate(mark.entries);
        self.qids.truncate(mark.qids);
    }

    /// Ends a row whose entries were pushed, in order, since `mark`.
    #[inline]
    pub(super) fn finish_row(&mut self, mark: Mark, label: f64, line: u64) {
        if let Some(last) = self.indices[mark.entries..].last() {
            self.columns = self.columns.max(*last as usize + 1);
        }
        self.labels.push(label);
        self.lines.push(line);
        self.starts.push(self.indices.len());
    }
}
