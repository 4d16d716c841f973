#include "analysis/values/scalar_values.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

namespace wavesmith::analysis {
namespace {

using isa::Operand;

/// Names of all generations without their width and sign, where these change nothing.
bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Formula shifted_right(const Formula& a, const Formula& by) {
  const auto n = by.value();
  if (!a.known()) return a;
  if (!n) return by.known() ? Formula::unknown("it is shifted by what is only known at run time") : by;
  // The sign of what counts is that of a number that is not negative.
  if ((*n & 31) == 31 && !a.value()) return Formula::constant(0);
  return a.divided(int64_t{1} << (*n & 31));
}

Formula shifted_left(const Formula& a, const Formula& by) {
  const auto n = by.value();
  if (!n) return by.known() ? Formula::unknown("it is shifted by what is only known at run time") : by;
  return a * Formula::constant(int64_t{1} << (*n & 31));
}

Formula masked(const Formula& a, const Formula& b) {
  if (!b.value() && a.value()) return masked(b, a);
  if (!a.known()) return a;
  if (!b.known()) return b;
  if (a.value() && b.value())
    return Formula::constant(
        static_cast<int32_t>(static_cast<uint32_t>(*a.value()) & static_cast<uint32_t>(*b.value())));
  if (!b.value()) return Formula::unknown("it is a mask of what is only known at run time");
  const auto mask = static_cast<uint32_t>(*b.value());
  // Low bits off: a multiple of a power of two. 0x7ffffff8 and 0xfffffff8 are the same for what is not
  // negative.
  const uint32_t low = (mask & 0x7fffffff) | (mask & 0x40000000 ? 0x80000000 : 0);
  if (low != 0 && (~low & (~low + 1)) == 0) {
    const int64_t unit = int64_t{~low} + 1;
    return unit == 1 ? a
                     : Formula::name(fmt::format("{} / {}", a.in_brackets(), unit)) * Formula::constant(unit);
  }
  if ((mask & (mask + 1)) == 0)
    return Formula::name(fmt::format("{} % {}", a.in_brackets(), int64_t{mask} + 1));
  return Formula::unknown("it is a mask that is not followed");
}

}  // namespace

std::string ScalarValues::carried(uint32_t loop, uint16_t r) { return fmt::format("@{}:{}", loop, r); }

uint32_t ScalarValues::carried_register(uint32_t loop, const std::string& atom) {
  const std::string head = fmt::format("@{}:", loop);
  uint32_t r = kNone;
  if (atom.starts_with(head)) std::from_chars(atom.data() + head.size(), atom.data() + atom.size(), r);
  return r;
}

bool ScalarValues::writes(uint32_t block, uint16_t r) const {
  for (uint32_t i = graph_.blocks[block].begin; i < graph_.blocks[block].end; ++i)
    if (code_.effects[i].writes_register(r) || code_.flow[i] == isa::Flow::Call ||
        code_.flow[i] == isa::Flow::IndirectCall)
      return true;
  return false;
}

/// Whether a block on a way from `dominator` to `block`, these two apart, writes `r`.
bool ScalarValues::written_between(uint32_t dominator, uint32_t block, uint16_t r) const {
  std::set<uint32_t> seen{dominator, block};
  std::vector<uint32_t> work(graph_.blocks[block].predecessors);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (!seen.insert(b).second) continue;
    if (writes(b, r)) return true;
    work.insert(work.end(), graph_.blocks[b].predecessors.begin(), graph_.blocks[b].predecessors.end());
  }
  return false;
}

uint32_t ScalarValues::writer_in_block(uint32_t i, uint16_t r) const {
  const uint32_t begin = graph_.blocks[graph_.block_of[i]].begin;
  while (i-- > begin)
    if (code_.effects[i].writes_register(r)) return i;
  return kNone;
}

Formula ScalarValues::before(uint32_t i, uint16_t r) {
  const uint32_t b = graph_.block_of[i];
  for (uint32_t at = i; at-- > graph_.blocks[b].begin;) {
    if (code_.flow[at] == isa::Flow::Call || code_.flow[at] == isa::Flow::IndirectCall)
      return Formula::unknown("what a callee leaves is not followed");
    if (code_.effects[at].writes_register(r)) return written(at, r);
  }
  return at_begin(b, r);
}

Formula ScalarValues::at_end(uint32_t block, uint16_t r) {
  const uint32_t last = graph_.blocks[block].end - 1;
  if (code_.effects[last].writes_register(r)) return written(last, r);
  return before(last, r);
}

