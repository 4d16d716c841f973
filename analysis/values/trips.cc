// Sources of what registers hold at the start: LLVM, "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State" and "Preloaded Kernel Arguments".
#include "analysis/values/trips.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/values/comparison.h"

namespace wavesmith::analysis {
namespace {

struct TripCount {
  std::optional<double> value;
  std::string formula, because;
};

TripCount unknown(std::string because) { return {{}, {}, std::move(because)}; }

class TripCounter {
 public:
  TripCounter(const Code& code, const Graph& graph, const EntryValues& entry)
      : code_(code), graph_(graph), entry_(entry), comparisons_(code, graph, entry) {}

  [[nodiscard]] TripCount count(uint32_t l) const {
    const Loop& loop = graph_.loops[l];
    if (!loop.natural) return unknown("it has several entries");
    if (loop.latches.size() != 1) return unknown("it goes back from several places");
    if (loop.exits.empty()) return unknown("it has no exit that is in sight");
    std::optional<TripCount> all;
    for (const uint32_t exit : loop.exits) {
      TripCount one = count(l, exit);
      if (!one.value && one.formula.empty())
        return loop.exits.size() == 1
                   ? one
                   : unknown(fmt::format("it has {} exits, and of one {}", loop.exits.size(), one.because));
      if (!all) {
        all = std::move(one);
      } else if (all->value && one.value) {
        all->value = std::min(*all->value, *one.value);
      } else {  // the first to be met ends it
        if (all->value) std::swap(*all, one);
        if (!all->formula.starts_with("at most ")) all->formula = "at most " + all->formula;
      }
    }
    return *all;
  }

 private:
  /// Passes until the loop is left from block `exit`.
  [[nodiscard]] TripCount count(uint32_t l, uint32_t exit) const {
    const uint32_t latch = graph_.loops[l].latches.front();
    if (!dominates(graph_, exit, latch)) return unknown("not every pass comes to its exit");
    if (graph_.blocks[exit].loop != l) return unknown("it is left from a loop inside of it");
    ScalarValues values(code_, graph_, entry_);
    std::string because;
    const uint32_t target = branch_target(code_, graph_, exit);
    auto stays = comparisons_.when(exit, target != kNone && contains(graph_, l, target), values, because);
    if (!stays) return unknown(because);
    const auto counting = comparisons_.counting(l, std::move(*stays), values, because);
    if (!counting) return unknown(because);
    return passes(counting->comparison, counting->first, counting->step, exit == latch, l);
  }

  /// Passes of a loop that goes on while `first`, which grows by `step`, relates to c.right.
  TripCount passes(const Comparison& c, const Formula& first, const Formula& step, bool at_latch,
                   uint32_t l) const {
    if (step.value() == 0) return unknown("what it counts with does not change");
    if (first.value() && step.value() && c.right.value()) {
      constexpr int64_t kMost = 1 << 24;
      int64_t passed = 0;
      for (int64_t now = *first.value(); holds(c.relation, c.is_signed, now, *c.right.value());
           now += *step.value())
        if (++passed > kMost) return unknown("it runs for more than 16 million passes");
      return {static_cast<double>(passed + at_latch), {}, {}};
    }
    // What is left to count, counted upwards.
    Formula rest, each = step;
    const bool up = c.relation == Relation::Less || c.relation == Relation::LessEqual;
    const bool down = c.relation == Relation::Greater || c.relation == Relation::GreaterEqual;
    const bool negative = step.value() && *step.value() < 0;
    if ((up && negative) || (down && step.value() && !negative) || c.relation == Relation::Equal)
      return unknown("it runs once or until its count overflows");
    if (down || (c.relation == Relation::NotEqual && negative)) {
      rest = first - c.right;
      each = Formula::constant(0) - step;
    } else {
      rest = c.right - first;
    }
    if (c.relation == Relation::LessEqual || c.relation == Relation::GreaterEqual)
      rest = rest + Formula::constant(1);
    if (at_latch) rest = rest + each;
    if (!rest.known()) return unknown(rest.because());
    return quotient(rest, each, c.relation != Relation::NotEqual, l);
  }

  TripCount quotient(const Formula& rest, const Formula& each, bool rounded, uint32_t l) const {
    for (const Formula* one : {&rest, &each})
      for (const auto& [atom, times] : one->terms())
        if (atom.find('@') != atom.npos)
          return unknown(atom.find(fmt::format("@{}:", l)) != atom.npos
                             ? "it does not count by the same amount each pass"
                         : atom.find(kArguments) != atom.npos
                             ? "it counts addresses"
                             : "it changes with the pass of the loop around it");
    if (each.value()) {
      const int64_t unit = *each.value();
      if (rest.value())
        return {static_cast<double>(
                    std::max<int64_t>(0, rounded ? (*rest.value() + unit - 1) / unit : *rest.value() / unit)),
                {},
                {}};
      if (unit == 1) return {{}, named(rest.text(), {&rest}), {}};
      const bool exact = std::all_of(rest.terms().begin(), rest.terms().end(),
                                     [&](const auto& t) { return t.second % unit == 0; }) &&
                         rest.offset() % unit == 0;
      if (exact) return {{}, named(rest.divided(unit).text(), {&rest}), {}};
      // n + 63 over 64, rounded down, is n over 64, rounded up.
      return {
          {},
          named(fmt::format("{} / {}{}", rest.in_brackets(), unit, rounded ? " rounded up" : ""), {&rest}),
          {}};
    }
    return {
        {},
        named(fmt::format("{} / {}{}", rest.in_brackets(), each.in_brackets(), rounded ? " rounded up" : ""),
              {&rest, &each}),
        {}};
  }

