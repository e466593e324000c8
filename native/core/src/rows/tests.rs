use proptest::prelude::*;

use super::*;

/// The definition, written once more the slow way: the k-th non-zero goes to lane k mod 8.
fn by_definition(entries: &[(usize, f64)], w: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    for (k, (column, value)) in entries.iter().filter(|(_, v)| *v != 0.0).enumerate() {
        lanes[k % 8] += value * w[*column];
    }
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}

fn values() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(prop_oneof![3 => -4i32..=4, 1 => -1000i32..1000], 0..70)
        .prop_map(|ints| ints.into_iter().map(|i| i as f32 * 0.37).collect())
}

proptest! {
    #[test]
    fn every_engine_and_storage_agrees_to_the_bit(values in values(), seed in 0u64..1000) {
        let w: Vec<f64> = (0..values.len()).map(|j| ((j as u64 * 2654435761 + seed) % 1009) as f64 / 7.0 - 70.0).collect();
        let entries: Vec<(usize, f64)> = values.iter().enumerate().map(|(j, v)| (j, f64::from(*v))).collect();
        let wanted = by_definition(&entries, &w);
        let (indices, stored): (Vec<u32>, Vec<f32>) = values.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(j, v)| (j as u32, *v)).unzip();
        let long: Vec<i64> = indices.iter().map(|j| i64::from(*j)).collect();
        let doubles: Vec<f64> = stored.iter().map(|v| f64::from(*v)).collect();
        let has_zero = stored.len() < values.len();
        for engine in Engine::available() {
            let a = SparseRow { indices: &indices, values: &stored, engine };
            let b = SparseRow { indices: &long, values: &doubles, engine };
            let c = DenseRow { values: &values, engine };
            prop_assert_eq!(a.scan(&w).dot.to_bits(), wanted.to_bits());
            prop_assert_eq!(a.dot(&w).to_bits(), wanted.to_bits());
            prop_assert_eq!(b.scan(&w), a.scan(&w));
            prop_assert_eq!(b.dot(&w).to_bits(), wanted.to_bits());
            prop_assert_eq!(c.scan(&w).plain, !has_zero);
            let mut room = Tidy::default();
            let tidied = room.tidy(&c, false).unwrap();
            prop_assert_eq!(tidied.scan(&w), a.scan(&w));
            if !has_zero {
                prop_assert_eq!(c.scan(&w), a.scan(&w));
                prop_assert_eq!(c.dot(&w).to_bits(), wanted.to_bits());
            }
        }
    }

    /// Rows without zeros of every length, so that whole registers, their rest, and short rows are all met.
    #[test]
    fn dense_rows_without_zeros_follow_the_definition(values in prop::collection::vec(1i32..2000, 0..70), scale in -3i32..3) {
        let floats: Vec<f32> = values.iter().map(|v| (*v - 1000) as f32 + 0.3).collect();
        let doubles: Vec<f64> = values.iter().map(|v| f64::from(*v - 1000) * 0.1 + 0.03).collect();
        // Longer than the row, and not a number where the row ends: nothing beyond it may be read.
        let mut w: Vec<f64> = values.iter().map(|v| f64::from(v % 7) / 3.0 - 1.1).collect();
        w.extend([f64::NAN; 9]);
        let entries = |row: &[f64]| row.iter().copied().enumerate().collect::<Vec<_>>();
        let singles: Vec<f64> = floats.iter().map(|v| f64::from(*v)).collect();
        let plainly = |row: &[f64]| row.iter().zip(&w).map(|(x, w)| w + f64::from(scale) * x).collect::<Vec<_>>();
        for engine in Engine::available() {
            let (a, b) = (DenseRow { values: &floats, engine }, DenseRow { values: &doubles, engine });
            let (wanted_a, wanted_b) = (by_definition(&entries(&singles), &w), by_definition(&entries(&doubles), &w));
            prop_assert_eq!(a.dot(&w).to_bits(), wanted_a.to_bits());
            prop_assert_eq!(b.dot(&w).to_bits(), wanted_b.to_bits());
            prop_assert_eq!(a.scan(&w).squares.to_bits(), by_definition(&entries(&singles), &singles).to_bits());
            prop_assert_eq!(b.scan(&w).squares.to_bits(), by_definition(&entries(&doubles), &doubles).to_bits());
            let (mut changed_a, mut changed_b) = (w.clone(), w.clone());
            a.add_to(&mut changed_a, f64::from(scale));
            b.add_to(&mut changed_b, f64::from(scale));
            prop_assert_eq!(&changed_a[..values.len()], &plainly(&singles)[..]);
            prop_assert_eq!(&changed_b[..values.len()], &plainly(&doubles)[..]);
            prop_assert!(changed_a[values.len()..].iter().chain(&changed_b[values.len()..]).all(|w| w.is_nan()));
        }
    }

    #[test]
    fn ranks_are_counted_alike(columns in prop::collection::vec(prop_oneof![0u32..50, Just(u32::MAX)], 0..70)) {
        let wanted: Vec<u32> = columns.iter().map(|c| columns.iter().filter(|other| *other < c).count() as u32).collect();
        for engine in Engine::available() {
            let mut ranks = vec![0; columns.len()];
            engine.ranks(&columns, &mut ranks);
            prop_assert_eq!(&ranks, &wanted);
        }
    }

    #[test]
    fn falls_are_counted_alike(indices in prop::collection::vec(-3i32..6, 0..60)) {
        let wanted = indices.windows(2).filter(|pair| pair[0] >= pair[1]).count();
        // More than one block, too.
        let long: Vec<i64> = (0..1 << 14).chain(indices.iter().map(|i| i64::from(*i))).collect();
        let joint = indices.first().map_or(0, |first| usize::from((1 << 14) > i64::from(*first)));
        for engine in Engine::available() {
            prop_assert_eq!(engine.falls(&indices), wanted);
            prop_assert_eq!(engine.falls(&long), wanted + joint);
        }
    }

    #[test]
    fn a_unit_row_is_each_value_over_the_norm(values in values()) {
        let row = DenseRow { values: &values, engine: Engine::best() };
        let norm = values.iter().map(|v| f64::from(*v) * f64::from(*v)).fold(0.0, |a, b| a + b).sqrt();
        let mut room = Tidy::default();
        let unit = room.tidy(&row, true).unwrap();
        let wanted: Vec<f64> = values.iter().filter(|v| **v != 0.0).map(|v| f64::from(*v) / norm).collect();
        prop_assert_eq!(unit.values, wanted);
    }

    #[test]
    fn gathered_entries_come_out_sorted(mut columns in prop::collection::vec(0u32..40, 0..20)) {
        let mut room = Tidy::default();
        let answer = room.gather(columns.iter().map(|c| (*c, f64::from(*c) + 0.5))).map(|r| r.indices.to_vec());
        columns.sort_unstable();
        let twice = columns.windows(2).find(|p| p[0] == p[1]).map(|p| p[0]);
        match twice {
            Some(column) => prop_assert_eq!(answer, Err(column)),
            None => prop_assert_eq!(answer, Ok(columns)),
        }
    }
}

