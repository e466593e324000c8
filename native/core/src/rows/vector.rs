//! The kernels with the instructions this machine has, chosen once at run time.
//!
//! They return what `dot.rs` returns, to the last bit: the same lanes, the same two roundings a
//! term. The eight lanes are two 256-bit registers or one of 512 bits. Weights of a sparse row are
//! gathered by one instruction where that is the faster way (1.07 against 1.55 ns a number of text on
//! Sapphire Rapids), else loaded one by one and put together.

#![allow(unsafe_code)]

use std::sync::OnceLock;

use super::dot::{dense_add, dense_scan, falls, ranks, sparse_scan};
use super::{Index, Scan, Value};

/// Which instructions to use. Made only by [`Engine::available`], so an engine that exists can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// And gathers are fast.
    #[cfg(target_arch = "x86_64")]
    Avx512Gather,
}

/// A loop over rows, for [`Engine::run`].
pub trait Work {
    type Done;

    /// Must be `#[inline(always)]`: only as part of its caller is it compiled for the engine. The engine is
    /// said here once more because here it is a constant.
    fn on(self, engine: Engine) -> Self::Done;
}

impl Engine {
    /// The engines that this machine can run, plainest first.
    #[must_use]
    pub fn available() -> Vec<Engine> {
        let mut engines = vec![Engine(Instructions::Plain)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                engines.push(Engine(Instructions::Avx2));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
            {
                engines.push(Engine(Instructions::Avx512));
                // No processor says that its gathers are fast. The older ones of those with AVX-512 lost
                // their speed to a mend of a leak (Downfall); this extension came with the first that
                // did not need the mend.
                if is_x86_feature_detected!("avx512fp16") {
                    engines.push(Engine(Instructions::Avx512Gather));
                }
            }
        }
        engines
    }

    /// The fastest of them; the plainest where SEPARATRIX_PORTABLE is set. Decided once.
    #[must_use]
    pub fn best() -> Engine {
        static BEST: OnceLock<Engine> = OnceLock::new();
        *BEST.get_or_init(|| {
            let plain = Engine(Instructions::Plain);
            if std::env::var_os("SEPARATRIX_PORTABLE").is_some_and(|v| v != "0" && !v.is_empty()) {
                return plain;
            }
            Engine::available().last().copied().unwrap_or(plain)
        })
    }

