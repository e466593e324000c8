//! Streams: the same rows whatever the threads and the pieces; every row before an error handed out.
#![allow(clippy::unwrap_used)] // A test's helpers are tests too.

use std::convert::Infallible;
use std::io::{Cursor, Read};
use std::ops::ControlFlow;

use proptest::prelude::*;
use separatrix_core::stream::{Failure, Source, Stream, StreamError, Summary};
use separatrix_core::text::{BadRows, Batch, IndexBase, Options};

/// Gives its bytes in pieces of `piece` bytes.
struct Dripping(Cursor<Vec<u8>>, usize);

impl Read for Dripping {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

fn sources(texts: &[&[u8]], piece: usize) -> Vec<Source> {
    texts
        .iter()
        .enumerate()
        .map(|(i, text)| Source::Reader {
            name: format!("file{i}"),
            read: Box::new(Dripping(Cursor::new(text.to_vec()), piece)),
        })
        .collect()
}

type Rows = Vec<(usize, u64, u64, Vec<(u32, u64)>)>;

/// Every row as (file, line, label bits, entries), and how the run ended.
fn run(texts: &[&[u8]], piece: usize, options: &Options) -> (Rows, Result<Summary, String>) {
    let mut rows = Rows::new();
    let stream = Stream::open(sources(texts, piece), options.clone()).unwrap();
    let outcome = stream.for_each(
        |batch: &Batch| {
            for row in 0..batch.rows() {
                let (indices, values) = batch.row(row);
                let entries = indices.iter().zip(values).map(|(i, v)| (*i, v.to_bits())).collect();
                rows.push((batch.file, batch.lines[row], batch.labels[row].to_bits(), entries));
            }
            Ok::<(), Infallible>(())
        },
        |_| ControlFlow::Continue(()),
    );
    (rows, outcome.map_err(|e| e.to_string()))
}

fn text() -> impl Strategy<Value = String> {
    let value = prop_oneof![Just("1".to_owned()), "-?[0-9]{1,3}(\\.[0-9]{1,4})?", "[0-9]\\.[0-9]e-[0-9]", "x"];
    let pair = (0u32..40, value).prop_map(|(i, v)| format!("{i}:{v}"));
    let row = (prop_oneof![8 => Just("1"), 8 => Just("-1"), 1 => Just("")], prop::collection::vec(pair, 0..4))
        .prop_map(|(label, pairs)| [vec![label.to_owned()], pairs].concat().join(" "));
    let line = prop_oneof![12 => row, 1 => Just(String::new()), 1 => Just("# a comment".to_owned())];
    (prop::collection::vec(line, 0..30), any::<bool>())
        .prop_map(|(lines, end)| lines.join("\n") + if end { "\n" } else { "" })
}

proptest! {
    #[test]
    fn threads_and_pieces_do_not_matter(
        one in text(), two in text(), block in 1usize..200, piece in 1usize..50, skip in any::<bool>(),
        base in prop_oneof![Just(IndexBase::Auto), Just(IndexBase::Zero), Just(IndexBase::One)],
    ) {
        let bad_rows = if skip { BadRows::Skip } else { BadRows::Fail };
        let options = Options { block, bad_rows, base, ..Options::default() };
        let texts = [one.as_bytes(), two.as_bytes()];
        let plain = run(&texts, 1 << 20, &options);
        prop_assert_eq!(&run(&texts, piece, &options), &plain);
        for threads in [2, 3] {
            let several = Options { threads, ..options.clone() };
            prop_assert_eq!(&run(&texts, piece, &several), &plain);
        }
        if base != IndexBase::Auto {
            // Then the size of blocks does not matter either.
            let whole = Options { block: 1 << 20, ..options };
            prop_assert_eq!(&run(&texts, piece, &whole), &plain);
        }
    }
}

/// Gives a byte, then has nothing for once, and so on.
struct Stuttering(Cursor<Vec<u8>>, bool);

impl Read for Stuttering {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = !self.1;
        if self.1 { Err(std::io::ErrorKind::WouldBlock.into()) } else { self.0.read(&mut buffer[..1]) }
    }
}

#[test]
fn nothing_is_lost_when_a_wait_is_ended() {
    let text = b"\xef\xbb\xbf1 1:1\n-1 2:0.5\n";
    let read = Box::new(Stuttering(Cursor::new(text.to_vec()), false));
    let source = Source::Reader { name: "slow".to_owned(), read };
    let mut stream = Stream::open(vec![source], Options::default()).unwrap();
    let mut batch = Batch::new();
    let mut waits = 0;
    while !stream.next_batch_or_stop(&mut batch, || true).unwrap() {
        waits += 1;
        assert!(waits < 100);
    }
    assert!(waits >= text.len());
    assert_eq!(
        (&batch.labels[..], &batch.indices[..], &batch.values[..]),
        (&[1.0, -1.0][..], &[0, 1][..], &[1.0, 0.5][..])
    );
}