  /// With the numbers of the arguments in it: "k / 64 (k: argument 5)".
  [[nodiscard]] std::string named(const std::string& text,
                                  std::initializer_list<const Formula*> formulas) const {
    std::vector<std::string> names;
    for (const EntryValues::Argument& argument : entry_.arguments) {
      if (argument.number < 0 || argument.name == fmt::format("argument {}", argument.number)) continue;
      bool in = false;
      for (const Formula* formula : formulas)
        for (const auto& [atom, times] : formula->terms()) in |= has_word(atom, argument.name);
      if (in) names.push_back(fmt::format("{}: argument {}", argument.name, argument.number));
    }
    return names.empty() ? text : fmt::format("{} ({})", text, fmt::join(names, ", "));
  }
  static bool has_word(const std::string& text, const std::string& word) {
    const auto letter = [&](size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
    };
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
      if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
    return false;
  }

  const Code& code_;
  const Graph& graph_;
  const EntryValues& entry_;
  Comparisons comparisons_;
};

/// "block count x", as the program knows it.
std::string hidden_name(std::string_view kind) {
  std::string text(kind.substr(std::string_view("hidden_").size()));
  std::replace(text.begin(), text.end(), '_', ' ');
  if (text.starts_with("group size")) text = "workgroup size" + text.substr(10);
  return text;
}

}  // namespace

EntryValues entry_values(const object::Kernel& kernel, const isa::Target& target) {
  EntryValues out;
  int number = 0;
  for (const object::Argument& argument : kernel.arguments) {
    EntryValues::Argument one{argument.offset, argument.size, {}, -1};
    if (argument.hidden()) {
      one.name = hidden_name(argument.value_kind);
    } else {
      one.number = number++;
      // The compiler's own suffix, of what it passes as another type.
      one.name = argument.name.substr(0, argument.name.find(".coerce"));
      if (one.name.empty()) one.name = fmt::format("argument {}", one.number);
    }
    out.arguments.push_back(std::move(one));
  }
  const object::Descriptor& d = kernel.fields;
  uint16_t next = reg::kSgpr;
  next += d.private_segment_buffer() ? 4 : 0;
  next += d.dispatch_ptr() ? 2 : 0;
  next += d.queue_ptr() ? 2 : 0;
  if (d.kernarg_segment_ptr()) {
    out.registers.emplace(next, Formula::name(kArguments));
    next += 2;
  }
  next += d.dispatch_id() ? 2 : 0;
  next += d.flat_scratch_init() ? 2 : 0;
  next += d.private_segment_size() ? 1 : 0;
  const uint32_t preloaded = d.kernarg_preload & 0x7fu, offset = d.kernarg_preload >> 7;
  for (uint32_t i = 0; i < preloaded; ++i)
    for (const EntryValues::Argument& argument : out.arguments)
      if (argument.offset == 4 * (offset + i))
        out.registers.emplace(static_cast<uint16_t>(next + i), Formula::name(argument.name));
  constexpr std::array kAxes{"workgroup x", "workgroup y", "workgroup z"};
  if (target.is(isa::kRdna4)) {
    out.registers.emplace(reg::kTtmp + 9, Formula::name(kAxes[0]));
  } else {
    next = static_cast<uint16_t>(reg::kSgpr + d.user_sgprs());
    for (int axis = 0; axis < 3; ++axis)
      if (d.workgroup_id(axis))
        out.registers.emplace(next++, Formula::name(kAxes[static_cast<size_t>(axis)]));
  }
  // v0 has y and z above, where the kernel asks for these.
  if (d.workitem_id() == 0) out.registers.emplace(reg::kVgpr, Formula::name("work-item"));
  return out;
}

void find_trips(const Code& code, const Graph& graph, const EntryValues& entry, std::vector<Loop>& loops) {
  const TripCounter counter(code, graph, entry);
  for (uint32_t l = 0; l < loops.size(); ++l) {
    const TripCount trips = counter.count(l);
    loops[l].trips = {.value = trips.value, .tag = Tag::Derived, .unknown_because = {}};
    if (trips.value) continue;
    loops[l].trips_formula = trips.formula;
    loops[l].trips.unknown_because = trips.because.empty() ? "it is " + trips.formula : trips.because;
  }
}

}  // namespace wavesmith::analysis
