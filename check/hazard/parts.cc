#include "check/hazard/parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "isa/cost/cost.h"
#include "isa/matrix/instruction.h"
#include "isa/rows.h"
#include "isa/wait_counters.h"

namespace wavesmith::check::hazard {
namespace {

using isa::Operation;
using isa::Pipe;
using isa::RegisterRange;
using isa::Role;

bool is_vector(RegisterRange range) { return range.first < isa::reg::kSgpr; }
bool is_exec(RegisterRange range) {
  return range.first >= isa::reg::kExec && range.first < isa::reg::kExec + 2;
}
bool is_scc(RegisterRange range) { return range.first == isa::reg::kScc; }
bool is_m0(RegisterRange range) { return range.first == isa::reg::kM0; }

void add(Registers& to, RegisterRange range) {
  if (range.count && std::ranges::find(to, range) == to.end()) to.push_back(range);
}

/// The operands that a row's roles name as sources.
void add_sources(Parts& parts, const isa::Instruction& in, const isa::Row& row, int lanes) {
  std::array<const Role*, isa::Row::kMostRoles> sources{};
  size_t results = 0, count = 0;
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    const bool reads = role.use == Role::Use::Read;
    if (!reads) {
      results += role.printed;
    } else if (role.destination_too) {
      if (!in.operands.empty()) add(parts.vector_sources, registers_of(in.operands[0], lanes));
    } else if (role.printed) {
      sources[count++] = &role;
    } else if (role.type == isa::Type::LaneMask && row.shape != isa::Shape::Scalar) {
      add(parts.masks, {isa::reg::kVcc, static_cast<uint16_t>(lanes / 32)});
    }
  }
  for (size_t i = results; i < in.operands.size(); ++i) {
    const isa::Operand& operand = in.operands[i];
    const RegisterRange range = registers_of(operand, lanes);
    if (operand.name == "src_vccz" || operand.name == "src_execz") parts.reads_zero_flag = true;
    if (!range.count || is_scc(range)) continue;
    const bool mask = i - results < count && sources[i - results]->type == isa::Type::LaneMask;
    add(is_vector(range) ? parts.vector_sources : mask ? parts.masks : parts.constants, range);
  }
  const isa::Modifier* const select = in.find("op_sel");
  if (select)
    for (size_t i = count; i < select->values.size(); ++i) parts.moves_result |= select->values[i] != 0;
}

/// SDWA and op_sel; of conversions to four-bit floats with stochastic rounding LLVM 22,
/// GCNHazardRecognizer.cpp, getDstSelForwardingOperand, says that all do.
void find_moved_result(Parts& parts, const isa::Instruction& in) {
  if (const isa::Modifier* const to = in.find("dst_sel")) parts.moves_result |= to->text != "DWORD";
  parts.moves_result |= in.mnemonic.starts_with("v_cvt_scalef32_sr_pk_fp4");
}

void add_matrix(Parts& parts, const isa::Instruction& in, const isa::Row& row, const isa::Target& target,
                int lanes) {
  using isa::MatrixElement;
  const isa::MatrixInstruction& matrix = *row.matrix;
  parts.passes = isa::matrix_cycles(in, matrix) / 4;
  parts.unit = matrix.d == MatrixElement::F64                              ? MatrixUnit::Double
               : matrix.a == MatrixElement::F32 && !target.is(isa::kCdna2) ? MatrixUnit::Single
                                                                           : MatrixUnit::Xdl;
  parts.d = registers_of(in.operands[0], lanes);
  // Sparse forms print an index where others print C, which is D then.
  parts.c = matrix.sparse ? parts.d : registers_of(in.operands[3], lanes);
  if (parts.c.count) add(parts.vector_sources, parts.c);
  for (size_t i = 1; i < in.operands.size(); ++i) {
    const RegisterRange range = registers_of(in.operands[i], lanes);
    if ((i != 3 || matrix.sparse) && range.count && is_vector(range)) parts.ab.push_back(range);
  }
}

void add_memory(Parts& parts, const isa::Instruction& in, const isa::Row& row, int lanes) {
  const isa::MemoryOperands operands = memory_operands(in, row);
  const auto vector = [&](const isa::Operand* operand) {
    const RegisterRange range = operand ? registers_of(*operand, lanes) : RegisterRange{};
    if (range.count && is_vector(range)) add(parts.vector_sources, range);
    return range;
  };
  vector(operands.address);
  const RegisterRange data = vector(operands.data);
  vector(operands.second);
  for (const isa::Operand* const scalar : {operands.scalar, operands.resource})
    if (const RegisterRange range = scalar ? registers_of(*scalar, lanes) : RegisterRange{};
        range.count && !is_vector(range))
      add(parts.constants, range);
  const isa::Space space = isa::space_of(in.mnemonic);
  const bool lds = space == isa::Space::Lds;
  const bool buffer = space == isa::Space::Buffer || space == isa::Space::Typed;
  if (isa::loads_to_lds(in)) add(parts.constants, {isa::reg::kM0, 1});
  // Loads of buffers to LDS are not in the manual's list, and AMD's own kernels (AITER) put nothing in
  // between.
  parts.needs_m0 = (isa::loads_to_lds(in) && !buffer) || (lds && (row.facts.by_lane || in.has("gds")));
  parts.stores_to_scratch = space == isa::Space::Scratch;
  const bool offset = buffer && operands.scalar && registers_of(*operands.scalar, lanes).count;
  if (!lds && data.count > 2 && is_vector(data) && !offset) parts.store_data = {data};
}

int number_behind(std::string_view text, std::string_view name, int otherwise) {
  const size_t at = text.find(name);
  if (at == std::string_view::npos) return otherwise;
  int number = otherwise;
  std::from_chars(text.data() + at + name.size(), text.data() + text.size(), number);
  return number;
}

/// `s_waitcnt_depctr depctr_va_vdst(0) ...`, or a number: LLVM 22, AMDGPUBaseInfo.cpp, namespace DepCtr.
Drains drains_of(const isa::Instruction& in) {
  if (!in.operands.empty() && in.operands[0].kind == isa::Operand::Kind::Integer) {
    const auto bits = static_cast<uint64_t>(in.operands[0].bits);
    return {.vector = (bits >> 12 & 15) == 0,
            .vector_scalar = (bits >> 9 & 7) == 0,
            .vector_vcc = (bits >> 1 & 1) == 0,
            .scalar = (bits & 1) == 0};
  }
  return {.vector = number_behind(in.text, "va_vdst(", 1) == 0,
          .vector_scalar = number_behind(in.text, "va_sdst(", 1) == 0,
          .vector_vcc = number_behind(in.text, "va_vcc(", 1) == 0,
          .scalar = number_behind(in.text, "sa_sdst(", 1) == 0};
}

/// `hwreg(HW_REG_MODE, 28, 1)`: the name, and whether bit 28, VSKIP, is among the bits.
void find_hardware_register(Parts& parts, const isa::Instruction& in) {
  for (const isa::Operand& operand : in.operands) {
    const std::string_view text = operand.name;
    if (!text.starts_with("hwreg(")) continue;
    const size_t comma = text.find(',');
    parts.hardware_register = text.substr(6, std::min(comma, text.find(')')) - 6);
    const int first = comma == std::string_view::npos ? 0 : number_behind(text, ", ", 0);
    const size_t second = comma == std::string_view::npos ? comma : text.find(", ", comma + 1);
    const int bits = second == std::string_view::npos ? 32 : number_behind(text.substr(second), ", ", 32);
    constexpr int kSkip = 28;
    parts.sets_skip = parts.operation == Operation::SetRegister &&
                      parts.hardware_register.ends_with("REG_MODE") && first <= kSkip && kSkip < first + bits;
  }
  if (parts.operation == Operation::Skip) parts.hardware_register = "HW_REG_MODE";
}

bool needs_m0(Operation operation) {
  switch (operation) {
    case Operation::Message:
    case Operation::ScalarFromRelative:
    case Operation::ScalarFromRelative64:
    case Operation::ScalarToRelative:
    case Operation::ScalarToRelative64:
      return true;
    default:
      return false;
  }
}

void add_effects(Parts& parts, const isa::Effects& effects) {
  for (const RegisterRange range : effects.writes) {
    if (is_vector(range))
      add(parts.vector_writes, range);
    else if (is_exec(range))
      add(parts.exec_writes, {isa::reg::kExec, 2});
    else if (!is_scc(range))
      add(parts.scalar_writes, range);
  }
  for (const RegisterRange range : effects.reads) {
    if (is_vector(range))
      add(parts.vector_reads, range);
    else if (!is_exec(range) && !is_scc(range) && !is_m0(range))
      add(parts.scalar_reads, range);
  }
}

}  // namespace

