// Sources of what registers hold at the start: LLVM, "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State" and "Preloaded Kernel Arguments".
#include "analysis/values/trips.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/values/mask_operation.h"
#include "analysis/values/scalar_values.h"
#include "isa/meaning/sources.h"

namespace wavesmith::analysis {
namespace {

enum class Relation : uint8_t { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

/// `left` compared with `right`.
struct Comparison {
  Formula left, right;
  Relation relation = Relation::Equal;
  bool is_signed = true;
};

Relation inverse(Relation r) {
  constexpr std::array kOf{Relation::GreaterEqual, Relation::Greater,  Relation::LessEqual,
                           Relation::Less,         Relation::NotEqual, Relation::Equal};
  return kOf[static_cast<size_t>(r)];
}
Relation turned(Relation r) {
  constexpr std::array kOf{Relation::Greater,   Relation::GreaterEqual, Relation::Less,
                           Relation::LessEqual, Relation::Equal,        Relation::NotEqual};
  return kOf[static_cast<size_t>(r)];
}

bool holds(Relation relation, bool is_signed, int64_t left, int64_t right) {
  // Registers have 32 bits.
  const auto l = static_cast<uint32_t>(left), r = static_cast<uint32_t>(right);
  const int64_t a = is_signed ? int64_t{static_cast<int32_t>(l)} : int64_t{l};
  const int64_t b = is_signed ? int64_t{static_cast<int32_t>(r)} : int64_t{r};
  switch (relation) {
    case Relation::Less:
      return a < b;
    case Relation::LessEqual:
      return a <= b;
    case Relation::Greater:
      return a > b;
    case Relation::GreaterEqual:
      return a >= b;
    case Relation::Equal:
      return a == b;
    case Relation::NotEqual:
      return a != b;
  }
  return false;
}

struct TripCount {
  std::optional<double> value;
  std::string formula, because;
};

/// "what ends it is loaded from memory" of "it is loaded from memory".
std::string reason(std::string_view what, const std::string& because) {
  return because.starts_with("it ") ? fmt::format("{} {}", what, because.substr(3))
                                    : fmt::format("of {}, {}", what, because);
}

TripCount unknown(std::string because) { return {{}, {}, std::move(because)}; }

class TripCounter {
 public:
  TripCounter(const Code& code, const Graph& graph, const EntryValues& entry)
      : code_(code), graph_(graph), entry_(entry) {}

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
    const auto stays = comparison(l, exit, values, because);
    if (!stays) return unknown(because);
    return solve(l, *stays, exit == latch, values);
  }

  /// The instruction before `i`, in its block or in the blocks that alone lead there, that writes `r`.
  [[nodiscard]] uint32_t writer_before(uint32_t i, uint16_t r) const {
    constexpr int kMostBlocks = 8;
    for (int blocks = 0; blocks < kMostBlocks; ++blocks) {
      const Block& block = graph_.blocks[graph_.block_of[i]];
      for (uint32_t at = i; at-- > block.begin;)
        if (code_.effects[at].writes_register(r)) return at;
      if (block.predecessors.size() != 1) return kNone;
      i = graph_.blocks[block.predecessors.front()].end;
      if (i == 0) return kNone;
      // `end` belongs to the next block; step from there.
      const Block& before = graph_.blocks[block.predecessors.front()];
      for (uint32_t at = before.end; at-- > before.begin;)
        if (code_.effects[at].writes_register(r)) return at;
      i = before.begin;
      if (i == block.begin) return kNone;
    }
    return kNone;
  }

