//! Rows: every engine gives what the specification gives, and that what a naive reader gives.
#![allow(clippy::unwrap_used)] // A test's helpers are tests too.

mod naive;

use proptest::prelude::*;
use separatrix_core::text::number::{NotANumber, exact};
use separatrix_core::text::{Batch, Block, Engine, Labels, Libsvm, Refusal, Rules, Tokenise};

/// All that a tokeniser gives, with numbers as bits so that NaN equals itself.
type Outcome = (Vec<u64>, Vec<usize>, Vec<u32>, Vec<u64>, Vec<u64>, Vec<(usize, i64)>, usize, Vec<Refusal>, u64);

fn read(engine: Engine, text: &[u8], rules: Rules) -> Outcome {
    let (mut batch, mut refused) = (Batch::new(), Vec::new());
    let lines = Libsvm::with(engine).unwrap().rows(&Block::of(text), rules, &mut batch, &mut refused);
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    (
        bits(&batch.labels),
        batch.starts,
        batch.indices,
        bits(&batch.values),
        batch.lines,
        batch.qids,
        batch.columns,
        refused,
        lines,
    )
}

/// Every engine against the specification, and the specification against the naive reader.
fn check(text: &[u8], rules: Rules) -> Result<(), TestCaseError> {
    let right = read(Engine::Careful, text, rules);
    for engine in Engine::available() {
        prop_assert_eq!(&read(engine, text, rules), &right, "{:?}", engine);
    }
    let naive = naive::rows(text, rules);
    let good: Vec<u64> = naive.iter().filter(|(_, row)| row.is_some()).map(|(line, _)| *line).collect();
    let bad: Vec<u64> = naive.iter().filter(|(_, row)| row.is_none()).map(|(line, _)| *line).collect();
    prop_assert_eq!(&right.4, &good);
    prop_assert_eq!(right.7.iter().map(|r| r.line).collect::<Vec<_>>(), bad);
    let rows = naive.into_iter().filter_map(|(_, row)| row);
    for (at, row) in rows.enumerate() {
        let entries = right.1[at]..right.1[at + 1];
        prop_assert_eq!(right.0[at], row.label.to_bits());
        prop_assert_eq!(&right.2[entries.clone()], &row.indices[..]);
        prop_assert_eq!(&right.3[entries], &row.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>()[..]);
    }
    Ok(())
}

fn rules() -> impl Strategy<Value = Rules> {
    let limit = prop_oneof![Just(u32::MAX), Just(40u32), Just(1_000_000u32)];
    (0u32..2, limit, any::<bool>()).prop_map(|(base, column_limit, optional)| Rules {
        base,
        column_limit,
        labels: if optional { Labels::Optional } else { Labels::Required },
    })
}

/// Numbers as people and programs write them, and a few that are none.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "-?[0-9]{1,3}(\\.[0-9]{1,12})?",
        3 => "-?0\\.[0-9]{1,17}",
        2 => "[+-]?[0-9]{0,12}\\.?[0-9]{0,12}",
        1 => any::<f64>().prop_map(|v| format!("{v:e}")),
        1 => any::<f64>().prop_map(|v| format!("{v}")),
        1 => "[+-]?[0-9]{1,30}\\.[0-9]{0,30}([eE][+-]?[0-9]{1,4})?",
        1 => prop::sample::select(vec!["nan", "inf", "-Infinity", "0x1p3", "1_0", "1e", "1e+", "--1", "+-1", ".", "-.", "1..2", "1.2.3", "", "1e400", "-1e400", "4.9e-324", "1e-400", "-0", "0.0000000000000"]).prop_map(str::to_owned),
    ]
}

fn line() -> impl Strategy<Value = String> {
    let index = prop_oneof![6 => (0u32..200).prop_map(|i| i.to_string()), 1 => any::<u32>().prop_map(|i| i.to_string()),
        1 => "[0-9]{1,12}", 1 => "[-+0-9.qid:]{0,4}"];
    let gap = prop_oneof![30 => Just(" "), 1 => Just("  "), 1 => Just("\t"), 1 => Just(""), 1 => Just("\r"), 1 => Just(" \x0b")];
    let colon = prop_oneof![40 => Just(":"), 1 => Just(": "), 1 => Just(" :"), 1 => Just("::"), 1 => Just("")];
    let pair = (gap, index, colon, number()).prop_map(|(g, i, c, v)| format!("{g}{i}{c}{v}"));
    let rising = prop::collection::vec((0u32..40, number()), 0..30).prop_map(|pairs| {
        let mut at = 0;
        let mut text = String::new();
        for (step, value) in pairs {
            at += step;
            text += &format!(" {at}:{value}");
        }
        text
    });
    let pairs =
        prop::collection::vec((prop_oneof![40 => 1u32..4000, 1 => Just(0u32)], "-?[0-9]{1,2}(\\.[0-9]{1,10})?"), 0..40);
    let first = prop_oneof![8 => Just(0u32), 1 => 9_990_000u32..10_000_000, 1 => 99_990_000u32..100_000_000];
    let simple = (first, pairs).prop_map(|(first, pairs)| {
        let mut at = first;
        let mut text = String::new();
        for (step, value) in pairs {
            at += step;
            text += &format!(" {at}:{value}");
        }
        text
    });
    let label = prop_oneof![8 => Just("1".to_owned()), 8 => Just("-1".to_owned()), 4 => Just("+1".to_owned()), 2 => number(), 1 => Just(String::new())];
    let rest = prop_oneof![6 => simple, 3 => rising, 2 => prop::collection::vec(pair, 0..6).prop_map(|p| p.concat())];
    let qid = prop_oneof![12 => Just(String::new()), 1 => "( qid:[0-9-]{0,20})"];
    let tail = prop_oneof![20 => Just(""), 1 => Just(" "), 1 => Just(" # 1:2"), 1 => Just("#"), 1 => Just("\r"), 1 => Just(" \r")];
    (label, qid, rest, tail).prop_map(|(l, q, r, t)| l + &q + &r + t)
}

