// Division by a number that is known before a kernel is launched, by a multiplication and a shift.
#pragma once

namespace wavesmith::kernels {

/// For dividends below 2^31 (Granlund and Montgomery, "Division by Invariant Integers using Multiplication"):
/// with s = ceil(log2(d)) and m = floor(2^32 (2^s - d) / d) + 1, n / d is (n + (n m >> 32)) >> s.
struct Division {
  unsigned divisor, multiplier, shift;

  static constexpr Division by(unsigned divisor) {
    unsigned shift = 0;
    while (shift < 31 && (1U << shift) < divisor) ++shift;
    const unsigned long excess = (1UL << shift) - divisor;
    return {divisor, static_cast<unsigned>((excess << 32) / divisor + 1), shift};
  }
  [[nodiscard]] constexpr unsigned quotient(unsigned dividend) const {
    return (dividend + static_cast<unsigned>(static_cast<unsigned long>(dividend) * multiplier >> 32)) >>
           shift;
  }
};

}  // namespace wavesmith::kernels