#[test]
fn rows_before_a_bad_one_are_handed_out() {
    let (rows, outcome) = run(&[b"1 1:1\n-1 2:1\n\n1 1:x\n1 1:1\n"], 100, &Options::default());
    assert_eq!(rows.len(), 2);
    assert_eq!(outcome.unwrap_err(), "file0:4:5: expected a finite number as the value, found \"x\"");
}

#[test]
fn a_late_zero_stops_even_a_run_that_skips() {
    let options = Options { block: 8, bad_rows: BadRows::Skip, ..Options::default() };
    let (rows, outcome) = run(&[b"1 1:1\n-1 2:1\n1 0:1\n"], 100, &options);
    assert_eq!(rows.len(), 2);
    assert!(outcome.unwrap_err().starts_with("file0:3:3: expected indices from 1"));
}

#[test]
fn a_zero_in_the_first_block_makes_all_zero_based() {
    let (rows, outcome) = run(&[b"1 1:1\n1 0:1\n", b"1 5:1\n"], 100, &Options::default());
    assert_eq!(rows.iter().map(|r| r.3[0].0).collect::<Vec<_>>(), [1, 0, 5]);
    assert_eq!(outcome.unwrap().index_base, Some(0));
}

#[test]
fn a_line_over_the_limit_is_an_error_and_one_at_the_limit_is_not() {
    for block in [4, 16, 1 << 20] {
        for threads in [1, 2] {
            let options = Options { block, line_limit: 12, threads, ..Options::default() };
            let good = b"1 1:1\n1 1:23456789\n1 1:23456789";
            assert_eq!(run(&[good], 100, &options).0.len(), 3);
            let (rows, outcome) = run(&[b"1 1:1\n1 1:234567890\n1 1:1\n"], 100, &options);
            assert_eq!(rows.len(), 1);
            assert!(outcome.unwrap_err().starts_with("file0:2: expected a line of at most 12 bytes"));
        }
    }
}

#[test]
fn byte_order_mark_crlf_and_gzip() {
    use std::io::Write;
    let text = b"\xef\xbb\xbf1 1:1\r\n-1 2:1\r\n";
    let mut zipped = Vec::new();
    for part in [&text[..7], &text[7..]] {
        let mut encoder = flate2::write::GzEncoder::new(&mut zipped, flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap();
    }
    let plain = run(&[text], 100, &Options::default());
    assert_eq!(plain.0.len(), 2);
    assert_eq!(run(&[&zipped], 3, &Options::default()).0, plain.0);
    // Cut off, or damaged in the middle: an error that says so.
    let (_, outcome) = run(&[&zipped[..zipped.len() - 3]], 100, &Options::default());
    assert!(outcome.unwrap_err().contains("expected whole gzip data"));
}

#[test]
fn the_caller_can_stop_and_the_visitor_can_fail() {
    for threads in [1, 2] {
        let options = Options { block: 1, threads, ..Options::default() };
        let text = b"1 1:1\n".repeat(1000);
        let stream = Stream::open(sources(&[&text], 100), options.clone()).unwrap();
        let summary = stream
            .for_each(
                |_| {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    Ok::<(), Infallible>(())
                },
                |_| ControlFlow::Break(()),
            )
            .unwrap();
        assert!(summary.stopped && summary.rows > 0 && summary.rows < 1000);

        let stream = Stream::open(sources(&[&text], 100), options).unwrap();
        let mut visits = 0;
        let outcome = stream.for_each(
            |_| {
                visits += 1;
                if visits == 7 { Err("enough") } else { Ok(()) }
            },
            |_| ControlFlow::Continue(()),
        );
        assert!(matches!(outcome, Err(Failure::Visit("enough"))));
        assert_eq!(visits, 7);
    }
}

#[test]
fn quarantine_holds_the_lines_as_they_were_and_never_a_source() {
    let directory = std::env::temp_dir().join(format!("separatrix-quarantine-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (data, refused) = (directory.join("data"), directory.join("refused"));
    let text = b"1 1:1\nx 1:1\r\n1 2:1\n1 2:1 2:1 # twice\n";
    std::fs::write(&data, text).unwrap();
    let options = Options { bad_rows: BadRows::Quarantine(refused.clone()), ..Options::default() };
    let stream = Stream::open(vec![Source::Path(data.clone())], options).unwrap();
    let summary = stream.for_each(|_| Ok::<(), Infallible>(()), |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((summary.rows, summary.rows_refused, summary.first_bad.len()), (2, 2, 2));
    assert_eq!(std::fs::read(&refused).unwrap(), b"x 1:1\r\n1 2:1 2:1 # twice\n");

    let options = Options { bad_rows: BadRows::Quarantine(data.clone()), ..Options::default() };
    let outcome = Stream::open(vec![Source::Path(data.clone())], options);
    assert!(matches!(outcome, Err(StreamError::QuarantineIsSource { .. })));
    assert_eq!(std::fs::read(&data).unwrap(), text);
    std::fs::remove_dir_all(&directory).unwrap();
}