Formula ScalarValues::at_begin(uint32_t b, uint16_t r) {
  // Ways that meet are gone several times: a limit on all steps, and one on how deep they go.
  constexpr int kMostSteps = 2000, kDeepest = 120;
  if (++steps_ > kMostSteps || depth_ > kDeepest) return Formula::unknown("it is too long a computation");
  struct Deeper {
    int& depth;
    explicit Deeper(int& d) : depth(d) { ++depth; }
    ~Deeper() { --depth; }
  } const deeper(depth_);
  const Block& block = graph_.blocks[b];
  const uint32_t l = block.loop;
  const bool header = l != kNone && graph_.loops[l].header == b;
  if (!header && b == graph_.functions.front().entry && block.predecessors.empty()) {
    const auto found = entry_.registers.find(r);
    return found == entry_.registers.end() ? Formula::unknown("nothing in sight sets what it counts to")
                                           : found->second;
  }
  std::vector<uint32_t> from = block.predecessors;
  if (header) {
    const Loop& loop = graph_.loops[l];
    if (!loop.natural) return Formula::unknown("the loop has several entries");
    if (std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](uint32_t own) { return writes(own, r); }))
      return Formula::name(carried(l, r));
    std::erase_if(from,
                  [&](uint32_t p) { return std::binary_search(loop.blocks.begin(), loop.blocks.end(), p); });
    if (from.empty()) {  // the code begins with the loop
      const auto found = entry_.registers.find(r);
      return found == entry_.registers.end() ? Formula::unknown("nothing in sight sets what it counts to")
                                             : found->second;
    }
  }
  if (from.empty()) return Formula::unknown("a caller decides");
  if (from.size() == 1) return at_end(from.front(), r);
  if (block.dominator != kNone && !header && !written_between(block.dominator, b, r))
    return at_end(block.dominator, r);
  const Formula first = at_end(from.front(), r);
  for (const uint32_t p : from)
    if (first.known() && !(at_end(p, r) == first)) return Formula::unknown("it depends on the path");
  return first;
}

Formula ScalarValues::operand(const Operand& operand, uint32_t i, uint16_t part) {
  if (operand.kind == Operand::Kind::Integer) {
    const int64_t number = constant_of(code_.instructions[i], operand);
    return Formula::constant(part == 0 ? static_cast<int32_t>(number) : number < 0 ? -1 : 0);
  }
  if (operand.negate || operand.absolute || operand.half != Operand::Half::Whole || operand.sign_extend)
    return Formula::unknown("it is computed in a way that is not followed");
  const Range range = registers_of(operand, code_.wave_lanes);
  if (part >= range.count) return Formula::unknown("it is computed in a way that is not followed");
  return before(i, static_cast<uint16_t>(range.first + part));
}

Formula ScalarValues::loaded(uint32_t i, uint16_t part) {
  const isa::Instruction& in = code_.instructions[i];
  constexpr const char* kLoaded = "it is loaded from memory";
  if (!in.mnemonic.starts_with("s_load") || in.operands.size() < 2) return Formula::unknown(kLoaded);
  Formula address = operand(in.operands[1], i);
  if (in.operands.size() > 2) address = address + operand(in.operands[2], i);
  if (const int64_t offset = in.value("offset")) address = address + Formula::constant(offset);
  const Formula offset = address - Formula::name(kArguments) + Formula::constant(4 * part);
  if (!address.known() || !offset.value() || *offset.value() < 0) return Formula::unknown(kLoaded);
  const int64_t at = *offset.value();
  for (const EntryValues::Argument& argument : entry_.arguments)
    if (at == argument.offset) return Formula::name(argument.name);
  for (const EntryValues::Argument& argument : entry_.arguments)
    if (at > argument.offset && at < argument.offset + int64_t{argument.size})
      return Formula::name(fmt::format("{}[{}]", argument.name, at - argument.offset));
  return Formula::name(fmt::format("argument at byte {}", at));
}

