// NVIDIA's matrix instruction as an atom: mma.sync, of which two atoms are one instruction (fragments.h).
#pragma once

#include "tile/arch/atom_types.h"
#include "tile/arch/fragments.h"

namespace tile::arch {

/// Halves 16 deep, floats of 8 bits 32 deep.
template <class A, class B>
struct Mma : AtomTypes<A, B, 8 / sizeof(A)> {
  using Types = AtomTypes<A, B, 8 / sizeof(A)>;
  using typename Types::Held;
  static_assert(sizeof(A) <= 2 && !__is_same(A, i8), "products of f16, bf16 or floats of 8 bits");
  static constexpr int kTogether = 2;
  using Sums = Vector<float, 2>;
  static constexpr FragmentShape kShape{.a = Types::kA, .b = Types::kB, .k = 32 / sizeof(A)};

  /// Of the first operand and two atoms of the second.
  TILE_DEVICE static void multiply(Held a, Held b, Held b_below, Sums& c, Sums& c_below) {
    constexpr auto kA = Types::kA, kB = Types::kB;
    const auto words = [](Held held) { return bits_as<Vector<u32, 2>>(held); };
    const auto of_b = words(b), below = words(b_below), of_a = words(a);
    // The second operand is the instruction's first.
    const u32 m[4] = {of_b[0], below[0], of_b[1], below[1]}, n[2] = {of_a[0], of_a[1]};
    float sums[4] = {c[0], c[1], c_below[0], c_below[1]};
    if constexpr (kA == MatrixElement::Bf16)
      ptx::mma_bf16(sums, m, n);
    else if constexpr (kA == MatrixElement::F16)
      ptx::mma_f16(sums, m, n);
    else if constexpr (kB == MatrixElement::Fp8 && kA == MatrixElement::Fp8)
      ptx::mma_e4m3_e4m3(sums, m, n);
    else if constexpr (kB == MatrixElement::Fp8)
      ptx::mma_e4m3_e5m2(sums, m, n);
    else if constexpr (kA == MatrixElement::Fp8)
      ptx::mma_e5m2_e4m3(sums, m, n);
    else
      ptx::mma_e5m2_e5m2(sums, m, n);
    c = {sums[0], sums[1]}, c_below = {sums[2], sums[3]};
  }
};

}  // namespace tile::arch