  /// What instruction `i` compares, when it is a comparison of whole numbers of 32 bits.
  std::optional<Comparison> compared(uint32_t i, ScalarValues& values) const {
    const isa::Expression* const expression = meaning_of(i);
    if (!expression || expression->results().size() != 1) return std::nullopt;
    isa::Expression::Id root = expression->results().front();
    const bool inverted = expression->is_complement(root, root);
    const isa::Node& node = expression->node(root);
    Comparison out;
    if (node.from != 32 ||
        (node.op != isa::Op::Equal && node.op != isa::Op::Less && node.op != isa::Op::LessSigned))
      return std::nullopt;
    out.relation = node.op == isa::Op::Equal ? Relation::Equal : Relation::Less;
    out.is_signed = node.op != isa::Op::Less;
    if (inverted) out = not_of(std::move(out));
    // As printed: "a > b" is the expression "b < a".
    isa::Expression::Id left = node.arguments[0], right = node.arguments[1];
    if (left > right) {
      std::swap(left, right);
      out.relation = turned(out.relation);
    }
    out.left = values.meaning(i, left), out.right = values.meaning(i, right);
    return out;
  }

  [[nodiscard]] const isa::Expression* meaning_of(uint32_t i) const {
    const isa::Row* const row = code_.rows[i];
    return row && row->meaning && isa::is_plain(code_.instructions[i]) ? row->meaning() : nullptr;
  }

  static Comparison not_of(Comparison c) {
    c.relation = inverse(c.relation);
    return c;
  }

  /// When SCC is `set` before instruction `i`.
  std::optional<Comparison> when_scc(uint32_t i, bool set, ScalarValues& values) const {
    const uint32_t writer = writer_before(i, reg::kScc);
    if (writer == kNone) return std::nullopt;
    auto c = compared(writer, values);
    if (c && !set) c = not_of(std::move(*c));
    return c;
  }

  /// When a mask of lanes, uniform or each lane for itself, is set in `range` before instruction `i`.
  std::optional<Comparison> when_mask(uint32_t i, Range range, bool set, ScalarValues& values,
                                      int depth) const {
    const uint32_t writer = writer_before(i, range.first);
    if (writer == kNone || depth == 0) return std::nullopt;
    if (auto c = compared(writer, values)) return set ? std::move(c) : not_of(std::move(*c));
    const auto operation = mask_operation(code_.instructions[writer], code_.rows[writer], code_.wave_lanes);
    if (!operation) return std::nullopt;
    const auto& [op, a, b, complement] = *operation;
    if (op == isa::Op::Select) {
      const auto number = [](const isa::SourcePlace& place) {
        return place.operand && place.operand->kind == isa::Operand::Kind::Integer;
      };
      if (!number(a) || !number(b) || (a.operand->bits == 0) == (b.operand->bits == 0)) return std::nullopt;
      return when_scc(writer, (a.operand->bits != 0) == set, values);
    }
    if (op == isa::Op::And) {
      // With EXEC, which has all lanes that run.
      if (a.registers.has(reg::kExec))
        return when_mask(writer, b.registers, set != complement, values, depth - 1);
      if (!complement && b.registers.has(reg::kExec))
        return when_mask(writer, a.registers, set, values, depth - 1);
    }
    // Lanes that have left are collected: those that leave now are in the other operand.
    if (op == isa::Op::Or && !complement)
      for (const auto& [one, other] : {std::pair{a, b}, {b, a}})
        if (other.registers == range || other.registers.has(range.first))
          return when_mask(writer, one.registers, set, values, depth - 1);
    return std::nullopt;
  }

