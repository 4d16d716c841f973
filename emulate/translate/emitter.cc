#include "emulate/translate/emitter.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include <fmt/format.h>

#include "emulate/translate/matrix_plan.h"

namespace wavesmith::emulate {
namespace {

using isa::Operand;
using isa::Type;
namespace index = scalar_index;

/// Registers that are printed as words: index into Wave::s, and how many dwords.
const std::unordered_map<std::string_view, int>& special_registers() {
  // Never destroyed: kernels may run on while the process ends.
  static const auto& registers = *new std::unordered_map<std::string_view, int>{
      {"vcc", index::kVcc},
      {"vcc_lo", index::kVcc},
      {"vcc_hi", index::kVcc + 1},
      {"exec", index::kExec},
      {"exec_lo", index::kExec},
      {"exec_hi", index::kExec + 1},
      {"m0", index::kM0},
      {"flat_scratch", index::kFlatScratch},
      {"flat_scratch_lo", index::kFlatScratch},
      {"flat_scratch_hi", index::kFlatScratch + 1},
      {"src_flat_scratch_base_lo", index::kFlatScratch},
      {"src_flat_scratch_base_hi", index::kFlatScratch + 1},
      {"xnack_mask", index::kXnackMask},
      {"xnack_mask_lo", index::kXnackMask},
      {"xnack_mask_hi", index::kXnackMask + 1},
      {"src_shared_base", index::kSharedBase},
      {"src_shared_limit", index::kSharedLimit},
      {"src_private_base", index::kPrivateBase},
      {"src_private_limit", index::kPrivateLimit},
      {"src_scc", index::kScc},
      {"scc", index::kScc},
  };
  return registers;
}

}  // namespace

uint64_t constant_bits(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::Integer) {
    // A 32-bit literal of a double is its upper half; the printer shows 64-bit literals whole where the ISA
    // has them.
    if (type == Type::F64 && (operand.bits < -16 || operand.bits > 64)) {
      const auto value = static_cast<uint64_t>(operand.bits);
      return value >> 32 ? value : value << 32;
    }
    // A 32-bit literal is extended as the type says.
    if (type == Type::I64 && operand.bits > 64 && operand.bits <= 0xffffffff)
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(operand.bits)});
    return static_cast<uint64_t>(operand.bits);
  }
  // 1/(2 pi) is printed rounded, and differs by type: LLVM, AMDGPUInstPrinter::printImmediate*.
  const bool inverse_two_pi = std::fabs(operand.real - 0.15915494309189532) < 1e-6;
  switch (type) {
    case Type::F64:
    case Type::U64:
    case Type::I64:
      return inverse_two_pi ? 0x3fc45f306dc9c882u : std::bit_cast<uint64_t>(operand.real);
    case Type::F16:
    case Type::U16:
    case Type::I16:
    case Type::V2F16:
      return inverse_two_pi ? 0x3118u : std::bit_cast<uint16_t>(static_cast<_Float16>(operand.real));
    case Type::BF16:
    case Type::V2BF16:
      return inverse_two_pi ? 0x3e22u : std::bit_cast<uint32_t>(static_cast<float>(operand.real)) >> 16;
    default:
      return inverse_two_pi ? 0x3e22f983u : std::bit_cast<uint32_t>(static_cast<float>(operand.real));
  }
}

void Emitter::emit_stop(Error error) {
  const Stop& stop = program_.stops_.emplace_back(Stop{std::move(error)});
  Uop& uop = emit(Micro::Trap);
  uop.pointer = &stop;
}

uint32_t Emitter::temporary_rows(int count) {
  const int first = temporary_row_;
  temporary_row_ += count;
  return row_offset(first % kTemporaryRows);
}

uint32_t Emitter::temporary_scalars(int count) {
  const int first = temporary_scalar_;
  temporary_scalar_ += count;
  return scalar_offset(index::kTemporary + first % 32);
}

uint32_t Emitter::constant(uint64_t value) {
  if (const auto found = program_.constant_index_.find(value); found != program_.constant_index_.end())
    return constant_offset(found->second);
  if (program_.constants_.size() == kConstants) {
    // More constants than a wave holds: this one is set where it is used.
    const uint32_t scalars = temporary_scalars(2);
    emit(Micro::SetScalar, scalars).imm = value;
    return scalars;
  }
  const int index = static_cast<int>(program_.constants_.size());
  program_.constants_.push_back(value);
  program_.constant_index_.emplace(value, index);
  return constant_offset(index);
}

