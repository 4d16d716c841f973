#include "validate/programs/issue_fit.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace wavesmith::validate {
namespace {

/// A delta that differs costs one, and up to half as much more by how far it is off, so that a fit finds its
/// way.
constexpr double kFar = 16;
/// A trace tells a constant where another value costs it as much as this.
constexpr double kTelling = 0.5;

template <auto kField>
IssueConstant constant(std::string_view name, uint16_t before, uint16_t first, uint16_t last,
                       uint16_t step = 1, std::string_view kin = {}) {
  return {name,
          before,
          first,
          last,
          step,
          kin,
          [](const isa::IssueRules& rules) { return static_cast<uint16_t>(rules.*kField); },
          [](isa::IssueRules& rules, uint16_t value) {
            rules.*kField = static_cast<std::remove_reference_t<decltype(rules.*kField)>>(value);
          }};
}

}  // namespace

std::span<const IssueConstant> issue_constants() {
  using R = isa::IssueRules;
  // Where a VALU result goes to another pipe, before: the VALU's latency (LLVM 22, SISchedule.td). Kin: the
  // same pipe's result on its way to another pipe; of a branch that is taken the scalar unit's, whose result
  // the address is, of one that is passed the sequencer's own turn behind another instruction. A memory
  // instruction that has not read its registers is counted (LLVM, AMDGPU/gfx11_waitcnt_depctr, VM_VSRC) as a
  // SALU instruction under way is. How far behind issue the VALU executes: as far as the sequencer's own turn
  // is behind another instruction; matrix instructions as others.
  static const std::vector<IssueConstant> all{
      constant<&R::scalar_to_memory>("SALU to memory", 1, 1, 24, 1, "SALU to a branch"),
      constant<&R::scalar_to_branch>("SALU to a branch", 1, 1, 24, 1, "SALU to SMEM"),
      constant<&R::scalar_to_scalar_memory>("SALU to SMEM", 1, 1, 24, 1, "SALU to a branch"),
      constant<&R::vector_to_overwrite>("VALU to a SALU instruction that overwrites what it reads", 5, 1, 24,
                                        1, "VALU to SALU"),
      constant<&R::vector_to_scalar>("VALU to SALU", 5, 1, 24, 1,
                                     "VALU to a SALU instruction that overwrites what it reads"),
      constant<&R::vector_to_memory>("VALU to memory", 5, 1, 32, 1, "VALU to a branch"),
      constant<&R::vector_to_branch>("VALU to a branch", 5, 1, 32, 1, "VALU to memory"),
      constant<&R::dual_to_memory>("dual instruction to memory", 5, 1, 32, 1, "VALU to memory"),
      constant<&R::carry>("lane mask from VALU to VALU", 5, 1, 8),
      constant<&R::branch_passed>("branch passed", 1, 1, 16, 1, "memory to a wait"),
      constant<&R::branch_taken>("branch taken", 1, 1, 32, 1, "SALU to SMEM"),
      constant<&R::memory_to_vector>("memory to VALU", 1, 1, 16, 1, "SALU instruction under way"),
      constant<&R::memory_to_wait>("memory to a wait", 1, 1, 16),
      constant<&R::memory_issue>("memory to memory", 1, 1, 8),
      constant<&R::delay_issue>("s_delay_alu", 1, 0, 4),
      constant<&R::scalar_hold>("SALU instruction under way", 7, 1, 12),
      constant<&R::scalar_to_vector>("SALU to VALU", 1, 1, 16, 1, "SALU to SMEM"),
      constant<&R::lds_hold>("LDS operands under way", 6, 0, 12),
      constant<&R::weight_plain>("plain instruction in the VALU's queue", 10, 0, 10, 10),
      constant<&R::weight_wide>("wide instruction in the VALU's queue", 10, 10, 20, 10),
      constant<&R::depth>("VALU queue's depth", 0, 0, 8, 1, "memory to a wait"),
      constant<&R::matrix_depth>("matrix instruction's depth", 0, 0, 12, 1, "VALU queue's depth"),
  };
  return all;
}

