// Instructions as the pipelines replay them: what is asked of an Op for each execution, worked out once and
// side by side in memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/cost/cost.h"
#include "timing/unit/compute_unit.h"
#include "timing/unit/op.h"

namespace wavesmith::timing {

/// Bytes of a line of the instruction cache.
inline constexpr uint64_t kFetchLine = 64;

/// What beside its operands an instruction has to wait for: which of its SIMD's pipes and queues takes it.
enum class Gate : uint8_t {
  None,
  Vector,
  SlowVector,  ///< also the unit for transcendental and wide instructions, where the VALU has a queue
  Matrix,      ///< also the matrix unit, where it runs beside the VALU
  // Where a SIMD has two VALU pipes; Vector is the first of them.
  EitherVector,        ///< one of the two
  ScalarVector,        ///< the first, and what reads scalar registers for the VALU
  EitherScalarVector,  ///< one of the two, likewise
  LoneVector,          ///< both
  PackedVector,        ///< both, and no matrix instruction has the second
  Scalar,
  Branch,
  Memory,
  Lds,
};
inline constexpr size_t kGates = 13;

/// One line of the host's cache.
struct alignas(64) UnitOp {
  /// Registers, one kind's behind the other's, and where each kind's end.
  const RegisterRange* ranges = nullptr;
  std::array<uint8_t, 6> ends = {};
  isa::Pipe pipe = isa::Pipe::Internal;
  Gate gate = Gate::None;
  Control control = Control::None;
  OpCounter counter = OpCounter::None;
  Cause taken = Cause::Pipe;  ///< what holds it where its gate does
  isa::VectorPipe vector = isa::VectorPipe::Alone;
  bool turns : 1 = false;  ///< behind it the wave does not simply go on: branches, barriers, the end
  bool hardware : 1 = false, sets_hardware : 1 = false;
  bool reads_scalar : 1 = false;  ///< a VALU instruction that reads an SGPR or VCC
  bool lds : 1 = false, atomic : 1 = false, store : 1 = false, dual : 1 = false;
  uint8_t lds_operands = 0;        ///< dwords a lane that an LDS instruction reads: address and data
  uint16_t issue = 1, result = 1;  ///< isa::Cost's
  uint16_t matrix_result = 0, matrix_accumulate = 0;  ///< isa::matrix_result_cycles
  uint16_t vector_quanta = 1;                         ///< of a matrix instruction: until the VALU's next one
  uint16_t second_quanta = 0;  ///< of a matrix instruction: until the second pipe takes one
  uint16_t nops = 0;
  uint8_t quanta = 1;  ///< chances to issue until it has read its operands
  uint8_t delay_skip : 7 = 0;
  bool accumulates : 1 = false;  ///< a matrix instruction that writes what it reads as C, all of it
  uint8_t delay[2] = {0, 0};
  std::array<uint16_t, kCounters> wait = {};
  RegisterRange c, d;
  uint32_t line = 0;  ///< of the instruction cache, by its number among the kernel's
  /// The vector registers that it writes: VectorRegisters' number of the set, and how many.
  uint16_t written_set = 0, written = 0;

  // Scalar registers from 0, the first SGPR, on. Of what no instruction of the kernel can hold, or be held
  // by, nothing stands here: most operands of a matrix instruction come from memory alone.
  /// That VALU and matrix instructions write; without C where the instruction accumulates.
  [[nodiscard]] std::span<const RegisterRange> vector_reads() const { return {ranges, ranges + ends[0]}; }
  /// Written: what such an instruction before may hold.
  [[nodiscard]] std::span<const RegisterRange> vector_held() const { return kind(1); }
  [[nodiscard]] std::span<const RegisterRange> vector_writes() const { return kind(2); }  ///< all of them
  /// Read by the VALU: that memory instructions overwrite.
  [[nodiscard]] std::span<const RegisterRange> vector_keeps() const { return kind(3); }
  /// That SALU or VALU instructions write.
  [[nodiscard]] std::span<const RegisterRange> scalar_reads() const { return kind(4); }
  [[nodiscard]] std::span<const RegisterRange> scalar_writes() const { return kind(5); }  ///< all of them
  /// Whether there is anything of the last two.
  [[nodiscard]] bool has_scalars() const { return ends[5] != ends[3]; }

 private:
  [[nodiscard]] std::span<const RegisterRange> kind(size_t i) const {
    return {ranges + ends[i - 1], ranges + ends[i]};
  }
};
static_assert(sizeof(UnitOp) == 64);

/// Where an instruction stands.
struct CodePlace {
  uint64_t pc = 0;
  uint32_t size = 4;  ///< bytes
};

/// All of an OpTable, by its numbers.
class UnitOps {
 public:
  UnitOps(const OpTable& ops, const isa::IssueRules& rules);
  UnitOps(const UnitOps&) = delete;
  UnitOps& operator=(const UnitOps&) = delete;
  const UnitOp& operator[](uint32_t number) const { return ops_[number]; }
  [[nodiscard]] const CodePlace& place(uint32_t number) const { return places_[number]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(ops_.size()); }
  /// Lines of the instruction cache that they stand in.
  [[nodiscard]] size_t lines() const { return lines_; }

 private:
  std::vector<UnitOp> ops_;
  std::vector<CodePlace> places_;
  std::vector<RegisterRange> ranges_;  ///< of all of them
  size_t lines_ = 0;
};

}  // namespace wavesmith::timing
