#include "validate/programs/thread_statistics.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "isa/llvm/decoder.h"
#include "isa/llvm/mnemonics.h"
#include "isa/rows.h"

namespace wavesmith::validate {
namespace {

Result<uint64_t> address(const Csv& csv, size_t row, size_t column) {
  std::string_view text = csv.cell(row, column);
  if (!text.starts_with("0x") && !text.starts_with("0X")) return number<uint64_t>(csv, row, column);
  text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
  return fail(ErrorKind::BadInput, "'" + std::string(csv.cell(row, column)) + "' is no address",
              csv.where(row));
}

bool before(const InstructionStatistics& a, const InstructionStatistics& b) {
  if (a.object != b.object) return a.object < b.object;
  return a.address != b.address ? a.address < b.address : a.row < b.row;
}

}  // namespace

Result<ThreadStatistics> read_thread_statistics(const Csv& csv) {
  const auto at = csv.require({"Vaddr", "Instruction", "Hitcount", "Latency", "Stall", "Idle"});
  if (!at) return tl::unexpected(at.error());
  // rocprofv3's documentation writes the name both ways.
  const std::optional<size_t> object = csv.column("CodeObj") ? csv.column("CodeObj") : csv.column("Codeobj");
  const std::optional<size_t> source = csv.column("Source");
  ThreadStatistics statistics;
  for (size_t row = 0; row < csv.rows(); ++row) {
    const std::string_view text = csv.cell(row, at->at("Instruction"));
    if (text.starts_with(';')) continue;  // a kernel begins: "; name"
    InstructionStatistics one;
    one.row = row;
    one.text = text;
    if (object) one.object = csv.cell(row, *object);
    if (source) one.source = csv.cell(row, *source);
    const Result<uint64_t> where = address(csv, row, at->at("Vaddr"));
    if (!where) return tl::unexpected(where.error());
    one.address = *where;
    for (const auto& [name, value] : {std::pair{"Hitcount", &one.hits},
                                      {"Latency", &one.latency},
                                      {"Stall", &one.stall},
                                      {"Idle", &one.idle}}) {
      const Result<uint64_t> count = number<uint64_t>(csv, row, at->at(name));
      if (!count) return tl::unexpected(count.error());
      *value = *count;
    }
    const Result<isa::Instruction> instruction = isa::parse_instruction(text);
    if (!instruction) return fail(ErrorKind::BadInput, instruction.error().what, csv.where(row));
    one.mnemonic = instruction->mnemonic;
    if (one.hits == 0) {
      ++statistics.not_executed;
      continue;
    }
    if (one.stall > one.latency) {
      ++statistics.odd;
      continue;
    }
    statistics.instructions.push_back(std::move(one));
  }
  if (statistics.instructions.empty())
    return fail(ErrorKind::BadInput, "no instruction was executed", csv.name());
  std::ranges::sort(statistics.instructions, before);
  const isa::Target& target = target_of(statistics);
  for (InstructionStatistics& one : statistics.instructions) {
    const isa::Instruction instruction = *isa::parse_instruction(one.text);
    one.pipe = isa::pipe_of(instruction, isa::find_row(instruction.mnemonic, target));
  }
  return statistics;
}

const isa::Target& target_of(const ThreadStatistics& statistics) {
  const isa::Target* best = isa::kTargets.data();
  size_t fewest = SIZE_MAX;
  for (const isa::Target& target : isa::kTargets) {
    const Result<std::vector<isa::Mnemonic>> all = isa::mnemonics(target);
    if (!all) continue;
    std::set<std::string_view> known;
    for (const isa::Mnemonic& each : *all) known.insert(each.name);
    const auto unknown = static_cast<size_t>(std::ranges::count_if(
        statistics.instructions,
        [&](const InstructionStatistics& one) { return !known.contains(one.mnemonic); }));
    if (unknown < fewest) fewest = unknown, best = &target;
  }
  return *best;
}

std::vector<std::pair<size_t, size_t>> same_instructions(const ThreadStatistics& a,
                                                         const ThreadStatistics& b) {
  constexpr size_t kMostAlike = 64;  // a text that stands in more places says little about the distance
  std::unordered_map<std::string_view, std::vector<size_t>> places;
  for (size_t i = 0; i < b.instructions.size(); ++i) places[b.instructions[i].text].push_back(i);
  // Votes of equal texts for a distance between a code object of one table and one of the other.
  using Pairing = std::pair<std::string_view, std::string_view>;
  std::map<Pairing, std::map<uint64_t, size_t>> votes;
  for (const InstructionStatistics& one : a.instructions) {
    const auto found = places.find(one.text);
    if (found == places.end() || found->second.size() > kMostAlike) continue;
    for (const size_t other : found->second) {
      const InstructionStatistics& two = b.instructions[other];
      ++votes[{one.object, two.object}][one.address - two.address];
    }
  }
  struct Candidate {
    size_t count;
    bool moved;  // another number or another place: only where nothing matches as it is
    Pairing objects;
    uint64_t distance;
  };
  std::vector<Candidate> candidates;
  for (const auto& [objects, distances] : votes)
    for (const auto& [distance, count] : distances)
      candidates.push_back({count, objects.first != objects.second || distance != 0, objects, distance});
  std::ranges::sort(candidates, [](const Candidate& x, const Candidate& y) {
    if (x.count != y.count) return x.count > y.count;
    if (x.moved != y.moved) return y.moved;
    return x.objects != y.objects ? x.objects < y.objects : x.distance < y.distance;
  });
  // The best supported pairings take their instructions first; a chance likeness finds them taken.
  std::map<std::pair<std::string_view, uint64_t>, size_t> at;
  for (size_t i = 0; i < b.instructions.size(); ++i)
    at.emplace(std::pair{b.instructions[i].object, b.instructions[i].address}, i);
  std::vector<size_t> partner(a.instructions.size(), SIZE_MAX);
  std::vector<bool> taken(b.instructions.size());
  std::set<std::string_view> settled;  // objects of b: all of a kernel lies at one distance
  for (const Candidate& candidate : candidates) {
    if (settled.contains(candidate.objects.second)) continue;
    settled.insert(candidate.objects.second);
    for (size_t i = 0; i < a.instructions.size(); ++i) {
      const InstructionStatistics& one = a.instructions[i];
      if (one.object != candidate.objects.first || partner[i] != SIZE_MAX) continue;
      const auto found = at.find({candidate.objects.second, one.address - candidate.distance});
      if (found == at.end() || taken[found->second]) continue;
      if (b.instructions[found->second].mnemonic != one.mnemonic) continue;
      partner[i] = found->second;
      taken[found->second] = true;
    }
  }
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < partner.size(); ++i)
    if (partner[i] != SIZE_MAX) pairs.emplace_back(i, partner[i]);
  return pairs;
}

/// A thread trace of an attention kernel on an MI355X (jhinpan/flydsl-rocprof-cli, examples/flash_attn_fwd):
/// 4 cycles of every pipe, MFMA among them, 8 of v_rsq_f32, v_exp_f32 and v_permlane32_swap_b32; s_waitcnt,
/// s_barrier, s_nop and s_setprio are stall alone.
uint32_t traced_issue_cycles(const isa::Cost& cost, const isa::Target& target) {
  if (cost.pipe == isa::Pipe::Internal) return 0;
  const bool vector = cost.pipe == isa::Pipe::Valu || cost.pipe == isa::Pipe::Transcendental;
  if (vector && target.is(isa::kCdna)) return cost.issue;
  return isa::issue_rules(target).quantum;
}

}  // namespace wavesmith::validate