Formula ScalarValues::written(uint32_t i, uint16_t r) {
  const isa::Instruction& in = code_.instructions[i];
  const std::string_view name = in.mnemonic;
  constexpr const char* kOther = "it is computed in a way that is not followed";
  const auto& own = in.operands;
  if (own.empty() || !in.second.empty() || in.encoding == isa::Encoding::Dpp ||
      in.encoding == isa::Encoding::Sdwa)
    return Formula::unknown(kOther);
  const Range result = registers_of(own[0], code_.wave_lanes);
  if (!result.has(r)) return Formula::unknown(kOther);
  const auto part = static_cast<uint16_t>(r - result.first);
  if (const isa::Row* const row = code_.rows[i]; row && row->shape == isa::Shape::Memory)
    return loaded(i, part);
  const size_t first = is_one_of(name, {"v_mad_u64_u32", "v_mad_co_u64_u32", "v_add_co_u32", "v_sub_co_u32",
                                        "v_subrev_co_u32"})
                           ? 2
                           : 1;
  const auto at = [&](size_t n) { return n < own.size() ? operand(own[n], i) : Formula::unknown(kOther); };
  const auto a = [&] { return at(first); };
  const auto b = [&] { return at(first + 1); };
  const auto c = [&] { return at(first + 2); };
  if (is_one_of(name, {"s_mov_b32", "s_mov_b64", "v_mov_b32", "v_mov_b64", "s_movk_i32"}))
    return own.size() > 1 ? operand(own[1], i, part) : Formula::unknown(kOther);
  if (name == "v_readfirstlane_b32") return a();
  if (part != 0) return Formula::unknown(kOther);
  if (is_one_of(name, {"s_add_i32", "s_add_u32", "s_add_co_i32", "s_add_co_u32", "s_add_nc_u64", "s_add_u64",
                       "v_add_u32", "v_add_nc_u32", "v_add_i32", "v_add_co_u32"}))
    return a() + b();
  if (is_one_of(name, {"s_sub_i32", "s_sub_u32", "s_sub_co_i32", "s_sub_co_u32", "v_sub_u32", "v_sub_nc_u32",
                       "v_sub_co_u32"}))
    return a() - b();
  if (is_one_of(name, {"v_subrev_u32", "v_subrev_nc_u32", "v_subrev_co_u32"})) return b() - a();
  if (is_one_of(name, {"s_addk_i32", "s_addk_co_i32"})) return operand(own[0], i) + a();
  if (name == "s_mulk_i32") return operand(own[0], i) * a();
  if (is_one_of(name, {"s_mul_i32", "v_mul_lo_u32", "v_mul_u32_u24", "v_mul_i32_i24"})) return a() * b();
  if (is_one_of(name, {"v_mad_u32_u24", "v_mad_i32_i24", "v_mad_u64_u32", "v_mad_co_u64_u32"}))
    return a() * b() + c();
  if (is_one_of(name, {"s_lshl_b32", "s_lshl_b64"})) return shifted_left(a(), b());
  if (name == "v_lshlrev_b32") return shifted_left(b(), a());
  if (is_one_of(name, {"s_lshr_b32", "s_ashr_i32"})) return shifted_right(a(), b());
  if (is_one_of(name, {"v_lshrrev_b32", "v_ashrrev_i32"})) return shifted_right(b(), a());
  if (is_one_of(name, {"s_and_b32", "v_and_b32"})) {
    const Formula x = a(), y = b();
    // A whole argument of 16 bits, loaded with what lies behind it.
    for (const EntryValues::Argument& argument : entry_.arguments)
      for (const auto& [value, mask] : {std::pair{&x, &y}, {&y, &x}})
        if (argument.size == 2 && mask->value() == 0xffff && *value == Formula::name(argument.name))
          return *value;
    return masked(x, y);
  }
  if (name == "v_lshl_add_u32") return shifted_left(a(), b()) + c();
  if (name == "v_add_lshl_u32") return shifted_left(a() + b(), c());
  if (name == "v_add3_u32") return a() + b() + c();
  if (name == "s_lshl1_add_u32") return a() * Formula::constant(2) + b();
  if (name == "s_lshl2_add_u32") return a() * Formula::constant(4) + b();
  if (name == "s_lshl3_add_u32") return a() * Formula::constant(8) + b();
  if (name == "s_lshl4_add_u32") return a() * Formula::constant(16) + b();
  for (const auto& [mnemonic, function] :
       {std::pair{"s_min_i32", "min"}, {"s_min_u32", "min"}, {"s_max_i32", "max"}, {"s_max_u32", "max"}}) {
    if (name != mnemonic) continue;
    const Formula x = a(), y = b();
    if (x.value() && y.value())
      return Formula::constant(function[1] == 'i' ? std::min(*x.value(), *y.value())
                                                  : std::max(*x.value(), *y.value()));
    return Formula::call(function, x, y);
  }
  return Formula::unknown(kOther);
}

}  // namespace wavesmith::analysis
