#include "analysis/values/lane_values.h"

#include <algorithm>
#include <bit>
#include <map>

namespace wavesmith::analysis {
namespace {

using isa::Operand;

constexpr uint8_t kExact = kExactLanes;

/// Operations by their names in all generations; the operands are printed in the order that the comment says.
enum class Operation : uint8_t {
  None,
  Move,           // a
  Add,            // a + b
  Subtract,       // a - b
  SubtractRev,    // b - a
  Multiply,       // a * b
  Multiply24,     // the same of the low 24 bits
  MultiplyAdd24,  // a * b + c
  MultiplyAdd,    // the same of 32 bits
  ShiftLeft,      // a << b
  ShiftLeftRev,
  ShiftRight,
  ShiftRightRev,
  ShiftRightSigned,
  ShiftRightSignedRev,
  And,
  Or,
  Xor,
  ShiftAdd,  // (a << b) + c
  AddShift,  // (a + b) << c
  ShiftOr,   // (a << b) | c
  AndOr,     // (a & b) | c
  Or3,       // a | b | c
  Add3,      // a + b + c
  XorAdd,    // (a ^ b) + c
  Extract,   // (a >> b) & ((1 << c) - 1)
  MaskAdd,   // lanes below this one in a, + b
  MaskAddHigh,
  FirstLane,
};

struct Entry {
  std::string_view name;
  Operation operation;
};

constexpr Entry kEntries[] = {
    {"v_mov_b32", Operation::Move},
    {"s_mov_b32", Operation::Move},
    {"s_movk_i32", Operation::Move},
    {"v_mov_b64", Operation::Move},
    {"s_mov_b64", Operation::Move},
    {"v_add_u32", Operation::Add},
    {"v_add_nc_u32", Operation::Add},
    {"v_add_i32", Operation::Add},
    {"v_add_nc_i32", Operation::Add},
    {"s_add_i32", Operation::Add},
    {"s_add_u32", Operation::Add},
    {"s_add_co_u32", Operation::Add},
    {"s_add_co_i32", Operation::Add},
    {"v_sub_u32", Operation::Subtract},
    {"v_sub_nc_u32", Operation::Subtract},
    {"v_subrev_u32", Operation::SubtractRev},
    {"v_subrev_nc_u32", Operation::SubtractRev},
    {"s_sub_i32", Operation::Subtract},
    {"s_sub_u32", Operation::Subtract},
    {"v_mul_u32_u24", Operation::Multiply24},
    {"v_mul_i32_i24", Operation::Multiply24},
    {"v_mul_lo_u32", Operation::Multiply},
    {"s_mul_i32", Operation::Multiply},
    {"v_mad_u32_u24", Operation::MultiplyAdd24},
    {"v_mad_i32_i24", Operation::MultiplyAdd24},
    {"v_mad_u64_u32", Operation::MultiplyAdd},
    {"v_mad_i64_i32", Operation::MultiplyAdd},
    {"v_mad_co_u64_u32", Operation::MultiplyAdd},
    {"v_mad_co_i64_i32", Operation::MultiplyAdd},
    {"v_lshlrev_b32", Operation::ShiftLeftRev},
    {"v_lshlrev_b64", Operation::ShiftLeftRev},
    {"s_lshl_b32", Operation::ShiftLeft},
    {"s_lshl_b64", Operation::ShiftLeft},
    {"v_lshrrev_b32", Operation::ShiftRightRev},
    {"s_lshr_b32", Operation::ShiftRight},
    {"v_ashrrev_i32", Operation::ShiftRightSignedRev},
    {"s_ashr_i32", Operation::ShiftRightSigned},
    {"v_and_b32", Operation::And},
    {"s_and_b32", Operation::And},
    {"v_or_b32", Operation::Or},
    {"s_or_b32", Operation::Or},
    {"v_xor_b32", Operation::Xor},
    {"s_xor_b32", Operation::Xor},
    {"v_lshl_add_u32", Operation::ShiftAdd},
    {"v_lshl_add_u64", Operation::ShiftAdd},
    {"v_add_lshl_u32", Operation::AddShift},
    {"v_lshl_or_b32", Operation::ShiftOr},
    {"v_and_or_b32", Operation::AndOr},
    {"v_or3_b32", Operation::Or3},
    {"v_add3_u32", Operation::Add3},
    {"v_xad_u32", Operation::XorAdd},
    {"v_bfe_u32", Operation::Extract},
    {"v_mbcnt_lo_u32_b32", Operation::MaskAdd},
    {"v_mbcnt_hi_u32_b32", Operation::MaskAddHigh},
    {"v_readfirstlane_b32", Operation::FirstLane},
    {"v_accvgpr_read_b32", Operation::Move},
    {"v_accvgpr_write_b32", Operation::Move},
    {"v_add_co_u32", Operation::Add},
};

Operation operation_of(std::string_view name) {
  static const auto* const by_name = [] {
    auto* const map = new std::map<std::string_view, Operation>;
    for (const Entry& entry : kEntries) map->emplace(entry.name, entry.operation);
    return map;
  }();
  const auto found = by_name->find(name);
  return found == by_name->end() ? Operation::None : found->second;
}

bool bypasses(const isa::Instruction& in) {
  return in.encoding == isa::Encoding::Dpp || in.encoding == isa::Encoding::E64Dpp ||
         in.encoding == isa::Encoding::Sdwa || !in.second.empty() || in.has("clamp");
}

}  // namespace

LaneValue LaneValues::read(const Operand& operand, const State& state, uint32_t lanes) {
  if (operand.kind == Operand::Kind::Integer) return constant(operand.bits);
  if (operand.negate || operand.absolute || operand.half != Operand::Half::Whole || operand.sign_extend)
    return unknown(Reason::Computed);
  const Range range = registers_of(operand, code_.wave_lanes);
  if (range.count == 0 || number_[range.first] == kNone) return unknown(Reason::Computed);
  LaneValue value = state[slot(range.first)];
  if (value.known() && !exec_.sets.within(lanes, value.lanes)) return unknown(Reason::Masked);
  return value;
}

LaneValue LaneValues::compute(uint32_t i, const isa::Instruction& in, const State& state) {
  const isa::Row* const row = code_.rows[i];
  if (row && row->shape == isa::Shape::Memory) {
    const bool scalar = space_of(in.mnemonic) == isa::Space::Scalar;
    return scalar ? uniform(0) : unknown(Reason::Loaded);
  }
  const std::string_view name = in.mnemonic;
  const uint32_t lanes = exec_.of[i];
  const auto& printed = in.operands;
  const Operation operation = bypasses(in) ? Operation::None : operation_of(name);
  // Where a carry is printed the sources come one later.
  const size_t first = name == "v_add_co_u32" || operation == Operation::MultiplyAdd ? 2 : 1;
  const auto a = [&] { return read(printed[first], state, lanes); };
  const auto b = [&] { return read(printed[first + 1], state, lanes); };
  const auto c = [&] { return read(printed[first + 2], state, lanes); };
  const size_t sources = printed.size() > first ? printed.size() - first : 0;
  const auto otherwise = [&] { return name.starts_with("s_") ? uniform(0) : unknown(Reason::Computed); };
  if (sources == 0) return otherwise();
  const auto bit_and = [](int32_t x, int32_t y) { return x & y; };
  const auto bit_or = [](int32_t x, int32_t y) { return x | y; };
  const auto bit_xor = [](int32_t x, int32_t y) { return x ^ y; };
  LaneValue result = unknown(Reason::Computed);
  if (operation == Operation::Move) {
    result = printed[first].kind == Operand::Kind::Integer ? constant(constant_of(in, printed[first])) : a();
  } else if (operation == Operation::FirstLane) {
    const LaneValue value = a();
    if (!value.known()) return uniform(0);
    const int32_t at = function(value.function)[0];
    if (value.zeros == kExact && is_constant(function(value.function))) return value;
    return uniform(static_cast<uint8_t>(std::min<int>(value.zeros, trailing_zeros(at))));
  } else if (sources >= 2) {
    switch (operation) {
      case Operation::Add:
        result = add(a(), b());
        break;
      case Operation::Subtract:
        result = add(a(), b(), -1);
        break;
      case Operation::SubtractRev:
        result = add(b(), a(), -1);
        break;
      case Operation::Multiply:
        result = multiply(a(), b());
        break;
      case Operation::Multiply24:
        result = multiply(low24(a()), low24(b()));
        break;
      case Operation::ShiftLeft:
        result = shift_left(a(), b());
        break;
      case Operation::ShiftLeftRev:
        result = shift_left(b(), a());
        break;
      case Operation::ShiftRight:
      case Operation::ShiftRightSigned:
        result = shift_right(a(), b(), operation == Operation::ShiftRightSigned);
        break;
      case Operation::ShiftRightRev:
      case Operation::ShiftRightSignedRev:
        result = shift_right(b(), a(), operation == Operation::ShiftRightSignedRev);
        break;
      case Operation::And:
        result = bitwise(a(), b(), bit_and);
        break;
      case Operation::Or:
        result = bitwise(a(), b(), bit_or);
        break;
      case Operation::Xor:
        result = bitwise(a(), b(), bit_xor);
        break;
      case Operation::MaskAdd:
      case Operation::MaskAddHigh: {
        // With a mask of all lanes: this lane's number, in two halves.
        if (printed[first].kind != Operand::Kind::Integer || printed[first].bits != -1) break;
        PerLane lane;
        for (int32_t l = 0; l < 64; ++l)
          lane[static_cast<size_t>(l)] =
              operation == Operation::MaskAdd ? std::min(l, 32) : std::max(l - 32, 0);
        result = add(known(lane, kExact, LaneSets::kAll), b());
        break;
      }
      default:
        break;
    }
    if (sources >= 3) switch (operation) {
        case Operation::MultiplyAdd24:
          result = add(multiply(low24(a()), low24(b())), c());
          break;
        case Operation::MultiplyAdd:
          result = add(multiply(a(), b()), c());
          break;
        case Operation::ShiftAdd:
          result = add(shift_left(a(), b()), c());
          break;
        case Operation::AddShift:
          result = shift_left(add(a(), b()), c());
          break;
        case Operation::ShiftOr:
          result = bitwise(shift_left(a(), b()), c(), bit_or);
          break;
        case Operation::AndOr:
          result = bitwise(bitwise(a(), b(), bit_and), c(), bit_or);
          break;
        case Operation::Or3:
          result = bitwise(bitwise(a(), b(), bit_or), c(), bit_or);
          break;
        case Operation::Add3:
          result = add(add(a(), b()), c());
          break;
        case Operation::XorAdd:
          result = add(bitwise(a(), b(), bit_xor), c());
          break;
        case Operation::Extract: {
          const LaneValue width = c();
          if (!width.known() || width.zeros != kExact || !is_constant(function(width.function))) break;
          const int bits = function(width.function)[0] & 31;
          result = bitwise(shift_right(a(), b(), false), constant((int64_t{1} << bits) - 1), bit_and);
          break;
        }
        default:
          break;
      }
  }
  // Scalars are the same for all lanes, whatever they are.
  if (!result.known() && name.starts_with("s_")) return uniform(0);
  if (!result.known() && operation == Operation::None) {
    bool loaded = false;
    for (size_t s = first; s < printed.size(); ++s) {
      const LaneValue value = read(printed[s], state, lanes);
      loaded |= !value.known() && value.reason == Reason::Loaded;
    }
    if (loaded) result.reason = Reason::Loaded;
  }
  return result;
}

void LaneValues::step(uint32_t i, State& state) {
  const isa::Instruction& in = code_.instructions[i];
  const Effects& effects = code_.effects[i];
  LaneValue result = effects.writes.empty() ? LaneValue{} : compute(i, in, state);
  if (const uint32_t made = exec_.made[i]; made != kNone)
    for (LaneValue& value : state)
      if (value.known() && value.lanes != LaneSets::kAll &&
          exec_.without(value.lanes, made, LaneSets::kAll) != value.lanes)
        value = unknown(Reason::Masked);
  // The first register of the result, which is printed first; SCC may stand before it among what is written.
  // What a wide result has above is not followed.
  const Range printed = in.operands.empty() ? Range{} : registers_of(in.operands.front(), code_.wave_lanes);
  const uint16_t own = printed.count && effects.writes_register(printed.first) ? printed.first
                       : effects.writes.empty()                                ? uint16_t{0}
                                                                               : effects.writes.front().first;
  for (const Range range : effects.writes)
    for (uint16_t r = range.first; r < range.first + range.count; ++r) {
      const bool first = r == own;
      LaneValue value = first ? result : r >= reg::kSgpr ? uniform(0) : unknown(Reason::Computed);
      if (!first && !result.known() && r < reg::kSgpr) value.reason = result.reason;
      if (value.known() && r < reg::kSgpr) value.lanes = effects.masked ? exec_.of[i] : LaneSets::kAll;
      state[slot(r)] = value;
    }
}

void LaneValues::start(const WorkgroupShape& shape, State& state) {
  if (number_[reg::kVgpr] == kNone) return;
  const auto wave = static_cast<uint32_t>(code_.wave_lanes);
  const int log_wave = std::countr_zero(wave);
  PerLane f{};
  LaneValue& v0 = state[slot(reg::kVgpr)];
  const uint32_t x = shape.size[0];
  if (shape.uses_x_alone || (x != 0 && x % wave == 0)) {
    // Waves take work-items along x, 10 bits of v0; the rest is the same for a wave.
    for (uint32_t l = 0; l < 64; ++l) f[l] = static_cast<int32_t>(l % wave);
    v0 = known(f, log_wave, LaneSets::kAll);
  } else if (x != 0 && std::has_single_bit(x) && shape.size[1] * x % wave == 0) {
    for (uint32_t l = 0; l < 64; ++l) f[l] = static_cast<int32_t>(l % wave % x | (l % wave / x) << 10);
    v0 = known(f, 10 + log_wave - std::countr_zero(x), LaneSets::kAll);
  } else {
    v0 = unknown(Reason::Shape);
  }
}

void LaneValues::solve(const WorkgroupShape& shape) {
  in_.assign(graph_.blocks.size(), {});
  std::vector<State> out(graph_.blocks.size());
  const State nothing(registers_, unknown(Reason::NotWritten));
  constexpr int kMostRounds = 40;
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (const uint32_t b : graph_.reverse_post) {
      State state;
      for (const Function& function : graph_.functions)
        if (function.entry == b) {
          state = nothing;
          for (size_t r = reg::kSgpr; r < reg::kSgprEnd; ++r)
            if (number_[r] != kNone) state[number_[r]] = uniform(0);
          if (&function == &graph_.functions.front()) start(shape, state);
        }
      for (const uint32_t p : graph_.blocks[b].predecessors) {
        if (out[p].empty()) continue;
        State from = out[p];
        const uint32_t joined = exec_.joined[b];
        for (LaneValue& value : from) {
          if (!value.known() || value.lanes == LaneSets::kAll) continue;
          // What holds for the lanes that come from there holds for the lanes that join.
          if (joined != kNone)
            value = exec_.sets.within(exec_.at_end[p], value.lanes)
                        ? LaneValue{value.function, value.zeros, Reason::None, joined}
                        : unknown(Reason::Masked);
        }
        if (state.empty()) {
          state = std::move(from);
          continue;
        }
        for (size_t r = 0; r < state.size(); ++r) {
          LaneValue merged = merge(state[r], from[r]);
          if (merged.known() && state[r].lanes != from[r].lanes) {
            const uint32_t lanes = exec_.sets.within(state[r].lanes, from[r].lanes)   ? state[r].lanes
                                   : exec_.sets.within(from[r].lanes, state[r].lanes) ? from[r].lanes
                                                                                      : kNone;
            if (lanes == kNone)
              merged = unknown(Reason::Masked);
            else
              merged.lanes = lanes;
          }
          state[r] = merged;
        }
      }
      if (state.empty()) continue;
      if (in_[b].empty() || !(in_[b] == state)) {
        // Once a value has been given up it stays so, or rounds could go on for ever.
        for (size_t r = 0; r < state.size() && !in_[b].empty(); ++r) {
          const LaneValue& before = in_[b][r];
          if (!before.known() && before.reason != Reason::NotWritten)
            state[r] = before;
          else if (before.known() && state[r].known())
            state[r].zeros = std::min(state[r].zeros, before.zeros);
        }
        if (in_[b] == state) continue;
        in_[b] = state;
        changed = true;
        for (uint32_t i = graph_.blocks[b].begin; i < graph_.blocks[b].end; ++i) step(i, state);
        out[b] = std::move(state);
      }
    }
  }
  if (changed)
    for (State& state : in_) std::fill(state.begin(), state.end(), unknown(Reason::Paths));
}