Parts parts_of(const emulate::Site& site, const isa::Target& target, int wave_lanes) {
  const isa::Instruction& in = site.instruction;
  const isa::Row* const row = site.row;
  Parts parts;
  parts.in = &in;
  parts.pipe = isa::pipe_of(in, row);
  parts.operation = row ? Operation::None : isa::operation_of(in.mnemonic);
  parts.matrix = parts.pipe == Pipe::Matrix;
  parts.transcendental = parts.pipe == Pipe::Transcendental;
  parts.valu = parts.pipe == Pipe::Valu || parts.matrix || parts.transcendental;
  parts.salu = parts.pipe == Pipe::Salu || parts.pipe == Pipe::Branch;
  parts.memory = parts.pipe == Pipe::Vmem || parts.pipe == Pipe::Lds || parts.pipe == Pipe::Export;
  parts.dot = in.mnemonic.starts_with("v_dot");
  parts.dpp = in.encoding == isa::Encoding::Dpp || in.encoding == isa::Encoding::E64Dpp;
  parts.compares_to_exec = in.mnemonic.starts_with("v_cmpx");
  parts.does_nothing = in.mnemonic == "v_nop";
  if (parts.operation == Operation::Nop && !in.operands.empty())
    parts.states = static_cast<int>(in.operands[0].bits) + 1;
  if (parts.operation == Operation::Barrier) {
    const isa::IssueRules& cycles = isa::issue_rules(target);
    parts.states = std::max(1, cycles.barrier / cycles.quantum);
  }
  add_effects(parts, effects_of(in, row, target, wave_lanes));
  if (!in.second.empty()) {
    for (const isa::Instruction* const half : {&in, &in.second.front()}) {
      const isa::Instruction single = isa::single_of(*half, wave_lanes);
      if (const isa::Row* const own = isa::find_row(single.mnemonic, target))
        add_sources(parts, single, *own, wave_lanes);
    }
  } else if (row && row->shape == isa::Shape::Memory) {
    if (parts.pipe != Pipe::Smem) add_memory(parts, in, *row, wave_lanes);
    const std::vector<isa::Counter> counters = counters_of(in, row, target);
    parts.stores = std::ranges::any_of(
        counters, [](isa::Counter one) { return one == isa::Counter::Vs || one == isa::Counter::Store; });
  } else if (row && row->shape != isa::Shape::Scalar) {
    add_sources(parts, in, *row, wave_lanes);
    find_moved_result(parts, in);
    if (row->matrix) add_matrix(parts, in, *row, target, wave_lanes);
  } else {
    parts.vector_sources = parts.vector_reads;
    parts.needs_m0 = needs_m0(parts.operation);
    find_hardware_register(parts, in);
    const isa::ControlRow* const control = isa::find_control(in.mnemonic);
    if (parts.operation == Operation::WaitForOthers && control->facts.fields) parts.drains = drains_of(in);
    parts.releases_registers =
        parts.operation == Operation::Message && in.text.find("MSG_DEALLOC_VGPRS") != std::string::npos;
    const isa::WaitCounters waits = isa::wait_counters(in);
    parts.waits_for_memory = waits.vm == 0;
    parts.stores_left = std::min(waits.vs, waits.store);
  }
  return parts;
}

}  // namespace wavesmith::check::hazard
