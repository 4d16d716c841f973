#include "analysis/code.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "isa/control/row.h"
#include "isa/llvm/decoder.h"
#include "isa/meaning/evaluate.h"
#include "isa/meaning/sources.h"
#include "isa/rows.h"

namespace wavesmith::analysis {
namespace {

using isa::Flow;
using isa::Instruction;
using isa::Operand;

/// The addresses that code puts together in SGPRs to branch or to call: the program counter and what scalar
/// instructions make of it and of constants. Followed in straight lines.
class ScalarConstants {
 public:
  void step(const Instruction& in, const isa::Row* row, const Effects& effects) {
    if (row && row->shape == isa::Shape::Scalar && row->meaning) return compute(in, *row, effects);
    forget(effects);
    if (isa::operation_of(in.mnemonic) == isa::Operation::ProgramCounter) set(in.operands, in.pc + in.size);
  }
  void clear() { known_ = {}, scc_.reset(); }
  /// Of a register, a pair or a constant.
  [[nodiscard]] std::optional<uint64_t> value(const std::vector<Operand>& printed, size_t i) const {
    return i < printed.size() ? value(printed[i]) : std::nullopt;
  }

 private:
  void compute(const Instruction& in, const isa::Row& row, const Effects& effects) {
    isa::Numbers domain{[&](const isa::Node& node) -> std::optional<uint64_t> {
      const isa::SourcePlace place = isa::source_place(in, row, node.constant, 64);
      if (place.role.type == isa::Type::Scc) return scc_;
      return place.operand ? value(*place.operand) : std::nullopt;
    }};
    isa::Evaluation evaluation(*row.meaning(), domain);
    std::optional<uint64_t> printed, scc;
    int result = 0;
    for (int r = 0; r < row.count && row.roles[r].use == isa::Role::Use::Write; ++r, ++result) {
      if (row.roles[r].printed) printed = evaluation.result(static_cast<size_t>(result));
      if (row.roles[r].type == isa::Type::Scc) scc = evaluation.result(static_cast<size_t>(result));
    }
    forget(effects);
    if (printed) set(in.operands, *printed);
    if (scc) scc_ = scc;
  }
  void set(const std::vector<Operand>& printed, uint64_t result) {
    if (printed.empty() || printed[0].kind != Operand::Kind::Sgpr) return;
    for (uint16_t i = 0; i < printed[0].count && i < 2; ++i)
      if (printed[0].index + i < 106)
        known_[printed[0].index + i] = static_cast<uint32_t>(i ? result >> 32 : result);
  }
  [[nodiscard]] std::optional<uint64_t> value(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Integer) return static_cast<uint64_t>(operand.bits);
    if (operand.kind != Operand::Kind::Sgpr || operand.index + operand.count > 106) return std::nullopt;
    const auto low = known_[operand.index];
    if (!low || operand.count == 1) return low ? std::optional<uint64_t>(*low) : std::nullopt;
    const auto high = known_[operand.index + 1];
    if (!high || operand.count != 2) return std::nullopt;
    return *low | uint64_t{*high} << 32;
  }
  void forget(const Effects& effects) {
    for (const Range range : effects.writes)
      for (uint16_t r = range.first; r < range.first + range.count; ++r) {
        if (r == reg::kScc) scc_.reset();
        if (r >= reg::kSgpr && r < reg::kSgpr + 106) known_[r - reg::kSgpr].reset();
      }
  }
  std::array<std::optional<uint32_t>, 106> known_{};
  std::optional<uint64_t> scc_;
};

struct Reader {
  const isa::Target& target;
  std::span<const uint8_t> bytes;
  uint64_t address;
  isa::Decoder& decoder;
  Code& code;
  std::vector<uint64_t> work;
  std::map<uint16_t, bool> links;  ///< registers that calls leave their return address in

  [[nodiscard]] bool inside(uint64_t pc) const { return pc >= address && pc - address < bytes.size(); }

  void unknown(uint32_t at, std::string what, std::string because) {
    code.unknown.push_back({at, std::move(what), std::move(because)});
  }

  void goes_to(uint32_t from, Edge::Kind kind, uint64_t to) {
    if (!inside(to) || to % 4 != 0) {
      code.edges[from] = {Edge::Kind::Unknown, 0};
      unknown(from, kind == Edge::Kind::Call ? "call" : "branch",
              fmt::format("it goes out of the code, to {:#x}", to));
      return;
    }
    code.edges[from] = {kind, to};
    work.push_back(to);
    if (kind == Edge::Kind::Call &&
        std::find(code.functions.begin(), code.functions.end(), to) == code.functions.end())
      code.functions.push_back(to);
  }

