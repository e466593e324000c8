//! The kernels with the instructions this machine has, chosen once at run time.
//!
//! They return what `dot.rs` returns, to the last bit: the same lanes, the same two roundings a
//! term. AVX2 and AVX-512 recompile the plain code for wider registers; only the sparse kernel has
//! instructions of its own, because compilers do not find the gather.

#![allow(unsafe_code)]

use std::sync::OnceLock;

use super::dot::{dense_dot, dense_scan, sparse_dot, sparse_scan};
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

    #[inline(always)]
    pub(super) fn dense_scan<V: Value>(self, values: &[V], w: &[f64]) -> Scan {
        match self.0 {
            Instructions::Plain => dense_scan(values, w),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::dense_scan(values, w) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::dense_scan(values, w) },
        }
    }

    #[inline(always)]
    pub(super) fn dense_dot<V: Value>(self, values: &[V], w: &[f64]) -> f64 {
        match self.0 {
            Instructions::Plain => dense_dot(values, w),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::dense_dot(values, w) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::dense_dot(values, w) },
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
            Instructions::Avx512 => unsafe { avx512::sparse_scan(indices, values, w) },
        }
    }

    #[inline(always)]
    pub(super) fn sparse_dot<I: Index, V: Value>(self, indices: &[I], values: &[V], w: &[f64]) -> f64 {
        match self.0 {
            Instructions::Plain => sparse_dot(indices, values, w),
            // SAFETY: an engine of this kind is only made where the machine has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::sparse_dot(indices, values, w) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::sparse_dot(indices, values, w) },
        }
    }
}

/// The plain code, compiled for 256-bit registers.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::super::{Index, Scan, Value, dot};

    #[target_feature(enable = "avx2")]
    pub fn dense_scan<V: Value>(values: &[V], w: &[f64]) -> Scan {
        dot::dense_scan(values, w)
    }

    #[target_feature(enable = "avx2")]
    pub fn dense_dot<V: Value>(values: &[V], w: &[f64]) -> f64 {
        dot::dense_dot(values, w)
    }

    #[target_feature(enable = "avx2")]
    pub fn sparse_scan<I: Index, V: Value>(indices: &[I], values: &[V], w: &[f64]) -> Scan {
        dot::sparse_scan(indices, values, w)
    }

    #[target_feature(enable = "avx2")]
    pub fn sparse_dot<I: Index, V: Value>(indices: &[I], values: &[V], w: &[f64]) -> f64 {
        dot::sparse_dot(indices, values, w)
    }
}

/// The plain code compiled for 512-bit registers, and gathers for the sparse rows.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::dot::{self, fold};
    use super::super::{Index, Scan, Value};

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn dense_scan<V: Value>(values: &[V], w: &[f64]) -> Scan {
        dot::dense_scan(values, w)
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn dense_dot<V: Value>(values: &[V], w: &[f64]) -> f64 {
        dot::dense_dot(values, w)
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn sparse_scan<I: Index, V: Value>(indices: &[I], values: &[V], w: &[f64]) -> Scan {
        let n = indices.len().min(values.len());
        let (mut products, mut squares) = (_mm512_setzero_pd(), _mm512_setzero_pd());
        let (mut zeros, mut strays): (__mmask8, __mmask8) = (0, 0);
        let mut k = 0;
        while k < n {
            let live = live_lanes(n - k);
            // SAFETY: the live lanes lie within both slices, which are n long at least.
            let (value, weight, stray) = unsafe { eight(indices, values, w, k, live) };
            products = _mm512_add_pd(products, _mm512_mul_pd(value, weight));
            squares = _mm512_add_pd(squares, _mm512_mul_pd(value, value));
            zeros |= _mm512_mask_cmp_pd_mask::<_CMP_EQ_OQ>(live, value, _mm512_setzero_pd());
            strays |= stray;
            k += 8;
        }
        if strays != 0 {
            // The plain code stops at the very column that is out of bounds.
            return dot::sparse_scan(indices, values, w);
        }
        Scan { dot: fold(lanes(products)), squares: fold(lanes(squares)), plain: zeros == 0 }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub fn sparse_dot<I: Index, V: Value>(indices: &[I], values: &[V], w: &[f64]) -> f64 {
        let n = indices.len().min(values.len());
        let mut products = _mm512_setzero_pd();
        let mut strays: __mmask8 = 0;
        let mut k = 0;
        while k < n {
            // SAFETY: the live lanes lie within both slices, which are n long at least.
            let (value, weight, stray) = unsafe { eight(indices, values, w, k, live_lanes(n - k)) };
            products = _mm512_add_pd(products, _mm512_mul_pd(value, weight));
            strays |= stray;
            k += 8;
        }
        if strays != 0 {
            return dot::sparse_dot(indices, values, w);
        }
        fold(lanes(products))
    }

    /// As many of eight lanes as there are entries left. A lane that is not live adds +0.0 to a sum
    /// that began at +0.0: it changes no bit.
    #[inline]
    fn live_lanes(left: usize) -> __mmask8 {
        if left >= 8 { 0xff } else { (1u8 << left) - 1 }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn lanes(register: __m512d) -> [f64; 8] {
        let mut lanes = [0.0; 8];
        // SAFETY: the array has room for the eight doubles that are stored.
        unsafe { _mm512_storeu_pd(lanes.as_mut_ptr(), register) };
        lanes
    }

    /// Eight values, their weights, and the lanes whose column is out of bounds (their weight is 0).
    ///
    /// # Safety
    /// `k + j` must be within `indices` and `values` for every lane j in `live`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    unsafe fn eight<I: Index, V: Value>(
        indices: &[I],
        values: &[V],
        w: &[f64],
        k: usize,
        live: __mmask8,
    ) -> (__m512d, __m512d, __mmask8) {
        // SAFETY: masked loads touch the live lanes only, which the caller vouches for; the types'
        // sizes tell 32-bit from 64-bit indices (both of the sealed set of integers) and SINGLE tells
        // floats from doubles; the gather touches only lanes whose column was compared with the length.
        unsafe {
            let column = if size_of::<I>() == 4 {
                _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(live, indices.as_ptr().add(k).cast()))
            } else {
                _mm512_maskz_loadu_epi64(live, indices.as_ptr().add(k).cast())
            };
            let value = if V::SINGLE {
                _mm512_cvtps_pd(_mm256_maskz_loadu_ps(live, values.as_ptr().add(k).cast()))
            } else {
                _mm512_maskz_loadu_pd(live, values.as_ptr().add(k).cast())
            };
            let inside = _mm512_mask_cmplt_epu64_mask(live, column, _mm512_set1_epi64(w.len() as i64));
            let weight = _mm512_mask_i64gather_pd::<8>(_mm512_setzero_pd(), inside, column, w.as_ptr());
            (value, weight, live & !inside)
        }
    }
}
