#include "validate/programs/issue_trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/analyse.h"
#include "gpus/gpu.h"
#include "isa/llvm/assembler.h"
#include "isa/llvm/decoder.h"
#include "isa/rows.h"

namespace wavesmith::validate {
namespace {

using timing::Control;
using timing::Op;
using timing::OpTable;

/// Cycles after which an instruction without a wait must have come from memory: on CDNA full queues of memory
/// instructions stall for hundreds, on RDNA discover_ops has 250 and more where code is cold.
/// At the first instruction of a line of the cache less will do: little else takes longer than what waits for
/// the FP64 unit, and a SALU instruction behind another waits at most for one that went before it by as many
/// as may be under way, until 7 cycles behind its result of 4.
uint64_t late_after(const isa::Target& target, bool line, bool scalars) {
  return !target.is(isa::kRdna) ? 500 : !line ? 200 : scalars ? 11 : 48;
}
constexpr uint64_t kLine = 64;

struct Columns {
  size_t kernel, simd, wave, pc, inst, cycle;
  std::optional<size_t> engine, exec, packet;
};

Result<Columns> columns_of(const Csv& csv) {
  const auto at = csv.require({"kernel", "wave", "pc", "inst", "issue_cycle"});
  if (!at) return tl::unexpected(at.error());
  Columns c{};
  c.kernel = at->at("kernel");
  c.wave = at->at("wave");
  c.pc = at->at("pc");
  c.inst = at->at("inst");
  c.cycle = at->at("issue_cycle");
  c.simd = csv.column("simd").value_or(c.wave);
  c.engine = csv.column("se");
  c.exec = csv.column("exec");
  c.packet = csv.column("packet");
  return c;
}

/// Which generation's thread trace it is, by its kinds of packets.
const isa::Target& target_of(const Csv& csv, const Columns& columns) {
  isa::Generations generation = isa::kRdna3;
  for (size_t row = 0; row < csv.rows(); ++row) {
    const std::string_view packet = columns.packet ? csv.cell(row, *columns.packet) : std::string_view{};
    if (packet.find("RDNA4") != std::string_view::npos) generation = isa::kRdna4;
    if (packet.starts_with("VALU_") || packet.starts_with("SALU_") || packet.starts_with("SMEM_"))
      generation = isa::kCdna4;
  }
  return *std::find_if(isa::kTargets.begin(), isa::kTargets.end(),
                       [&](const isa::Target& target) { return target.is(generation); });
}

std::optional<uint64_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Programs of tinygrad's own assembler print all fields of an LDS instruction.
void drop_unused(isa::Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  if (!name.starts_with("ds_")) return;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const bool two = has("cmpstore") || has("mskor") || has("2addr");
  const size_t result =
      has("_rtn") || has("load") || has("append") || has("consume") || has("swizzle") || has("permute") ? 1
                                                                                                        : 0;
  const size_t data = has("load") || has("append") || has("consume") || has("swizzle") ? 0 : two ? 2 : 1;
  const size_t address = has("append") || has("consume") || has("addtid") ? 0 : 1;
  const size_t most = result + address + data;
  if (instruction.operands.size() > most) instruction.operands.resize(most);
}

/// A row of another generation of the family where the chip's own has none: traces have executed such code.
const isa::Row* row_of(std::string_view mnemonic, const isa::Target& target) {
  if (const isa::Row* const row = isa::find_row(mnemonic, target)) return row;
  for (const isa::Target& other : isa::kTargets)
    if (target.is(isa::kRdna) && other.is(isa::kRdna))
      if (const isa::Row* const row = isa::find_row(mnemonic, other)) return row;
  return nullptr;
}

/// Instructions of a program by address, with their sizes: what the assembler makes of the text, or what
/// fits.
class Code {
 public:
  Code(const isa::Target& target, int lanes) : target_(target), lanes_(lanes) {}
  Result<void> add(uint64_t pc, std::string_view text, const std::string& where) {
    if (instructions_.contains(pc)) return {};
    Result<isa::Instruction> instruction = isa::parse_instruction(text);
    if (!instruction) return tl::unexpected(Error{ErrorKind::BadInput, instruction.error().what, where});
    instruction->pc = pc;
    if (target_.is(isa::kRdna)) drop_unused(*instruction);
    const auto bytes = isa::assemble(target_, lanes_, std::string(text) + "\n");
    instruction->size = bytes ? static_cast<uint32_t>(bytes->size()) : 0;
    instructions_.emplace(pc, *std::move(instruction));
    return {};
  }
  /// After all are added: sizes of those that did not assemble.
  void settle() {
    for (auto at = instructions_.begin(); at != instructions_.end(); ++at) {
      if (at->second.size != 0) continue;
      const auto next = std::next(at);
      const uint64_t room = next == instructions_.end() ? 8 : next->first - at->first;
      at->second.size = room >= 8 ? 8 : 4;
    }
  }
  [[nodiscard]] const isa::Instruction& at(uint64_t pc) const { return instructions_.at(pc); }