  /// Where an instruction goes; false when the next one is not reached.
  bool follow(uint32_t at, const ScalarConstants& constants) {
    const Instruction& in = code.instructions[at];
    const auto& printed = in.operands;
    switch (code.flow[at]) {
      case Flow::Branch:
      case Flow::Conditional:
        goes_to(at, Edge::Kind::Jump, isa::branch_target(in));
        break;
      case Flow::Call:
        if (!printed.empty() && printed[0].kind == Operand::Kind::Sgpr) links[printed[0].index] = true;
        goes_to(at, Edge::Kind::Call, isa::branch_target(in));
        break;
      case Flow::IndirectCall:
        if (!printed.empty() && printed[0].kind == Operand::Kind::Sgpr) links[printed[0].index] = true;
        if (const auto to = constants.value(printed, 1)) {
          goes_to(at, Edge::Kind::Call, *to);
        } else {
          code.edges[at] = {Edge::Kind::Unknown, 0};
          unknown(at, "indirect call", "the callee's address is not put together from constants next to it");
        }
        break;
      case Flow::Indirect:
        if (const auto to = constants.value(printed, 0)) {
          goes_to(at, Edge::Kind::Jump, *to);
        } else {
          code.edges[at] = {Edge::Kind::Unknown, 0};  // a return, perhaps: known when all calls are
        }
        break;
      default:
        break;
    }
    return isa::goes_on(code.flow[at]);
  }

  /// Decodes from `pc` on until the flow ends or reaches what is decoded.
  Result<void> run(uint64_t pc) {
    ScalarConstants constants;
    while (inside(pc) && !code.index.contains(pc)) {
      auto decoded = decoder.decode(bytes.subspan(pc - address), pc);
      if (!decoded) {
        const uint32_t before = code.instructions.empty() ? kNone : static_cast<uint32_t>(code.size() - 1);
        if (before == kNone) return tl::unexpected(decoded.error());
        unknown(before, "code that can't be decoded", decoded.error().text());
        return {};
      }
      if (code.size() >= kMostInstructions)
        return fail(ErrorKind::Unsupported,
                    fmt::format("a kernel of more than {} instructions", kMostInstructions));
      const auto at = static_cast<uint32_t>(code.size());
      code.index.emplace(pc, at);
      code.flow.push_back(isa::flow_of(decoded->mnemonic));
      code.rows.push_back(decoded->second.empty() ? isa::find_row(decoded->mnemonic, target) : nullptr);
      code.effects.push_back(effects_of(*decoded, code.rows.back(), target, code.wave_lanes));
      const uint32_t size = decoded->size;
      code.instructions.push_back(std::move(*decoded));
      const bool next = code.flow[at] == Flow::Next || follow(at, constants);
      if (!next) return {};
      if (code.flow[at] != Flow::Next) constants.clear();
      constants.step(code.instructions[at], code.rows[at], code.effects[at]);
      pc += size;
    }
    if (!inside(pc))
      unknown(static_cast<uint32_t>(code.size() - 1), "flow of control", "it runs past the end of the code");
    return {};
  }
};

/// Instructions in the order of their pcs.
void sort(Code& code) {
  std::vector<uint32_t> order(code.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return code.instructions[a].pc < code.instructions[b].pc; });
  std::vector<uint32_t> place(code.size());
  Code sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.instructions.push_back(std::move(code.instructions[order[i]]));
    sorted.rows.push_back(code.rows[order[i]]);
    sorted.effects.push_back(std::move(code.effects[order[i]]));
    sorted.flow.push_back(code.flow[order[i]]);
    sorted.index.emplace(sorted.instructions.back().pc, i);
  }
  for (const auto& [at, edge] : code.edges) sorted.edges[place[at]] = edge;
  for (Unknown& unknown : code.unknown) unknown.instruction = place[unknown.instruction];
  code.instructions = std::move(sorted.instructions);
  code.rows = std::move(sorted.rows);
  code.effects = std::move(sorted.effects);
  code.flow = std::move(sorted.flow);
  code.index = std::move(sorted.index);
  code.edges = std::move(sorted.edges);
}

}  // namespace

Result<Code> read_code(const isa::Target& target, int wave_lanes, std::span<const uint8_t> bytes,
                       uint64_t address, uint64_t entry) {
  auto decoder = isa::Decoder::create(target, wave_lanes);
  if (!decoder) return tl::unexpected(decoder.error());
  Code code;
  code.target = &target;
  code.wave_lanes = wave_lanes;
  code.entry = entry;
  Reader reader{target, bytes, address, *decoder, code, {entry}, {}};
  if (!reader.inside(entry))
    return fail(ErrorKind::BadInput, "the kernel's entry lies outside of the code",
                fmt::format("pc {:#x}", entry));
  while (!reader.work.empty()) {
    const uint64_t pc = reader.work.back();
    reader.work.pop_back();
    if (const auto done = reader.run(pc); !done) return tl::unexpected(done.error());
  }
  if (code.size() == 0) return fail(ErrorKind::BadInput, "no instruction at the kernel's entry");
  // Indirect branches through a register that calls leave their return address in are returns.
  for (auto& [at, edge] : code.edges) {
    if (code.flow[at] != Flow::Indirect || edge.kind != Edge::Kind::Unknown) continue;
    const auto& printed = code.instructions[at].operands;
    if (!printed.empty() && printed[0].kind == Operand::Kind::Sgpr && reader.links.contains(printed[0].index))
      edge.kind = Edge::Kind::Return;
    else
      code.unknown.push_back(
          {at, "indirect branch", "its target is not put together from constants next to it"});
  }
  sort(code);
  std::sort(code.unknown.begin(), code.unknown.end(),
            [](const Unknown& a, const Unknown& b) { return a.instruction < b.instruction; });
  return code;
}

}  // namespace wavesmith::analysis