LaneValues::LaneValues(const Code& code, const Graph& graph, const ExecSets& exec,
                       const WorkgroupShape& shape)
    : code_(code), graph_(graph), exec_(exec) {
  number_.assign(reg::kCount, kNone);
  for (const Effects& effects : code.effects)
    for (const auto* ranges : {&effects.reads, &effects.writes})
      for (const Range range : *ranges)
        for (uint16_t r = range.first; r < range.first + range.count; ++r)
          if (number_[r] == kNone) number_[r] = registers_++;
  solve(shape);
  addresses_.assign(code.size(), {});
  for (uint32_t b = 0; b < graph.blocks.size(); ++b) {
    if (in_[b].empty()) continue;
    State state = in_[b];
    for (uint32_t i = graph.blocks[b].begin; i < graph.blocks[b].end; ++i) {
      const isa::Row* const row = code.rows[i];
      if (row && row->shape == isa::Shape::Memory)
        if (const MemoryOperands operands = memory_operands(code.instructions[i], *row); operands.address)
          addresses_[i] = read(*operands.address, state, exec.of[i]);
      step(i, state);
    }
  }
}

LaneValue LaneValues::before(uint32_t instruction, uint16_t r) {
  const uint32_t b = graph_.block_of[instruction];
  if (in_[b].empty() || number_[r] == kNone) return unknown(Reason::NotWritten);
  State state = in_[b];
  for (uint32_t i = graph_.blocks[b].begin; i < instruction; ++i) step(i, state);
  const LaneValue& value = state[number_[r]];
  if (value.known() && !exec_.sets.within(exec_.of[instruction], value.lanes)) return unknown(Reason::Masked);
  return value;
}

LaneValue LaneValues::address(uint32_t instruction) const { return addresses_[instruction]; }

}  // namespace wavesmith::analysis
