//! The one place that asks which instructions the machine has.
//!
//! The loops of this area are plain Rust, compiled a second time for AVX2 with fused multiply-add; calling
//! that version is what needs this module's few `unsafe` lines. Both compute the same bits.

#![allow(unsafe_code)]

use super::residual::{Request, Residual};
use super::square_root::{Overflow, Round, SquareRoot};

/// Whether a fused multiply-add is one instruction wherever this build runs.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

#[cfg(target_arch = "x86_64")]
fn has_avx2_and_fma() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn residual_avx2(request: &Request<'_>) -> Residual {
    super::residual::compute::<true>(request)
}

pub fn residual(request: &Request<'_>) -> Residual {
    #[cfg(target_arch = "x86_64")]
    if has_avx2_and_fma() {
        // SAFETY: the processor has just said that it has AVX2 and FMA.
        return unsafe { residual_avx2(request) };
    }
    super::residual::compute::<FUSED>(request)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn learn_avx2(state: &mut SquareRoot, y: f64) -> Result<Round, Overflow> {
    state.learn_loaded(y)
}

pub fn learn(state: &mut SquareRoot, y: f64) -> Result<Round, Overflow> {
    #[cfg(target_arch = "x86_64")]
    if has_avx2_and_fma() {
        // SAFETY: as above.
        return unsafe { learn_avx2(state, y) };
    }
    state.learn_loaded(y)
}
