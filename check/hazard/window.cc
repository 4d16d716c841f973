#include "check/hazard/window.h"

#include <fmt/format.h>

#include <bit>

#include "isa/cost/cost.h"

namespace wavesmith::check::hazard {
namespace {

/// States that a taken branch lasts beyond those of isa/cost, where kernels of AMD's own rely on it: causal
/// attention of AITER 0.1.7 reads a result of eight passes by the VALU behind three instructions and one
/// branch.
constexpr uint64_t kMoreOfBranches = 1;

/// The first register that both sets have; count 0: none.
isa::RegisterRange first_common(const Registers& a, const Registers& b) {
  for (const isa::RegisterRange one : a)
    for (const isa::RegisterRange other : b)
      if (const isa::RegisterRange both = common(one, other); both.count) return both;
  return {};
}

bool covers(const Registers& written, isa::RegisterRange registers) {
  return std::ranges::any_of(written,
                             [&](isa::RegisterRange one) { return common(one, registers) == registers; });
}

std::string states_text(uint64_t count) {
  return fmt::format("{} wait state{}", count, count == 1 ? "" : "s");
}

}  // namespace

Window::Window(const isa::Target& target) : target_(target) {
  const isa::IssueRules& cycles = isa::issue_rules(target);
  branch_taken_ = static_cast<uint64_t>(std::max(1, cycles.branch_taken_least / cycles.quantum) - 1);
}

bool Window::overwritten(uint64_t number, isa::RegisterRange registers) const {
  if (registers == kItself) return false;
  for (uint64_t i = number + 1; i < count_; ++i) {
    const Parts& parts = past_[i % kKept].facts->parts;
    if (covers(parts.vector_writes, registers) || covers(parts.scalar_writes, registers) ||
        covers(parts.exec_writes, registers))
      return true;
  }
  return false;
}

bool Window::branched_since(uint64_t number, const emulate::Site& site) const {
  const auto jumps = [](const emulate::Site& from, const emulate::Site& to) {
    return from.instruction.pc + from.instruction.size != to.instruction.pc;
  };
  for (uint64_t i = number; i + 1 < count_; ++i)
    if (jumps(*past_[i % kKept].site, *past_[(i + 1) % kKept].site)) return true;
  return jumps(*past_[(count_ - 1) % kKept].site, site);
}

bool Window::reads_valu_scalars(const Parts& parts) const {
  const uint64_t oldest = std::max(drained_, count_ < kShort ? 0 : count_ - kShort);
  for (uint64_t i = count_; i > oldest; --i) {
    const Parts& past = past_[(i - 1) % kKept].facts->parts;
    if (past.valu && first_common(past.scalar_writes, parts.scalar_reads).count) return true;
  }
  return false;
}

bool Window::judge(uint64_t number, const emulate::Site& site, const Facts& facts, uint64_t between,
                   Happened& happened) const {
  const Past& past = past_[number % kKept];
  if (number < stored_ && past.facts->parts.memory) return false;
  const Rule* broken = nullptr;
  uint64_t needed = between;
  isa::RegisterRange about;
  for (uint32_t left = past.facts->first & facts.second; left; left &= left - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(left));
    const isa::RegisterRange both = first_common(of_rule(past.facts->first_registers, past.facts->first, i),
                                                 of_rule(facts.second_registers, facts.second, i));
    if (!both.count) continue;
    const Rule& rule = rules()[i];
    if (rule.scalar && number < drained_) continue;
    const auto states = static_cast<uint64_t>(rule.states(past.facts->parts, facts.parts, target_));
    if (states <= needed || overwritten(number, both)) continue;
    broken = &rule;
    needed = states;
    about = both;
  }
  if (!broken) return false;
  bool certain = true;
  if (broken->practised) {
    const uint64_t states = between + (branched_since(number, site) ? kMoreOfBranches : 0);
    certain = states < static_cast<uint64_t>(broken->practised(past.facts->parts, facts.parts, target_));
  }
  const std::string name = about == kItself ? std::string() : name_of(about) + " ";
  happened = {
      .rule = broken->name,
      .certain = certain ? Certain::Always : Certain::Never,
      .first = past.site,
      .second = &site,
      .did = fmt::format("{}{}", name, broken->did),
      .does = fmt::format("{}{}", name, broken->does),
      .what = fmt::format("{}{}, then {}, {} later where {} needed: {}", name, broken->did, broken->does,
                          states_text(between), needed == 1 ? "1 is" : fmt::format("{} are", needed),
                          certain ? "the hardware does not wait"
                                  : "the manual asks for that, though AMD has kernels with fewer"),
      .fix = fmt::format("put s_nop {} or as many independent instructions between the two",
                         needed - between - 1)};
  return true;
}

}  // namespace wavesmith::check::hazard