const MatrixPlan* Emitter::keep(MatrixPlan plan) {
  return program_.matrix_plans_.emplace_back(std::make_unique<MatrixPlan>(plan)).get();
}

Result<uint32_t> Emitter::register_offset(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::Vgpr:
      return vgpr_offset(operand.index);
    case Operand::Kind::Agpr:
      return agpr_offset(operand.index);
    case Operand::Kind::Sgpr:
      return scalar_offset(operand.index);
    case Operand::Kind::Special:
      if (operand.name.starts_with("src_") || operand.name == "scc")
        return fail(ErrorKind::Unsupported, fmt::format("operand '{}' can only be read", operand.name));
      if (const auto found = special_registers().find(operand.name); found != special_registers().end())
        return scalar_offset(found->second);
      if (operand.name == "null" || operand.name == "off") return scalar_offset(index::kSink);
      if (operand.name.starts_with("ttmp")) {
        const size_t digits = operand.name.find_first_of("0123456789");
        if (digits != std::string::npos)
          return scalar_offset(index::kTtmp + std::atoi(operand.name.c_str() + digits));
      }
      [[fallthrough]];
    default:
      return fail(ErrorKind::Unsupported, fmt::format("operand '{}' is no register", operand.name));
  }
}

Result<uint32_t> Emitter::row_register(const Operand& operand) const {
  if (is_row(operand)) return register_offset(operand);
  return fail(ErrorKind::Unsupported, "a scalar operand where a vector register has to stand");
}

Result<uint32_t> Emitter::scalar_source(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::Integer || operand.kind == Operand::Kind::Float)
    return constant(constant_bits(operand, type));
  if (operand.kind == Operand::Kind::Special) {
    if (operand.name == "null" || operand.name == "src_pops_exiting_wave_id") return constant(0);
    if (operand.name == "src_vccz" || operand.name == "src_execz") {
      const uint32_t flag = temporary_scalars();
      const int of = operand.name == "src_vccz" ? index::kVcc : index::kExec;
      emit(control::is_zero, flag, scalar_offset(of), wave32() ? 1 : 2);
      return flag;
    }
    if (const auto found = special_registers().find(operand.name); found != special_registers().end())
      return scalar_offset(found->second);
  }
  return register_offset(operand);
}

Result<uint32_t> Emitter::row_source(const Operand& operand, Type type) {
  if (is_row(operand)) return register_offset(operand);
  const auto scalar = scalar_source(operand, type);
  if (!scalar) return scalar;
  const bool wide = is_wide(type);
  const uint32_t rows = temporary_rows(wide ? 2 : 1);
  emit(Micro::Splat, rows, *scalar);
  if (wide) emit(Micro::Splat, rows + kRowBytes, *scalar + 4);
  return rows;
}

namespace {

constexpr uint32_t kModeKeepsHalfSources = 6, kModeKeepsHalfResults = 7;  // bits of MODE

/// Dot products have a treatment of their own.
bool flushes_halves(const Emitter& emitter, const isa::Row& row) {
  return emitter.mode_varies() && !(row.shape == isa::Shape::Packed && row.facts.nearest);
}

}  // namespace

uint32_t Emitter::flushed_half_source(const isa::Row& instruction, uint32_t row) {
  if (!flushes_halves(*this, instruction)) return row;
  const uint32_t flushed = temporary_rows();
  emit(Micro::FlushF16, flushed, row, kModeKeepsHalfSources, 3);
  return flushed;
}

void Emitter::flush_half_destination(const isa::Row& instruction, uint32_t row) {
  if (flushes_halves(*this, instruction)) emit(Micro::FlushF16, row, row, kModeKeepsHalfSources, 3);
}

void Emitter::flush_half_result(const isa::Row& instruction, uint32_t row, uint32_t halves) {
  if (flushes_halves(*this, instruction)) emit(Micro::FlushF16, row, row, kModeKeepsHalfResults, halves);
}

}  // namespace wavesmith::emulate