fn lines() -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec(line(), 0..25), any::<bool>())
        .prop_map(|(lines, end)| (lines.join("\n") + if end { "\n" } else { "" }).into_bytes())
}

/// A text with some bytes changed, dropped or put in.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => prop::sample::select(b"0123456789:.-+ \n\t\r#eq".to_vec()), 1 => any::<u8>()];
    (lines(), prop::collection::vec((any::<prop::sample::Index>(), 0u8..3, byte), 0..6)).prop_map(
        |(mut text, changes)| {
            for (place, kind, byte) in changes {
                if text.is_empty() {
                    break;
                }
                let at = place.index(text.len());
                match kind {
                    0 => text[at] = byte,
                    1 => text.insert(at, byte),
                    _ => drop(text.remove(at)),
                }
            }
            text
        },
    )
}

/// A few of the cases that are asked for, for tests whose cases are large.
fn few() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig { cases: (asked.cases / 100).max(16), ..asked }
}

proptest! {
    #![proptest_config(few())]

    /// Long runs of good rows around damaged ones, over several of the vector engine's windows.
    #[test]
    fn fuzz_long_texts(parts in prop::collection::vec((damaged(), 1usize..15), 1..5), rules in rules()) {
        let text: Vec<u8> =
            parts.iter().flat_map(|(part, times)| [part.as_slice(), b"\n"].concat().repeat(*times)).collect();
        check(&text, rules)?;
    }
}

proptest! {
    #[test]
    fn fuzz_rows(text in lines(), rules in rules()) {
        check(&text, rules)?;
    }

    #[test]
    fn fuzz_damaged_rows(text in damaged(), rules in rules()) {
        check(&text, rules)?;
    }

    #[test]
    fn fuzz_any_bytes(text in prop::collection::vec(any::<u8>(), 0..400), rules in rules()) {
        check(&text, rules)?;
    }

    #[test]
    fn fuzz_bytes_of_the_grammar(
        text in prop::collection::vec(prop::sample::select(b"0123456789::..--+  \n\n\t\r#eqid".to_vec()), 0..400),
        rules in rules(),
    ) {
        check(&text, rules)?;
    }

    #[test]
    fn fuzz_numbers(text in number()) {
        prop_assert_eq!(exact(text.as_bytes()).map(f64::to_bits), naive::number(&text).map(f64::to_bits));
    }

    #[test]
    fn fuzz_doubles_come_back(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        for text in [format!("{value}"), format!("{value:e}"), format!("{value:.17e}"), format!("{value:.30}")] {
            let right: f64 = text.parse().unwrap();
            prop_assert_eq!(exact(text.as_bytes()).map(f64::to_bits), Ok(right.to_bits()));
        }
    }
}

#[test]
#[allow(clippy::approx_constant)] // The digits are the point here.
fn hard_numbers() {
    for (text, right) in [
        ("1e-200", 1e-200),
        ("3.14159265358979", 3.14159265358979),
        ("5e-324", f64::from_bits(1)),
        ("2.4703282292062327208e-324", 0.0),
        ("2.4703282292062328e-324", f64::from_bits(1)),
        ("2.2250738585072011e-308", f64::from_bits(0x000f_ffff_ffff_ffff)),
        ("9007199254740993", 9007199254740992.0),
        ("9007199254740993.00000000000000000000001", 9007199254740994.0),
        ("1.00000000000000011102230246251565404236316680908203125", 1.0),
        ("1.00000000000000011102230246251565404236316680908203126", 1.0 + f64::EPSILON),
        (
            "179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558632766878171540458953514382464234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583236903222948165808559332123347764797926204144723168738177180919299881250404026184124858368",
            f64::MAX,
        ),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("-.5", -0.5),
        ("+5.", 5.0),
        ("0e999999999999999999999999", 0.0),
        ("1e-999999999999999999999999", 0.0),
    ] {
        assert_eq!(exact(text.as_bytes()).map(f64::to_bits), Ok(right.to_bits()), "{text}");
    }
    assert_eq!(exact(b"1e999999999999999999999999"), Err(NotANumber::TooLarge));
    let beyond = "1797693134862315907729305190789024733617976978942306572734300811577326758055009631327084773224075360211201138798713933576587897688144166224928474306394741243777678934248654852763022196012460941194530829520850057688381506823424628814739131105408272371633505106845862982399472459384797163048353563296242241372160";
    assert_eq!(exact(format!("{beyond}e-1").as_bytes()), Err(NotANumber::TooLarge));
}

#[test]
fn corpus() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = 0;
    for file in std::fs::read_dir(directory).unwrap() {
        let text = std::fs::read(file.unwrap().path()).unwrap();
        for base in 0..2 {
            for labels in [Labels::Required, Labels::Optional] {
                check(&text, Rules { base, column_limit: u32::MAX, labels }).unwrap();
            }
        }
        files += 1;
    }
    assert!(files >= 10, "the corpus has {files} files");
}