 private:
  const isa::Target& target_;
  int lanes_;
  std::map<uint64_t, isa::Instruction> instructions_;
};

bool meet(const std::vector<timing::RegisterRange>& reads, const std::vector<timing::RegisterRange>& writes) {
  for (const auto& read : reads)
    for (const auto& write : writes)
      if (read.first < write.first + write.count && write.first < read.first + read.count) return true;
  return false;
}

/// The VALU instruction before `site` whose result it reads, 1 the nearest; 0: none of the last four.
int distance(const OpTable& ops, const std::vector<uint32_t>& sites, size_t site) {
  const auto vector = [](const Op& op) {
    return op.cost.pipe == isa::Pipe::Valu || op.cost.pipe == isa::Pipe::Transcendental;
  };
  const Op& op = ops[sites[site]];
  if (!vector(op)) return 0;
  int back = 0;
  for (size_t i = site; i-- > 0 && back < 4;) {
    const Op& before = ops[sites[i]];
    if (before.cost.pipe == isa::Pipe::Lds || before.cost.pipe == isa::Pipe::Vmem)
      return 0;  // waits for the VALU
    if (!vector(before)) continue;
    ++back;
    if (meet(op.vector_reads, before.vector_writes)) return back;
  }
  return 0;
}

/// What `site` waits for, as s_delay_alu names it; empty: nothing. Of SALU results those of the instruction
/// before, SCC's apart.
std::string dependence(const OpTable& ops, const std::vector<uint32_t>& sites, size_t site) {
  if (const int back = distance(ops, sites, site)) return "VALU_DEP_" + std::to_string(back);
  if (site == 0 || ops[sites[site - 1]].cost.pipe != isa::Pipe::Salu) return {};
  std::vector<timing::RegisterRange> writes = ops[sites[site - 1]].scalar_writes;
  std::erase_if(writes, [](const timing::RegisterRange& range) { return range.first == isa::reg::kScc; });
  return meet(ops[sites[site]].scalar_reads, writes) ? "SALU_CYCLE_1" : "";
}

/// RDNA's traces do not show s_delay_alu, yet its key shows: four bytes between two instructions. What it
/// says follows from what LLVM's pass is made for: the next instructions wait for the VALU results that they
/// read. One speaks for two instructions, the second up to five later.
void insert_delays(IssueTrace& trace, TracedWave& wave, const std::vector<size_t>& gaps) {
  OpTable& ops = *trace.ops;
  std::vector<uint32_t> sites;
  std::vector<uint64_t> at;
  const std::vector<uint32_t> old = wave.record.sites;
  size_t gap = 0;
  for (size_t i = 0; i < old.size(); ++i) {
    if (gap < gaps.size() && gaps[gap] == i) {
      ++gap;
      const std::string first = dependence(ops, old, i);
      std::string text = "s_delay_alu instid0(" + (first.empty() ? "NO_DEP" : first) + ")";
      const size_t end = std::min(old.size(), i + 6);
      for (size_t j = i + 1; j < end; ++j) {
        if (gap < gaps.size() && gaps[gap] <= j) break;
        const std::string second = dependence(ops, old, j);
        if (second.empty()) continue;
        text += " | instskip(" + (j == i + 1 ? std::string("NEXT") : "SKIP_" + std::to_string(j - i - 1)) +
                ") | instid1(" + second + ")";
        break;
      }
      isa::Instruction delay;
      delay.mnemonic = "s_delay_alu";
      delay.text = text;
      sites.push_back(ops.add(delay, nullptr));
      at.push_back(timing::Observed::kFree);
    }
    wave.rows[i].site = sites.size();
    sites.push_back(old[i]);
    at.push_back(wave.observed.at[i]);
  }
  wave.record.sites = std::move(sites);
  wave.observed.at = std::move(at);
}

}  // namespace

Result<std::vector<IssueTrace>> read_issue_traces(const Csv& csv) {
  const Result<Columns> found = columns_of(csv);
  if (!found) return tl::unexpected(found.error());
  const Columns& c = *found;
  const isa::Target& target = target_of(csv, c);
  const int lanes = target.wave64_only ? 64 : 32;

  struct WaveKey {
    std::string_view kernel;
    std::string unit, wave;
    auto operator<=>(const WaveKey&) const = default;
  };
  std::map<WaveKey, std::vector<size_t>> waves;
  std::map<std::string_view, Code> codes;
  for (size_t row = 0; row < csv.rows(); ++row) {
    const std::string_view kernel = csv.cell(row, c.kernel);
    const auto text = [&](std::optional<size_t> column) {
      return column ? std::string(csv.cell(row, *column)) : std::string();
    };
    waves[{kernel, text(c.engine) + "/" + text(c.exec), text(c.simd) + "/" + text(c.wave)}].push_back(row);
    const auto pc = hexadecimal(csv.cell(row, c.pc));
    if (!pc || !number<uint64_t>(csv.cell(row, c.cycle)))
      return fail(ErrorKind::BadInput, "no address or no cycle", csv.where(row));
    Code& code = codes.try_emplace(kernel, target, lanes).first->second;
    const Result<void> added = code.add(*pc, csv.cell(row, c.inst), csv.where(row));
    if (!added) return tl::unexpected(added.error());
  }
  for (auto& [name, code] : codes) code.settle();

  std::vector<IssueTrace> traces;
  std::map<std::string, size_t> units;
  std::unordered_map<uint64_t, uint32_t> sites;
  for (auto& [key, rows] : waves) {
    if (traces.empty() || traces.back().program != key.kernel) {
      traces.push_back({&target, std::string(key.kernel), std::make_unique<OpTable>(target, lanes), {}});
      units.clear();
      sites.clear();
    }
    IssueTrace& trace = traces.back();
    const auto [unit, is_new] = units.try_emplace(key.unit, trace.units.size());
    if (is_new) trace.units.emplace_back();
    TracedWave& wave = trace.units[unit->second].waves.emplace_back();
    wave.name = "unit " + key.unit + ", wave " + key.wave;
    wave.simd = number<uint32_t>(csv.cell(rows.front(), c.simd)).value_or(0) % 4;
    const Code& code = codes.at(key.kernel);
    std::vector<size_t> gaps;
    std::set<uint64_t> seen;
    uint64_t last = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const uint64_t pc = *hexadecimal(csv.cell(rows[i], c.pc));
      const isa::Instruction& instruction = code.at(pc);
      const auto [site, fresh] = sites.try_emplace(pc, 0);
      if (fresh) site->second = trace.ops->add(instruction, row_of(instruction.mnemonic, target));
      const Op& op = (*trace.ops)[site->second];
      const uint64_t cycle = *number<uint64_t>(csv.cell(rows[i], c.cycle));
      bool gap = false;
      if (i > 0) {
        const isa::Instruction& before = code.at(*hexadecimal(csv.cell(rows[i - 1], c.pc)));
        gap = pc > before.pc + before.size && pc <= before.pc + before.size + 16;
      }
      // On CDNA what is not recorded are waits, barriers and nops: the time behind one is given.
      const bool waits = op.control == Control::Wait || (gap && target.is(isa::kCdna));
      if (gap && target.is(isa::kRdna)) gaps.push_back(i);
      wave.record.sites.push_back(site->second);
      // Code that a wave comes to for the first time may have to come from memory, where a line of it begins.
      const bool line = i > 0 && (pc + op.size - 1) / kLine != last / kLine;
      last = pc + op.size - 1;
      const auto scalar = [](const Op& each) { return each.cost.pipe == isa::Pipe::Salu; };
      const bool scalars = scalar(op) && i > 0 && scalar((*trace.ops)[wave.record.sites[i - 1]]);
      const bool late = i > 0 && !waits && seen.insert(pc).second && op.control != Control::End &&
                        cycle > wave.rows.back().cycle + late_after(target, line, scalars);
      wave.observed.at.push_back(i == 0 || waits || late ? cycle : timing::Observed::kFree);
      wave.rows.push_back({rows[i], i, cycle, i > 0 && !waits, late});
    }
    if (!gaps.empty()) insert_delays(trace, wave, gaps);
    wave.record.access_counts.assign(wave.record.sites.size(), 0);
  }
  return traces;
}

void replay(IssueTrace& trace, const isa::IssueRules* rules) {
  const gpus::Gpu* const gpu = analysis::usual_gpu(trace.target->name);
  if (!gpu) return;
  for (TracedUnit& unit : trace.units) {
    timing::FixedLatency memory;
    timing::ComputeUnit compute(*gpu, *trace.ops, memory,
                                {.unit = 0, .simds = 4, .rules = rules, .fetches = false});
    // The older wave has the priority.
    std::vector<TracedWave*> order;
    for (TracedWave& wave : unit.waves) order.push_back(&wave);
    std::sort(order.begin(), order.end(), [](const TracedWave* a, const TracedWave* b) {
      return std::pair(a->rows.front().cycle, a->rows.front().row) <
             std::pair(b->rows.front().cycle, b->rows.front().row);
    });
    for (TracedWave* wave : order)
      compute.start(wave->record, wave->simd, wave->rows.front().cycle, &wave->observed);
    while (compute.step()) {
    }
  }
}

}  // namespace wavesmith::validate