    /// Does `work` in a function that is compiled for this engine's instructions, so that its kernels become
    /// part of the loops that call them. A call, and the way of its results through memory, take as long
    /// as fifty numbers of a row.
    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Done {
        match self.0 {
            Instructions::Plain => work.on(self),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::run(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::run(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Gather => unsafe { avx512::run_gathering(work) },
        }
    }

    /// Asks for memory that will soon be read. Rows follow each other, but the hardware stops looking
    /// ahead at the end of a page. The place may be any.
    #[inline(always)]
    pub(super) fn prefetch<T>(self, place: *const T, bytes: usize) {
        #[cfg(target_arch = "x86_64")]
        if self.0 != Instructions::Plain {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            const LINE: usize = 64;
            // Four lines a step, and so up to three too many: of no harm, and half the instructions.
            let mut at = 0;
            while at < bytes {
                for line in 0..4 {
                    // SAFETY: a prefetch reads nothing.
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast::<i8>().wrapping_add(at + line * LINE)) };
                }
                at += 4 * LINE;
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (place, bytes);
    }

    #[inline(always)]
    pub(super) fn dense_scan<V: Value>(self, values: &[V], w: &[f64]) -> Scan {
        match self.0 {
            Instructions::Plain => dense_scan(values, w),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::dense_scan(values, w) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx512Gather => unsafe { avx512::dense_scan(values, w) },
        }
    }

    /// w += scale · row
    #[inline(always)]
    pub(super) fn dense_add<V: Value>(self, values: &[V], w: &mut [f64], scale: f64) {
        match self.0 {
            Instructions::Plain => dense_add(values, w, scale),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::dense_add(values, w, scale) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx512Gather => unsafe { avx512::dense_add(values, w, scale) },
        }
    }

    /// How many neighbours in `indices` do not rise.
    pub(super) fn falls<I: Index>(self, indices: &[I]) -> usize {
        match self.0 {
            Instructions::Plain => falls(indices),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::falls(indices) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx512Gather => unsafe { avx512::falls(indices) },
        }
    }

    /// How many of the columns are smaller, for each.
    pub fn ranks(self, columns: &[u32], into: &mut [u32]) {
        match self.0 {
            Instructions::Plain => ranks(columns, into),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::ranks(columns, into) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 | Instructions::Avx512Gather => unsafe { avx512::ranks(columns, into) },
        }
    }

    #[inline(always)]
    pub(super) fn sparse_scan<I: Index, V: Value>(self, indices: &[I], values: &[V], w: &[f64]) -> Scan {
        match self.0 {
            Instructions::Plain => sparse_scan(indices, values, w),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::sparse_scan(indices, values, w) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::sparse_scan::<I, V, false>(indices, values, w) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Gather => unsafe { avx512::sparse_scan::<I, V, true>(indices, values, w) },
        }
    }
}

/// Two 256-bit registers: lanes 0 to 3 and lanes 4 to 7.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::super::{Index, Scan, Value, dot};
    use super::{Engine, Instructions, Work};

    #[target_feature(enable = "avx2")]
    pub fn run<W: Work>(work: W) -> W::Done {
        work.on(Engine(Instructions::Avx2))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn dense_scan<V: Value>(values: &[V], w: &[f64]) -> Scan {
        let n = values.len();
        let w = &w[..n];
        let (mut low, mut high) = (Sums::new(), Sums::new());
        let mut k = 0;
        while k + 8 <= n {
            // SAFETY: both slices are n long, and k + 8 is at most n.
            unsafe {
                low.add(four(values, k), _mm256_loadu_pd(w.as_ptr().add(k)));
                high.add(four(values, k + 4), _mm256_loadu_pd(w.as_ptr().add(k + 4)));
            }
            k += 8;
        }
        if k < n {
            let (mut value, mut weight) = ([0.0; 8], [0.0; 8]);
            let mut zero = false;
            for (j, at) in (k..n).enumerate() {
                (value[j], weight[j]) = (values[at].get(), w[at]);
                zero |= value[j] == 0.0;
            }
            // SAFETY: the arrays hold eight doubles.
            unsafe {
                let zeros = (low.zeros, high.zeros);
                low.add(_mm256_loadu_pd(value.as_ptr()), _mm256_loadu_pd(weight.as_ptr()));
                high.add(_mm256_loadu_pd(value.as_ptr().add(4)), _mm256_loadu_pd(weight.as_ptr().add(4)));
                // The padding is no stored zero.
                (low.zeros, high.zeros) = zeros;
            }
            return Sums { padded: zero, ..low }.scan(high);
        }
        low.scan(high)
    }

    /// Sums of one half of the lanes.
    #[derive(Clone, Copy)]
    struct Sums {
        dot: __m256d,
        squares: __m256d,
        zeros: __m256d,
        padded: bool,
    }

    impl Sums {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn new() -> Self {
            let zero = _mm256_setzero_pd();
            Sums { dot: zero, squares: zero, zeros: zero, padded: false }
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn add(&mut self, value: __m256d, weight: __m256d) {
            self.dot = _mm256_add_pd(self.dot, _mm256_mul_pd(value, weight));
            self.squares = _mm256_add_pd(self.squares, _mm256_mul_pd(value, value));
            self.zeros = _mm256_or_pd(self.zeros, _mm256_cmp_pd::<_CMP_EQ_OQ>(value, _mm256_setzero_pd()));
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn scan(self, high: Sums) -> Scan {
            let zeros = _mm256_movemask_pd(_mm256_or_pd(self.zeros, high.zeros)) != 0;
            Scan {
                dot: fold(self.dot, high.dot),
                squares: fold(self.squares, high.squares),
                plain: !(zeros || self.padded),
            }
        }
    }

    /// Adds the eight lanes in the one order.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn fold(low: __m256d, high: __m256d) -> f64 {
        let four = _mm256_add_pd(low, high);
        let two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }

    /// # Safety
    /// `k + 4` must be within `values`.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn four<V: Value>(values: &[V], k: usize) -> __m256d {
        // SAFETY: the caller vouches for the place; SINGLE tells floats from doubles.
        unsafe {
            if V::SINGLE {
                _mm256_cvtps_pd(_mm_loadu_ps(values.as_ptr().add(k).cast()))
            } else {
                _mm256_loadu_pd(values.as_ptr().add(k).cast())
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn dense_add<V: Value>(values: &[V], w: &mut [f64], scale: f64) {
        dot::dense_add(values, w, scale);
    }

    #[target_feature(enable = "avx2")]
    pub fn ranks(columns: &[u32], ranks: &mut [u32]) {
        dot::ranks(columns, ranks);
    }

    #[target_feature(enable = "avx2")]
    pub fn falls<I: Index>(indices: &[I]) -> usize {
        dot::falls(indices)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn sparse_scan<I: Index, V: Value>(indices: &[I], values: &[V], w: &[f64]) -> Scan {
        dot::sparse_scan(indices, values, w)
    }
}

/// One 512-bit register: all eight lanes.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::{Index, Scan, Value, dot};
    use super::{Engine, Instructions, Work};

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn run<W: Work>(work: W) -> W::Done {
        work.on(Engine(Instructions::Avx512))
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn run_gathering<W: Work>(work: W) -> W::Done {
        work.on(Engine(Instructions::Avx512Gather))
    }

    // The numbers after the last whole eight come from a load of eight that ends with the row, turned to
    // the first lanes. A masked load reads no more than it must, but on Zen 5 it waits for the stores
    // before it: a row of a hundred took half as long again. Fewer than eight are not worth vectors.

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn dense_scan<V: Value>(values: &[V], w: &[f64]) -> Scan {
        let n = values.len();
        if n < 8 {
            return dot::dense_scan(values, w);
        }
        let w = &w[..n];
        let mut sums = Sums::new();
        let mut k = 0;
        while k + 8 <= n {
            // SAFETY: both slices are n long, and k + 8 is at most n.
            unsafe { sums.add_eight(values.as_ptr().add(k), _mm512_loadu_pd(w.as_ptr().add(k))) };
            k += 8;
        }
        let rest = n - k;
        if rest > 0 {
            // SAFETY: the last eight are within both slices.
            unsafe { sums.add_last(values.as_ptr().add(n - 8), _mm512_loadu_pd(w.as_ptr().add(n - 8)), rest) };
        }
        sums.scan()
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn sparse_scan<I: Index, V: Value, const GATHER: bool>(indices: &[I], values: &[V], w: &[f64]) -> Scan {
        let n = indices.len().min(values.len());
        if n < 8 {
            return dot::sparse_scan(indices, values, w);
        }
        let mut sums = Sums::new();
        let mut k = 0;
        while k + 8 <= n {
            let place = indices[k..k + 8].as_ptr();
            // SAFETY: the slice holds eight indices.
            if unsafe { out_of_bounds(place, w.len()) } {
                // The plain code stops at the very column that is out of bounds.
                return dot::sparse_scan(indices, values, w);
            }
            // SAFETY: k + 8 is within both slices, and the eight columns are within the weights.
            unsafe { sums.add_eight(values.as_ptr().add(k), weights_at::<I, GATHER>(place, w)) };
            k += 8;
        }
        let rest = n - k;
        if rest > 0 {
            let place = indices[n - 8..n].as_ptr();
            // SAFETY: the slice holds eight indices.
            if unsafe { out_of_bounds(place, w.len()) } {
                return dot::sparse_scan(indices, values, w);
            }
            // SAFETY: n - 8 is within both slices, and the eight columns are within the weights.
            unsafe { sums.add_last(values.as_ptr().add(n - 8), weights_at::<I, GATHER>(place, w), rest) };
        }
        sums.scan()
    }

    /// Whole registers are stored, as the next scan will load them: a load of what two stores left waits
    /// until both have reached the cache.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn dense_add<V: Value>(values: &[V], w: &mut [f64], scale: f64) {
        let (w, w_rest) = w[..values.len()].as_chunks_mut::<8>();
        let (values, values_rest) = values.as_chunks::<8>();
        for (weight, value) in w.iter_mut().zip(values) {
            // SAFETY: both hold eight; SINGLE tells floats from doubles.
            unsafe {
                let value = if V::SINGLE {
                    _mm512_cvtps_pd(_mm256_loadu_ps(value.as_ptr().cast()))
                } else {
                    _mm512_loadu_pd(value.as_ptr().cast())
                };
                let sum = _mm512_add_pd(_mm512_loadu_pd(weight.as_ptr()), _mm512_mul_pd(_mm512_set1_pd(scale), value));
                _mm512_storeu_pd(weight.as_mut_ptr(), sum);
            }
        }
        dot::dense_add(values_rest, w_rest, scale);
    }

    /// What the range instruction is told: of two numbers the one of smaller magnitude.
    const SMALLER_MAGNITUDE: i32 = 0b0010;

    /// A lane that is not live adds +0.0 to a sum that began at +0.0: it changes no bit.
    #[derive(Clone, Copy)]
    struct Sums {
        dot: __m512d,
        squares: __m512d,
        /// The value nearest to 0: one instruction a step, where collecting masks takes three.
        smallest: __m512d,
        /// The same for values stored as floats, where it is half the work.
        smallest_single: __m256,
    }

    impl Sums {
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn new() -> Self {
            let one = _mm512_set1_pd(1.0);
            Sums {
                dot: _mm512_setzero_pd(),
                squares: _mm512_setzero_pd(),
                smallest: one,
                smallest_single: _mm256_set1_ps(1.0),
            }
        }

        /// Adds eight values.
        ///
        /// # Safety
        /// `at` must point to eight values.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
        unsafe fn add_eight<V: Value>(&mut self, at: *const V, weight: __m512d) {
            // SAFETY: the caller vouches for eight; SINGLE tells floats from doubles.
            unsafe {
                if V::SINGLE {
                    self.add_singles(_mm256_loadu_ps(at.cast()), weight, 0xff);
                } else {
                    self.add_doubles(_mm512_loadu_pd(at.cast()), weight, 0xff);
                }
            }
        }

        /// Adds the last `rest` (1 to 7) of eight values, as the first lanes.
        ///
        /// # Safety
        /// As for `add_eight`.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
        unsafe fn add_last<V: Value>(&mut self, at: *const V, weight: __m512d, rest: usize) {
            let live = (1 << rest) - 1;
            // Lane j takes from lane j + 8 - rest, of which a permutation reads three bits.
            let from = _mm512_sub_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(rest as i64));
            let weight = _mm512_maskz_permutexvar_pd(live, from, weight);
            // SAFETY: as in `add_eight`.
            unsafe {
                if V::SINGLE {
                    let from = _mm512_cvtepi64_epi32(from);
                    let single = _mm256_maskz_permutexvar_ps(live, from, _mm256_loadu_ps(at.cast()));
                    self.add_singles(single, weight, live);
                } else {
                    let value = _mm512_maskz_permutexvar_pd(live, from, _mm512_loadu_pd(at.cast()));
                    self.add_doubles(value, weight, live);
                }
            }
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
        fn add_singles(&mut self, single: __m256, weight: __m512d, live: __mmask8) {
            let smallest = self.smallest_single;
            self.smallest_single = _mm256_mask_range_ps::<SMALLER_MAGNITUDE>(smallest, live, smallest, single);
            let value = _mm512_cvtps_pd(single);
            self.dot = _mm512_add_pd(self.dot, _mm512_mul_pd(value, weight));
            // A float's square is a double: this rounds once where it rounds once without fusing.
            self.squares = _mm512_fmadd_pd(value, value, self.squares);
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
        fn add_doubles(&mut self, value: __m512d, weight: __m512d, live: __mmask8) {
            let smallest = self.smallest;
            self.smallest = _mm512_mask_range_pd::<SMALLER_MAGNITUDE>(smallest, live, smallest, value);
            self.dot = _mm512_add_pd(self.dot, _mm512_mul_pd(value, weight));
            self.squares = _mm512_add_pd(self.squares, _mm512_mul_pd(value, value));
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
        fn scan(self) -> Scan {
            let zeros = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.smallest, _mm512_setzero_pd())
                | _mm256_cmp_ps_mask::<_CMP_EQ_OQ>(self.smallest_single, _mm256_setzero_ps());
            Scan { dot: fold(self.dot), squares: fold(self.squares), plain: zeros == 0 }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    fn fold(lanes: __m512d) -> f64 {
        super::avx2::fold(_mm512_castpd512_pd256(lanes), _mm512_extractf64x4_pd::<1>(lanes))
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn ranks(columns: &[u32], ranks: &mut [u32]) {
        let (whole, last) = columns.as_chunks::<16>();
        let live = (1u16 << last.len()) - 1;
        // SAFETY: sixteen are loaded of each chunk, and of the last ones those that there are.
        let last = unsafe { _mm512_maskz_loadu_epi32(live, last.as_ptr().cast()) };
        for (rank, column) in ranks.iter_mut().zip(columns) {
            let column = _mm512_set1_epi32(*column as i32);
            let mut smaller = _mm512_mask_cmplt_epu32_mask(live, last, column).count_ones();
            for sixteen in whole {
                // SAFETY: as above.
                let others = unsafe { _mm512_loadu_epi32(sixteen.as_ptr().cast()) };
                smaller += _mm512_cmplt_epu32_mask(others, column).count_ones();
            }
            *rank = smaller;
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn falls<I: Index>(indices: &[I]) -> usize {
        dot::falls(indices)
    }

    /// Whether any of eight columns is not below `columns`, or too large for a gather to read.
    ///
    /// # Safety
    /// `place` must point to eight indices.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn out_of_bounds<I: Index>(place: *const I, columns: usize) -> bool {
        // SAFETY: the caller vouches for the eight; their size tells 32-bit from 64-bit indices, and a
        // negative one is a huge one when it is read without its sign.
        unsafe {
            if size_of::<I>() == 4 {
                // Gathers read 32-bit indices with their sign.
                let most = u32::try_from(columns).unwrap_or(u32::MAX).min(1 << 31);
                _mm256_cmplt_epu32_mask(_mm256_loadu_epi32(place.cast()), _mm256_set1_epi32(most as i32)) != 0xff
            } else {
                _mm512_cmplt_epu64_mask(_mm512_loadu_epi64(place.cast()), _mm512_set1_epi64(columns as i64)) != 0xff
            }
        }
    }

    /// The weights of eight columns.
    ///
    /// # Safety
    /// `place` must point to eight indices, each below `w.len()`, and below 2^31 to be gathered.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    unsafe fn weights_at<I: Index, const GATHER: bool>(place: *const I, w: &[f64]) -> __m512d {
        // SAFETY: the caller vouches for the indices and for what they point to.
        unsafe {
            if GATHER {
                return if size_of::<I>() == 4 {
                    _mm512_i32gather_pd::<8>(_mm256_loadu_epi32(place.cast()), w.as_ptr())
                } else {
                    _mm512_i64gather_pd::<8>(_mm512_loadu_epi64(place.cast()), w.as_ptr())
                };
            }
            let at = |j: usize| w.as_ptr().add((*place.add(j)).get());
            let two = |j: usize| _mm_loadh_pd(_mm_load_sd(at(j)), at(j + 1));
            let low = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(two(0)), two(2));
            let high = _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(two(4)), two(6));
            _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high)
        }
    }
}