#[test]
fn columns_that_are_not_there_do_not_matter() {
    let w = [f64::INFINITY, 2.0, 3.0, 5.0];
    for engine in Engine::available() {
        for count in 1..=3 {
            let (indices, values) = (&[1i64, 2, 3][..count], &[1f32, 1.0, 1.0][..count]);
            let scan = SparseRow { indices, values, engine }.scan(&w);
            assert_eq!(scan, Scan { dot: w[1..=count].iter().sum(), squares: count as f64, plain: true });
        }
    }
}

#[test]
fn extreme_rows_are_refused_or_scaled() {
    let mut room = Tidy::default();
    let row = |values: &'static [f64]| DenseRow { values, engine: Engine::best() };
    assert_eq!(
        room.tidy(&row(&[1.0, f64::INFINITY]), false),
        Err(Untidy::NotFinite { column: 1, value: f64::INFINITY })
    );
    assert_eq!(room.tidy(&row(&[1e200]), false), Err(Untidy::TooLong));
    for scale in [2f64.powi(600), 2f64.powi(1021), 2f64.powi(-600), f64::from_bits(1)] {
        let values = [3.0 * scale, -4.0 * scale];
        let row = DenseRow { values: &values, engine: Engine::best() };
        assert_eq!(room.tidy(&row, true).unwrap().values, [0.6, -0.8]);
    }
    assert_eq!(room.tidy(&row(&[0.0, 0.0]), true).unwrap().values.len(), 0);
}

#[test]
fn arrays_that_are_not_rows_are_refused() {
    let check = |starts: &[i32], indices: &[i32], columns| {
        SparseRows::new(starts, indices, &vec![1.0; indices.len()], columns).ok().map(|rows| rows.check(0..rows.len()))
    };
    assert_eq!(check(&[0, 2, 3], &[0, 4, 2], 5), Some(Ok(())));
    assert_eq!(check(&[0], &[], 5), Some(Ok(())));
    assert_eq!(check(&[0, 2], &[4, 0], 5), Some(Err(0)));
    assert_eq!(check(&[0, 2], &[4, 4], 5), Some(Err(0)));
    assert_eq!(check(&[0, 2], &[0, 5], 5), Some(Err(0)));
    assert_eq!(check(&[0, 2], &[-1, 3], 5), Some(Err(0)));
    assert_eq!(check(&[0, 1, 1, 3, 4], &[7, 2, 2, 9], 10), Some(Err(2)));
    assert_eq!(check(&[0, 2, 1, 2], &[0, 1], 5), Some(Err(1)));
    assert_eq!(check(&[0, 9, 2], &[0, 1], 5), Some(Err(0)));
    assert_eq!(check(&[0, 3], &[0, 1], 5), None);
    assert_eq!(check(&[1, 2], &[0, 1], 5), None);
    assert_eq!(check(&[], &[], 5), None);
}