std::vector<IssueDelta> deltas_of(const IssueTrace& trace) {
  std::vector<IssueDelta> deltas;
  for (const TracedUnit& unit : trace.units)
    for (const TracedWave& wave : unit.waves)
      for (size_t i = 1; i < wave.rows.size(); ++i) {
        const TracedWave::Row &row = wave.rows[i], &before = wave.rows[i - 1];
        if (!row.counted) continue;
        deltas.push_back({&wave, i, row.cycle - before.cycle,
                          row.late ? 0 : wave.observed.issued[row.site] - wave.observed.issued[before.site]});
      }
  return deltas;
}

void IssueScore::add(const IssueScore& other) {
  n += other.n, exact += other.exact, within4 += other.within4, cost += other.cost;
}

IssueScore score_of(IssueTrace& trace, const isa::IssueRules& rules) {
  replay(trace, &rules);
  IssueScore score;
  for (const IssueDelta& delta : deltas_of(trace)) {
    const auto off = static_cast<double>(delta.off());
    ++score.n;
    score.exact += delta.off() == 0;
    score.within4 += delta.off() <= 4;
    if (delta.off() != 0) score.cost += 1 + std::min(off, kFar) / (2 * kFar);
  }
  return score;
}

IssueFit::IssueFit(std::span<IssueTrace* const> traces) {
  for (IssueTrace* const trace : traces)
    if (trace->target->is(isa::kRdna)) traces_.push_back(trace);
  const auto constants = issue_constants();
  // From where nothing holds anything up, and from the middle of every range: what limits together can not be
  // found one by one.
  std::vector<Value> before, middle;
  for (const IssueConstant& each : constants) {
    before.push_back({each.before, false});
    middle.push_back(
        {static_cast<uint16_t>(each.first + (each.last - each.first) / (2 * each.step) * each.step), false});
  }
  values_ = before;
  best_ = cost();
  descend();
  const auto found = std::pair(best_, values_);
  values_ = middle;
  best_ = cost();
  descend();
  if (found.first <= best_) std::tie(best_, values_) = found;
  look_what_is_told();
}

isa::IssueRules IssueFit::rules(const isa::Target& target) const {
  isa::IssueRules rules = isa::issue_rules(target);
  // The tables' weights were fitted on one trace: here an instruction is an entry of the queue, or one for
  // each cycle; whether plain and wide ones are, the traces tell.
  rules.weight_transcendental = rules.weight_matrix = 10;
  rules.weight_multiply = 40;
  const auto constants = issue_constants();
  for (size_t i = 0; i < constants.size(); ++i) constants[i].set(rules, values_[i].value);
  return rules;
}

double IssueFit::cost() const {
  double sum = 0;
  for (IssueTrace* const trace : traces_) sum += score_of(*trace, rules(*trace->target)).cost;
  return sum;
}

void IssueFit::descend() {
  const auto constants = issue_constants();
  for (double before = best_ + 1; best_ < before - 1e-9;) {
    before = best_;
    for (size_t i = 0; i < constants.size(); ++i) {
      uint16_t chosen = values_[i].value;
      for (uint16_t value = constants[i].first; value <= constants[i].last; value += constants[i].step) {
        values_[i].value = value;
        if (const double now = cost(); now < best_ - 1e-9) best_ = now, chosen = value;
      }
      values_[i].value = chosen;
    }
  }
}

/// What can be anything goes back to what it was before, also where that explains the traces exactly as well;
/// or to what its kin is, where that costs them less than what tells a constant.
void IssueFit::look_what_is_told() {
  const auto constants = issue_constants();
  for (size_t i = 0; i < constants.size(); ++i) {
    const uint16_t fitted = values_[i].value;
    for (const uint16_t other : {constants[i].before, constants[i].first, constants[i].last}) {
      values_[i].value = other;
      values_[i].told |= cost() > best_ + kTelling;
    }
    values_[i].value = constants[i].before;
    if (values_[i].told && cost() > best_ + 1e-9) values_[i].value = fitted;
  }
  for (size_t i = 0; i < constants.size(); ++i) {
    const auto kin = std::ranges::find(constants, constants[i].kin, &IssueConstant::name);
    if (kin == constants.end()) continue;
    const Value like = values_[static_cast<size_t>(kin - constants.begin())], fitted = values_[i];
    if (!like.told) continue;
    values_[i].value = like.value;
    if (fitted.told && cost() > best_ + kTelling) values_[i] = fitted;
  }
}

}  // namespace wavesmith::validate
