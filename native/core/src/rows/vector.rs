//! The kernels with the instructions this machine has, chosen once at run time.
//!
//! They return what `dot.rs` returns, to the last bit: the same lanes, the same two roundings a
//! term. The eight lanes are two 256-bit registers or one of 512 bits. Weights of a sparse row are
//! gathered by one instruction where that is the faster way (1.07 against 1.55 ns a number of text on
//! Sapphire Rapids), else loaded one by one and put together.

#![allow(unsafe_code)]

use std::sync::OnceLock;

use super::dot::{dense_add, dense_scan, falls, sparse_scan};
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

    /// Asks for memory that will soon be read. Rows follow each other, but the hardware stops looking
    /// ahead at the end of a page.
    #[inline(always)]
    pub(super) fn prefetch<T>(self, soon: &[T]) {
        #[cfg(target_arch = "x86_64")]
        if self.0 != Instructions::Plain {
            let bytes = size_of_val(soon);
            let mut at = 0;
            while at < bytes {
                // SAFETY: a prefetch reads nothing, and the place is within the slice.
                unsafe {
                    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                    _mm_prefetch::<_MM_HINT_T0>(soon.as_ptr().cast::<i8>().add(at));
                }
                at += 64;
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = soon;
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
    pub fn falls<I: Index>(indices: &[I]) -> usize {
        dot::falls(indices)
    }

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

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn dense_scan<V: Value>(values: &[V], w: &[f64]) -> Scan {
        let n = values.len();
        let w = &w[..n];
        let mut sums = Sums::new();
        let mut k = 0;
        while k + 8 <= n {
            // SAFETY: both slices are n long, and k + 8 is at most n.
            unsafe { sums.add(values, k, _mm512_loadu_pd(w.as_ptr().add(k)), 0xff) };
            k += 8;
        }
        if k < n {
            let live = (1u8 << (n - k)) - 1;
            // SAFETY: the live lanes are those below n.
            unsafe { sums.add(values, k, _mm512_maskz_loadu_pd(live, w.as_ptr().add(k)), live) };
        }
        sums.scan()
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn sparse_scan<I: Index, V: Value, const GATHER: bool>(indices: &[I], values: &[V], w: &[f64]) -> Scan {
        let n = indices.len().min(values.len());
        let mut sums = Sums::new();
        let mut k = 0;
        while k + 8 <= n {
            let place = &indices[k..k + 8];
            // SAFETY: the slice holds eight indices.
            if unsafe { out_of_bounds(place.as_ptr(), w.len()) } {
                // The plain code stops at the very column that is out of bounds.
                return dot::sparse_scan(indices, values, w);
            }
            // SAFETY: k + 8 is within both slices, and the eight columns are within the weights.
            unsafe { sums.add(values, k, weights_at::<I, GATHER>(place.as_ptr(), w), 0xff) };
            k += 8;
        }
        if k < n {
            let live = (1u8 << (n - k)) - 1;
            let mut eight_places = [0u64; 8];
            let place: *mut I = eight_places.as_mut_ptr().cast();
            // SAFETY: the array has room for eight indices of any size and is aligned for them; the
            // live lanes are those below n, the others become column 0.
            unsafe { copy_live(&indices[k..], live, place) };
            // SAFETY: the array holds eight indices.
            if unsafe { out_of_bounds(place, w.len()) } {
                return dot::sparse_scan(indices, values, w);
            }
            // SAFETY: the live lanes are those below n, and the eight columns are within the weights.
            unsafe {
                // What column 0 weighs must not matter, were it infinite.
                let weights = _mm512_maskz_mov_pd(live, weights_at::<I, GATHER>(place, w));
                sums.add(values, k, weights, live);
            }
        }
        sums.scan()
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn dense_add<V: Value>(values: &[V], w: &mut [f64], scale: f64) {
        dot::dense_add(values, w, scale);
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

        /// Adds the values from k on of the live lanes.
        ///
        /// # Safety
        /// `k + j` must be within `values` for every lane j in `live`.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
        unsafe fn add<V: Value>(&mut self, values: &[V], k: usize, weight: __m512d, live: __mmask8) {
            // SAFETY: masked loads touch the live lanes only, which the caller vouches for; SINGLE tells
            // floats from doubles.
            let value = unsafe {
                let at = values.as_ptr().add(k);
                if V::SINGLE {
                    let single = _mm256_maskz_loadu_ps(live, at.cast());
                    self.smallest_single = _mm256_mask_range_ps::<SMALLER_MAGNITUDE>(
                        self.smallest_single,
                        live,
                        self.smallest_single,
                        single,
                    );
                    _mm512_cvtps_pd(single)
                } else {
                    let value = _mm512_maskz_loadu_pd(live, at.cast());
                    self.smallest =
                        _mm512_mask_range_pd::<SMALLER_MAGNITUDE>(self.smallest, live, self.smallest, value);
                    value
                }
            };
            self.dot = _mm512_add_pd(self.dot, _mm512_mul_pd(value, weight));
            self.squares = if V::SINGLE {
                // A float's square is a double: this rounds once where it rounds once without fusing.
                _mm512_fmadd_pd(value, value, self.squares)
            } else {
                _mm512_add_pd(self.squares, _mm512_mul_pd(value, value))
            };
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
    pub fn falls<I: Index>(indices: &[I]) -> usize {
        dot::falls(indices)
    }

    /// Copies the live ones of eight indices; the others become 0.
    ///
    /// # Safety
    /// `from` must hold the live lanes, `to` must have room for eight indices.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn copy_live<I: Index>(from: &[I], live: __mmask8, to: *mut I) {
        // SAFETY: a masked load touches the live lanes only, which the caller vouches for.
        unsafe {
            if size_of::<I>() == 4 {
                _mm256_storeu_epi32(to.cast(), _mm256_maskz_loadu_epi32(live, from.as_ptr().cast()));
            } else {
                _mm512_storeu_epi64(to.cast(), _mm512_maskz_loadu_epi64(live, from.as_ptr().cast()));
            }
        }
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
