#include "analysis/values/lane_values.h"

#include <algorithm>
#include <bit>

#include "isa/meaning/evaluate.h"
#include "isa/meaning/sources.h"

namespace wavesmith::analysis {
namespace {

using isa::Operand;

/// Whether a register's upper half stays, or nobody says what is there.
bool is_half(isa::Type type) {
  return type == isa::Type::F16 || type == isa::Type::BF16 || type == isa::Type::U16 ||
         type == isa::Type::I16 || type == isa::Type::B8 || type == isa::Type::B16;
}

bool is_flag(isa::Type type) {
  return type == isa::Type::LaneMask || type == isa::Type::Scc || type == isa::Type::Exec;
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

LaneOperand LaneValues::source(uint32_t i, const isa::Row& row, uint64_t number, const State& state) {
  const isa::SourcePlace place = isa::source_place(code_.instructions[i], row, number, code_.wave_lanes);
  const isa::Type type = place.role.type;
  if (type == isa::Type::Exec && exec_.of[i] == LaneSets::kAll)
    return {constant(-1), isa::low_bits(code_.wave_lanes)};
  if (place.modifier) return {constant(static_cast<int64_t>(*place.modifier)), place.modifier};
  // A bit of each lane, of which nothing is known.
  if (!place.operand || type == isa::Type::LaneMask) return {unknown(Reason::Computed)};
  if (place.operand->kind == Operand::Kind::Integer) {
    const auto bits = static_cast<uint64_t>(place.operand->bits);
    return {constant(place.operand->bits), bits};
  }
  return {read(*place.operand, state, exec_.of[i])};
}

LaneValue LaneValues::meant(uint32_t i, const isa::Row& row, const State& state) {
  LaneDomain domain(*this, code_.wave_lanes, [&](const isa::Node& node) {
    LaneOperand value = source(i, row, node.constant, state);
    if (value.number) *value.number &= isa::low_bits(node.bits);
    if (node.bits < 32 && value.lanes.known()) {
      const isa::Node cut{.op = isa::Op::Truncate, .bits = node.bits, .from = 32, .count = 1};
      value = LaneOperations(*this, code_.wave_lanes).operation(cut, {value});
    }
    return value;
  });
  return isa::Evaluation(*row.meaning(), domain).result(0).lanes;
}

/// Of an instruction of which only is known what it reads: the same for all lanes where that is.
LaneValue LaneValues::unfollowed(uint32_t i, const isa::Row* row, const State& state) {
  const isa::Instruction& in = code_.instructions[i];
  bool loaded = false, same = row && isa::is_plain(in) &&
                              (row->shape == isa::Shape::Lane || row->shape == isa::Shape::Packed);
  const auto add = [&](const Operand& operand) {
    const LaneValue value = read(operand, state, exec_.of[i]);
    loaded |= !value.known() && value.reason == Reason::Loaded;
    // Of several registers only the first is followed.
    const bool whole = operand.kind != Operand::Kind::Vgpr || operand.count == 1;
    same &= operand.kind == Operand::Kind::Float ||
            (whole && value.known() && is_constant(function(value.function)));
  };
  for (size_t s = row ? static_cast<size_t>(isa::printed_results(*row)) : 1; s < in.operands.size(); ++s)
    add(in.operands[s]);
  for (int r = 0; same && r < row->count; ++r) {
    same = row->roles[r].type != isa::Type::LaneMask;
    if (row->roles[r].destination_too) add(in.operands.front());
  }
  if (same) return uniform(0);
  return unknown(loaded ? Reason::Loaded : Reason::Computed);
}

LaneValue LaneValues::compute(uint32_t i, const isa::Instruction& in, const State& state) {
  const isa::Row* const row = code_.rows[i];
  if (row && row->shape == isa::Shape::Memory) {
    const bool scalar = space_of(in.mnemonic) == isa::Space::Scalar;
    return scalar ? uniform(0) : unknown(Reason::Loaded);
  }
  // Masks of lanes and SCC are scalars, and scalars are the same for all lanes, whatever they are.
  const bool scalar =
      (row && row->shape == isa::Shape::Scalar) ||
      (!in.operands.empty() && registers_of(in.operands.front(), code_.wave_lanes).first >= reg::kSgpr);
  if (scalar && row && row->count != 0 && is_flag(row->roles[0].type)) return uniform(0);
  const bool half = row && row->count != 0 && is_half(row->roles[0].type);
  const bool meant_alone = row && row->meaning && !half && isa::is_plain(in);
  LaneValue result = meant_alone ? meant(i, *row, state) : unfollowed(i, row, state);
  if (result.known()) return half ? unknown(Reason::Computed) : result;
  if (meant_alone && result.reason == Reason::Computed)
    if (const LaneValue loaded = unfollowed(i, row, state); !loaded.known()) result.reason = loaded.reason;
  return scalar ? uniform(0) : result;
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
      if (!value.known() && effects.masked && exec_.of[i] != LaneSets::kAll) value = rows_alone(value);
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
    v0 = known(f, shape.first_wave ? kExactLanes : log_wave, LaneSets::kAll);
  } else if (x != 0 && std::has_single_bit(x) && shape.size[1] * x % wave == 0) {
    for (uint32_t l = 0; l < 64; ++l) f[l] = static_cast<int32_t>(l % wave % x | (l % wave / x) << 10);
    v0 = known(f, 10 + log_wave - std::countr_zero(x), LaneSets::kAll);
  } else {
    v0 = unknown(Reason::Shape);
  }
}

/// A value at the begin of a block, which was `before` in the round before. `settle`: it has changed for so
/// many rounds that no more is kept of it than will not change again.
LaneValue LaneValues::narrowed(const LaneValue& before, LaneValue now, bool settle) {
  now.zeros = std::min(now.zeros, before.zeros);
  if (!settle || now == before) return now;
  if (now.lanes != before.lanes) return unknown(Reason::Masked);
  // What lane 0 has belongs to U, of which then nothing is kept.
  const auto from_first = [&](const LaneValue& value) {
    PerLane f = function(value.function);
    const auto first = static_cast<uint32_t>(f[0]);
    for (int32_t& x : f) x = static_cast<int32_t>(static_cast<uint32_t>(x) - first);
    return known(f, 0, now.lanes);
  };
  const LaneValue kept = from_first(now);
  return kept == from_first(before) ? kept : unknown(Reason::Paths);
}

void LaneValues::solve(const WorkgroupShape& shape) {
  in_.assign(graph_.blocks.size(), {});
  std::vector<State> out(graph_.blocks.size());
  const State nothing(registers_, unknown(Reason::NotWritten));
  constexpr int kFreeRounds = 24, kMostRounds = 80;
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
            state[r] = kept(before, state[r]);
          else if (before.known() && state[r].known())
            state[r] = narrowed(before, state[r], round >= kFreeRounds);
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