  /// What holds as long as the loop goes on.
  std::optional<Comparison> comparison(uint32_t l, uint32_t exit, ScalarValues& values,
                                       std::string& because) const {
    const uint32_t branch = graph_.blocks[exit].end - 1;
    const isa::BranchCondition condition = isa::condition_of(code_.instructions[branch].mnemonic);
    const auto edge = code_.edges.find(branch);
    because = "the condition that ends it is not followed";
    if (edge == code_.edges.end() || code_.flow[branch] != isa::Flow::Conditional) return std::nullopt;
    const uint32_t target = code_.at(edge->second.target);
    const bool taken_stays = target != kNone && contains(graph_, l, graph_.block_of[target]);
    std::optional<Comparison> out;
    const bool set_stays = condition.set == taken_stays;
    if (condition.flag == isa::BranchCondition::Flag::Scc) {
      out = when_scc(branch, set_stays, values);
    } else if (condition.flag == isa::BranchCondition::Flag::Vcc) {
      out = when_mask(branch, {reg::kVcc, 1}, set_stays, values, 4);
    } else if (condition.flag == isa::BranchCondition::Flag::Exec) {
      // Lanes leave; the wave goes on while there is one.
      because = "which lanes leave it when is not followed";
      const uint32_t writer = writer_before(branch, reg::kExec);
      if (writer == kNone || !set_stays) return std::nullopt;
      const auto operation = mask_operation(code_.instructions[writer], code_.rows[writer], code_.wave_lanes);
      if (operation && operation->op == isa::Op::And && operation->complement &&
          operation->a.registers.has(reg::kExec))
        out = when_mask(writer, operation->b.registers, false, values, 4);
      else
        out = compared(writer, values);
    }
    if (!out) return std::nullopt;
    for (const Formula* side : {&out->left, &out->right})
      if (!side->known()) {
        because = reason("what ends it", side->because());
        return std::nullopt;
      }
    return out;
  }

  /// The atom of this loop in a formula; "" for none, nullopt for several.
  static std::optional<std::string> carried_in(const Formula& formula, uint32_t l) {
    std::string found;
    for (const auto& [atom, times] : formula.terms()) {
      const bool own = ScalarValues::carried_register(l, atom) != kNone;
      // Inside of a quotient or the like.
      if (!own && atom.find(fmt::format("@{}:", l)) != atom.npos) return std::nullopt;
      if (!own) continue;
      if (!found.empty()) return std::nullopt;
      found = atom;
    }
    return found;
  }

  TripCount solve(uint32_t l, Comparison c, bool at_latch, ScalarValues& values) const {
    constexpr const char* kNotLinear = "what it counts with does not grow by the same amount each pass";
    auto left = carried_in(c.left, l), right = carried_in(c.right, l);
    if (!left || !right || (!left->empty() && !right->empty())) return unknown(kNotLinear);
    if (left->empty() && right->empty()) return unknown("what ends it does not change in it");
    if (left->empty()) {
      std::swap(c.left, c.right);
      std::swap(left, right);
      c.relation = turned(c.relation);
    }
    const auto r = static_cast<uint16_t>(ScalarValues::carried_register(l, *left));
    const Formula atom = Formula::name(*left);
    const Formula next = values.at_end(graph_.loops[l].latches.front(), r);
    if (!next.known()) return unknown(reason("what it counts with", next.because()));
    if (next.times(*left) != 1) return unknown(kNotLinear);
    const Formula gain = next - atom;
    if (carried_in(gain, l) != "") return unknown(kNotLinear);
    const Formula start = before_loop(l, r, values);
    if (!start.known()) return unknown(reason("what it starts with", start.because()));
    const int64_t factor = c.left.times(*left);
    const Formula first = c.left.without(*left) + start * Formula::constant(factor);
    const Formula step = gain * Formula::constant(factor);
    if (!first.known() || !step.known()) return unknown(kNotLinear);
    return passes(c, first, step, at_latch, l);
  }

  Formula before_loop(uint32_t l, uint16_t r, ScalarValues& values) const {
    const Loop& loop = graph_.loops[l];
    std::optional<Formula> start;
    for (const uint32_t p : graph_.blocks[loop.header].predecessors) {
      if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), p)) continue;
      Formula one = values.at_end(p, r);
      if (start && !(*start == one)) return Formula::unknown("it depends on the path");
      start = std::move(one);
    }
    if (start) return *start;
    const auto found = entry_.registers.find(r);
    return found == entry_.registers.end() ? Formula::unknown("nothing in sight sets it") : found->second;
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
