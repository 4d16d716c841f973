#include "emulate/translate/matrix_plan.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "emulate/run/wave.h"
#include "isa/matrix/layout.h"

namespace wavesmith::emulate {
namespace {

using isa::MatrixElement;
using isa::MatrixInstruction;
using isa::MatrixPlace;

Widening widening_of(MatrixElement element, const isa::Target& target, bool is_signed) {
  const bool fnuz = target.fp8_is_fnuz();
  switch (element) {
    case MatrixElement::F64:
      return Widening::F64;
    case MatrixElement::F32:
      return Widening::F32;
    case MatrixElement::Xf32:
      return Widening::Xf32;
    case MatrixElement::F16:
      return Widening::F16;
    case MatrixElement::Bf16:
      return Widening::Bf16;
    case MatrixElement::Fp8:
      return fnuz ? Widening::Fp8Fnuz : Widening::Fp8;
    case MatrixElement::Bf8:
      return fnuz ? Widening::Bf8Fnuz : Widening::Bf8;
    case MatrixElement::Fp6:
      return Widening::Fp6;
    case MatrixElement::Bf6:
      return Widening::Bf6;
    case MatrixElement::Fp4:
      return Widening::Fp4;
    case MatrixElement::Iu8:
      return is_signed ? Widening::I8 : Widening::U8;
    case MatrixElement::Iu4:
      return is_signed ? Widening::I4 : Widening::U4;
    default:
      return Widening::I8;
  }
}

Sums sums_of(MatrixElement element, bool saturate) {
  switch (element) {
    case MatrixElement::F64:
      return Sums::F64;
    case MatrixElement::F16:
      return Sums::F16;
    case MatrixElement::Bf16:
      return Sums::Bf16;
    case MatrixElement::I32:
      return saturate ? Sums::I32Saturated : Sums::I32;
    default:
      return Sums::F32;
  }
}

/// Fills an input's table from where its elements lie: `layout(row, k, block)`.
template <class Layout>
void plan_input(MatrixPlan::Input& input, MatrixElement element, int rows, int held, int blocks,
                Layout layout) {
  const int bits = isa::bits_of_element(element);
  std::array<int, MatrixPlan::kPacks> number;
  number.fill(-1);
  int last_bit = 0;
  for (int block = 0; block < blocks; ++block)
    for (int k = 0; k < held; ++k)
      for (int i = 0; i < rows; i += 16) {
        const MatrixPlace at = layout(i, k, block);
        int& pack = number[static_cast<size_t>(at.lane / 16)];
        if (pack < 0) {
          pack = input.packs++;
          input.from[pack] = static_cast<uint8_t>(at.lane / 16);
        }
        last_bit = std::max(last_bit, at.bit + bits);
        input.to[pack][at.bit / bits] =
            static_cast<uint16_t>((block * held + k) * std::max(1, rows / 16) + i / 16);
      }
  input.registers = static_cast<uint8_t>((last_bit + 31) / 32);
}

/// 4x4 products of 16 (or, of doubles, 4) blocks: the lanes of a register as they are, one row of 64 an
/// element of K.
void plan_quads(MatrixPlan::Input& input, MatrixElement element, const MatrixInstruction& in) {
  const int bits = isa::bits_of_element(element);
  if (element == MatrixElement::F64) {
    input.packs = 4;
    input.registers = 2;
    for (int pack = 0; pack < 4; ++pack)
      input.from[pack] = static_cast<uint8_t>(pack), input.to[pack][0] = static_cast<uint16_t>(pack);
    return;
  }
  input.packs = 4;
  input.registers = static_cast<uint8_t>((in.k * bits + 31) / 32);
  for (int pack = 0; pack < 4; ++pack) {
    input.from[pack] = static_cast<uint8_t>(pack);
    for (int k = 0; k < in.k; ++k) input.to[pack][k] = static_cast<uint16_t>(4 * k + pack);
  }
}

uint32_t byte_offset(MatrixPlace place) {
  return static_cast<uint32_t>(place.bit / 32 * kRowBytes + place.lane * 4 + place.bit % 32 / 8);
}

/// What is printed after the operands.
struct Modifiers {
  int cbsz = 0, abid = 0, blgp = 0, index_key = 0;
  int neg_lo = 0, neg_hi = 0, op_sel = 0, op_sel_hi = 0;
  bool clamp = false;
};

Result<Modifiers> read_modifiers(const isa::Instruction& instruction) {
  Modifiers modifiers;
  for (const isa::Modifier& modifier : instruction.modifiers) {
    int mask = 0;
    for (size_t i = 0; i < modifier.values.size() && i < 8; ++i) mask |= modifier.values[i] ? 1 << i : 0;
    const int value = modifier.values.empty() ? 0 : static_cast<int>(modifier.values[0]);
    const std::string& name = modifier.name;
    if (name == "cbsz")
      modifiers.cbsz = value;
    else if (name == "abid")
      modifiers.abid = value;
    else if (name == "blgp")
      modifiers.blgp = value;
    else if (name == "index_key")
      modifiers.index_key = value;
    else if (name == "neg" || name == "neg_lo")
      modifiers.neg_lo = mask;
    else if (name == "neg_hi")
      modifiers.neg_hi = mask;
    else if (name == "op_sel")
      modifiers.op_sel = mask;
    else if (name == "op_sel_hi")
      modifiers.op_sel_hi = mask;
    else if (name == "clamp")
      modifiers.clamp = true;
    else
      return fail(ErrorKind::Unsupported, fmt::format("modifier '{}' of '{}'", name, instruction.text));
  }
  return modifiers;
}

/// The lane that lane `lane` of B is read from (CDNA3 ISA, "Matrix Arithmetic Instructions", BLGP).
int permuted_pack(int pack, int blgp) {
  switch (blgp) {
    case 1:
      return pack % 2;
    case 2:
      return pack % 2 + 2;
    case 3:
      return (pack + 1) % 4;
    case 4:
    case 5:
    case 6:
    case 7:
      return blgp - 4;
    default:
      return pack;
  }
}

}  // namespace

Result<MatrixPlan> make_matrix_plan(const MatrixInstruction& in, const isa::Target& target, int wave_lanes,
                                    const isa::Instruction& instruction) {
  auto read = read_modifiers(instruction);
  if (!read) return tl::unexpected(read.error());
  Modifiers modifiers = *read;
  const auto unsupported = [&](const char* what) {
    return fail(ErrorKind::Unsupported, fmt::format("{} of '{}'", what, instruction.text));
  };
  const bool integers = in.d == MatrixElement::I32, chosen = in.a == MatrixElement::F8f6f4;
  if (in.d == MatrixElement::F64 && modifiers.blgp) {  // of doubles, blgp is neg
    modifiers.neg_lo |= modifiers.blgp;
    modifiers.blgp = 0;
  }
  if ((modifiers.cbsz || modifiers.abid) && !chosen && !in.sparse) {
    if (!(in.modifiers & isa::kBroadcastA) || 1 << modifiers.cbsz > in.blocks ||
        modifiers.abid >= 1 << modifiers.cbsz)
      return unsupported("cbsz and abid");
  }
  if (modifiers.blgp && !chosen && !(in.modifiers & isa::kPermuteB)) return unsupported("blgp");
  if ((modifiers.neg_lo || modifiers.neg_hi) && !(in.modifiers & isa::kNegate)) return unsupported("neg");
  if (modifiers.clamp && !integers) return unsupported("clamp");
  if (chosen && (modifiers.cbsz >= isa::kF8f6f4Formats || modifiers.blgp >= isa::kF8f6f4Formats))
    return unsupported("cbsz and blgp");

  MatrixPlan plan;
  const MatrixElement a = chosen ? isa::f8f6f4_element(modifiers.cbsz) : in.a,
                      b = chosen ? isa::f8f6f4_element(modifiers.blgp) : in.b;
  plan.a.widening = widening_of(a, target, modifiers.neg_lo & 1);
  plan.b.widening = widening_of(b, target, modifiers.neg_lo & 2);
  plan.sums = sums_of(in.d, modifiers.clamp);
  plan.sparse = in.sparse;
  plan.quads = in.m == 4;
  plan.scaled = (in.modifiers & isa::kScaled) != 0;
  plan.blocks = in.blocks;
  plan.columns = in.n;
  plan.k = static_cast<uint8_t>(isa::held_k(in));
  plan.k_of_b = in.k;

  if (plan.quads) {
    plan_quads(plan.a, a, in);
    plan_quads(plan.b, b, in);
  } else {
    plan_input(plan.a, a, in.m, isa::held_k(in), in.blocks,
               [&](int i, int k, int block) { return isa::place_a(in, a, wave_lanes, i, k, block); });
    plan_input(plan.b, b, in.n, in.k, in.blocks,
               [&](int j, int k, int block) { return isa::place_b(in, b, wave_lanes, k, j, block); });
  }
  if (!chosen)
    for (int pack = 0; pack < plan.b.packs; ++pack)
      plan.b.from[pack] = static_cast<uint8_t>(permuted_pack(plan.b.from[pack], modifiers.blgp));
  for (int block = 0; block < in.blocks; ++block)
    plan.block_of_a[block] = static_cast<uint8_t>(
        !chosen && !in.sparse ? (block >> modifiers.cbsz << modifiers.cbsz) + modifiers.abid : block);

  plan.broadcast = !chosen && !in.sparse && modifiers.cbsz != 0;
  if (!integers) {
    plan.a.negate = static_cast<uint8_t>((modifiers.neg_lo & 1) | (modifiers.neg_hi & 1) << 1);
    plan.b.negate = static_cast<uint8_t>((modifiers.neg_lo >> 1 & 1) | (modifiers.neg_hi >> 1 & 1) << 1);
    plan.c_negate = (modifiers.neg_lo & 4) != 0;
    plan.c_absolute = (modifiers.neg_hi & 4) != 0;
    // CDNA2 flushes subnormal numbers of F16 and Bf16 products: MIOpen, "MI200 MFMA behavior specifics".
    plan.a.flush = plan.b.flush =
        target.matrix_flushes_subnormals() && (in.a == MatrixElement::F16 || in.a == MatrixElement::Bf16);
    if (plan.a.flush) plan.sums = Sums::F32Flushed;
  }

  const int rows = plan.quads ? in.m : in.m * in.blocks;
  const uint32_t half = (in.modifiers & isa::kSelectHalf) && (modifiers.op_sel & 4) ? 2 : 0;
  for (int row = 0; row < rows; ++row)
    plan.row_of_d[row] = plan.row_of_c[row] =
        byte_offset(isa::place_d(in, wave_lanes, row % in.m, 0, row / in.m)) + half;
  plan.registers_of_d = static_cast<uint8_t>(isa::registers_of_d(in, wave_lanes));

  if (in.sparse) {
    const int sets = isa::index_sets(in, wave_lanes);
    // CDNA: abid counts while cbsz is 0, otherwise the first set is used (CDNA3 ISA, "Sparse matrix").
    const int set = in.layout == isa::MatrixLayout::Mfma ? (modifiers.cbsz ? 0 : modifiers.abid % sets)
                                                         : modifiers.index_key % sets;
    for (int k = 0; k < plan.k; ++k) {
      const MatrixPlace place = isa::place_index(in, wave_lanes, 0, k, set);
      plan.index_lane[k] = static_cast<uint8_t>(place.lane);
      plan.index_shift[k] = static_cast<uint8_t>(place.bit);
    }
  }
  if (plan.scaled) {
    plan.scale_byte_a = static_cast<uint8_t>((modifiers.op_sel & 1) | (modifiers.op_sel_hi & 1) << 1);
    plan.scale_byte_b =
        static_cast<uint8_t>((modifiers.op_sel >> 1 & 1) | (modifiers.op_sel_hi >> 1 & 1) << 1);
  }
  return plan;
}

}  // namespace wavesmith::emulate
