"""Conversions that processors without instructions for bf16 (AVX512_BF16) or f16 (F16C) call: compiler-rt has them, but is
not in the process. Rounding is to nearest, ties to even; NaN stays NaN.

From f64 by way of f32 rounded to odd: no result is rounded twice then (Boldo, Melquiond: When double rounding is odd)."""

from __future__ import annotations

NAMES = (b"__truncsfbf2", b"__truncdfbf2", b"__truncsfhf2", b"__truncdfhf2", b"__extendhfsf2")

TEXT = """
define bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %half = add i32 %odd, 32767
  %sum = add i32 %bits, %half
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %high, 64
  %nan = fcmp uno float %x, %x
  %chosen = select i1 %nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %chosen to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}

; Up to 2^-14 the adder rounds: 0.5 has its last bit where the smallest f16 has its only one.
define half @__truncsfhf2(float %x) {
  %bits = bitcast float %x to i32
  %sign = and i32 %bits, -2147483648
  %size = and i32 %bits, 2147483647
  %magnitude = bitcast i32 %size to float
  %sum = fadd float %magnitude, 5.000000e-01
  %sum_bits = bitcast float %sum to i32
  %small = sub i32 %sum_bits, 1056964608
  %last = lshr i32 %size, 13
  %odd = and i32 %last, 1
  %rebased = sub i32 %size, 939524096
  %half = add i32 %odd, 4095
  %carried = add i32 %rebased, %half
  %normal = lshr i32 %carried, 13
  %is_small = icmp ult i32 %size, 947912704
  %finite = select i1 %is_small, i32 %small, i32 %normal
  %is_large = icmp uge i32 %size, 1199570944
  %in_range = select i1 %is_large, i32 31744, i32 %finite
  %nan = fcmp uno float %x, %x
  %value = select i1 %nan, i32 32256, i32 %in_range
  %sign_bit = lshr i32 %sign, 16
  %all = or i32 %value, %sign_bit
  %short = trunc i32 %all to i16
  %result = bitcast i16 %short to half
  ret half %result
}

; 2^112 moves the exponent's base; the multiplication is exact, for subnormal numbers too.
define float @__extendhfsf2(half %x) {
  %short = bitcast half %x to i16
  %bits = zext i16 %short to i32
  %sign = and i32 %bits, 32768
  %size = and i32 %bits, 32767
  %shifted = shl i32 %size, 13
  %tiny = bitcast i32 %shifted to float
  %scaled = fmul float %tiny, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %special = or i32 %shifted, 2139095040
  %is_special = icmp uge i32 %size, 31744
  %value = select i1 %is_special, i32 %special, i32 %finite
  %sign_bit = shl i32 %sign, 16
  %all = or i32 %value, %sign_bit
  %result = bitcast i32 %all to float
  ret float %result
}

define internal float @to_odd(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %x
  %bits = bitcast float %near to i32
  %last = and i32 %bits, 1
  %even = icmp eq i32 %last, 0
  %changes = and i1 %inexact, %even
  %size = call double @llvm.fabs.f64(double %x)
  %near_size = call double @llvm.fabs.f64(double %back)
  %above = fcmp ogt double %near_size, %size
  %step = select i1 %above, i32 -1, i32 1
  %stepped = add i32 %bits, %step
  %chosen = select i1 %changes, i32 %stepped, i32 %bits
  %result = bitcast i32 %chosen to float
  ret float %result
}

define bfloat @__truncdfbf2(double %x) {
  %odd = call float @to_odd(double %x)
  %result = call bfloat @__truncsfbf2(float %odd)
  ret bfloat %result
}

define half @__truncdfhf2(double %x) {
  %odd = call float @to_odd(double %x)
  %result = call half @__truncsfhf2(float %odd)
  ret half %result
}

declare double @llvm.fabs.f64(double)
"""
