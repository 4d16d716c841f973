// Makes a kept launch again and again, each time with other changes to the kernel's code, and says what the
// checkers find and what the memory then holds.
//
//   wavesmith_mutants GPU CODE.co LAUNCH.json
//
// Reads lines of JSON and answers each with one:
//
//   {"patches": [[16, "000080bf"]], "checks": "wait,race", "order": 0}
//   {"rules": ["wait/raw"], "hints": [["wait/redundant", 16, "s_waitcnt vmcnt(0)"]], "error": "", "result":
//   77}
//
// "watch" in the place of "checks" answers with the offsets of the instructions that are executed, with how
// much was under way before each wait, with the buffers that each instruction accesses, -1 for what lies in
// none, with those that use what is under way (a register that a load will write, LDS at a barrier), and with
// those that write to LDS again.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/session.h"
#include "emulate/memory/memory.h"
#include "emulate/run/dispatch.h"
#include "gpus/gpu.h"
#include "isa/cost/cost.h"
#include "isa/each_counter.h"
#include "isa/effects.h"
#include "object/code_object.h"

namespace wavesmith {
namespace {

using nlohmann::json;

/// Instructions after which a mutant counts as endless: so many times those of the kernel itself, and more.
constexpr uint64_t kLonger = 10, kMore = 100'000;

[[noreturn]] void end(const std::string& message) {
  std::fprintf(stderr, "wavesmith_mutants: %s\n", message.c_str());
  std::exit(3);
}

template <class Value>
Value must(Result<Value> result) {
  if (!result) end(result.error().text());
  return std::move(*result);
}

std::vector<uint8_t> bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) end("there is no " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint8_t> bytes_of_hex(std::string_view text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 2 <= text.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  return bytes;
}

/// As in waits.
std::string name_of(isa::Counter counter) {
  static constexpr std::pair<isa::Counter, const char*> kNames[] = {
      {isa::Counter::Vm, "vmcnt"},     {isa::Counter::Lgkm, "lgkmcnt"},   {isa::Counter::Vs, "vscnt"},
      {isa::Counter::Load, "loadcnt"}, {isa::Counter::Store, "storecnt"}, {isa::Counter::Ds, "dscnt"},
      {isa::Counter::Km, "kmcnt"}};
  for (const auto& [one, name] : kNames)
    if (one == counter) return name;
  return "other";
}

struct Buffer {
  uint8_t* at;
  size_t size;
};

/// Which instructions are executed, how much was under way before each wait, and which buffers are accessed.
class Sites : public emulate::Listener {
 public:
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView&) override {
    return std::make_unique<OfWorkgroup>(*this);
  }
  using Counts = std::map<isa::Counter, uint32_t>;
  std::set<uint64_t> pcs;
  std::set<std::pair<uint64_t, uint64_t>> jumps;  ///< branches that were taken, and to where
  std::map<uint64_t, std::set<int>> read;  ///< by pc of s_wait_alu, scalar registers that the VALU had read
  std::map<uint64_t, Counts> waits;        ///< the most, by counter
  std::map<uint64_t, std::set<int>> accesses;  ///< by pc, the buffers
  std::set<uint64_t> resets;                   ///< that write to LDS where something was written before
  std::set<uint64_t> early;  ///< that use what is under way: registers, or LDS behind a barrier
  Sites(const isa::Target& target, std::span<const Buffer> buffers) : target_(target), buffers_(buffers) {}

 private:
  struct UnderWay {
    isa::Counter counter;
    bool scalar;
    std::vector<isa::RegisterRange> into;
    std::vector<std::pair<uint64_t, uint32_t>> reads;  ///< of LDS: addresses and bytes
    [[nodiscard]] bool of_lds() const {
      return !scalar && (counter == isa::Counter::Lgkm || counter == isa::Counter::Ds);
    }
    [[nodiscard]] bool meets(std::span<const isa::RegisterRange> others) const {
      return std::ranges::any_of(others, [&](const isa::RegisterRange& other) {
        return std::ranges::any_of(into, [&](const isa::RegisterRange& own) { return own.overlaps(other); });
      });
    }
  };
  struct OfWorkgroup : emulate::WorkgroupListener {
    explicit OfWorkgroup(Sites& all) : all(all) {}
    ~OfWorkgroup() override {
      const std::scoped_lock lock(all.mutex_);
      all.pcs.insert(pcs.begin(), pcs.end());
      all.jumps.insert(jumps.begin(), jumps.end());
      for (const auto& [pc, registers] : read) all.read[pc].insert(registers.begin(), registers.end());
      for (const auto& [pc, counts] : waits)
        for (const auto& [counter, count] : counts) raise(all.waits[pc][counter], count);
      for (const auto& [pc, buffers] : accesses) all.accesses[pc].insert(buffers.begin(), buffers.end());
      for (const auto& [read, pc] : late_reads)
        if (writes.contains(read)) early.insert(pc);
      all.early.insert(early.begin(), early.end());
      all.resets.insert(resets.begin(), resets.end());
    }
    /// What is under way to registers, and uses of these before it has come. Vector memory and LDS come back
    /// in order, scalar loads in any.
    void follow_loads(const emulate::WaveView& view, const emulate::Site& site) {
      const std::string_view mnemonic = site.instruction.mnemonic;
      auto [found, fresh] = effects.try_emplace(&site);
      if (fresh)
        found->second =
            isa::effects_of(site.instruction, site.row, all.target_, static_cast<int>(view.lanes()));
      const auto touches = [&](const UnderWay& one) {
        // Of LDS a later load comes later, into whatever register.
        const bool behind = one.of_lds() && mnemonic.starts_with("ds_");
        return one.meets(found->second.reads) || (!behind && one.meets(found->second.writes));
      };
      std::map<isa::Counter, std::deque<UnderWay>>& mine = loads[view.index()];
      for (auto& [counter, under_way] : mine)
        if (std::ranges::any_of(under_way, touches)) early.insert(site.instruction.pc);
      if (mnemonic.starts_with("s_barrier") && !mnemonic.ends_with("wait")) meet(view.index(), site);
      if (site.wait.waits())
        isa::each_counter(site.wait, [&](isa::Counter counter, uint16_t limit) {
          std::deque<UnderWay>& under_way = mine[counter];
          if (limit && std::ranges::any_of(under_way, &UnderWay::scalar)) return;
          while (under_way.size() > limit) under_way.pop_front();
        });
      for (const isa::Counter counter : isa::counters_of(site.instruction, site.row, all.target_))
        if (counter != isa::Counter::Vs && counter != isa::Counter::Store)
          mine[counter].push_back({counter, mnemonic.starts_with("s_"), found->second.writes, {}});
    }
    /// Behind a barrier others may overwrite what has been read, but not while the reads are under way.
    void meet(uint32_t wave, const emulate::Site& site) {
      const uint32_t next = ++meetings[wave];
      for (auto& [counter, under_way] : loads[wave])
        for (const UnderWay& one : under_way) {
          if (!one.of_lds()) continue;
          if (one.into.empty()) early.insert(site.instruction.pc);
          for (const auto& [address, bytes] : one.reads)
            for (uint32_t byte = 0; byte < bytes; ++byte)
              late_reads[{next, address + byte}] = site.instruction.pc;
        }
    }
    /// Puts accesses of LDS beside the meetings between which they are.
    void look_at_lds(uint32_t wave, const emulate::Site& site, const emulate::MemoryAccess& access) {
      // What a load brings to LDS from memory comes later than what LDS has in its queue by then.
      const bool from_memory = isa::loads_to_lds(site.instruction);
      for (size_t lane = 0; lane < emulate::kRowLanes; ++lane) {
        if (!(access.lanes >> lane & 1)) continue;
        if (access.direction != isa::Direction::Load && !from_memory)
          for (uint32_t byte = 0; byte < access.bytes; ++byte)
            writes.insert({meetings[wave], access.address[lane] + byte});
        for (auto& [counter, under_way] : loads[wave])
          if (access.direction != isa::Direction::Store && !under_way.empty() && under_way.back().of_lds())
            under_way.back().reads.emplace_back(access.address[lane], access.bytes);
      }
    }
    /// Which scalar registers a wave's vector instructions have read, VCC's among them.
    void follow_scalars(const emulate::WaveView& view, const emulate::Site& site) {
      std::set<int>& mine = scalars[view.index()];
      if (site.instruction.mnemonic == "s_wait_alu")
        read[site.instruction.pc].insert(mine.begin(), mine.end());
      if (!site.instruction.mnemonic.starts_with("v_")) return;
      for (const isa::RegisterRange range : effects.at(&site).reads)
        for (int r = range.first; r < range.first + range.count; ++r)
          if (r >= isa::reg::kSgpr) mine.insert(r - isa::reg::kSgpr);
    }
    void look(const emulate::Site& site, const emulate::MemoryAccess& access) {
      if (access.space == emulate::AddressSpace::Lds && access.direction == isa::Direction::Store)
        for (size_t lane = 0; lane < emulate::kRowLanes; ++lane)
          if (access.lanes >> lane & 1)
            if (!lds_written.insert(access.address[lane]).second) resets.insert(site.instruction.pc);
      if (access.space != emulate::AddressSpace::Global || access.scalar) return;
      for (size_t lane = 0; lane < emulate::kRowLanes; ++lane)
        if (access.lanes >> lane & 1)
          accesses[site.instruction.pc].insert(all.buffer_of(access.address[lane], access.bytes));
    }
    void access(const emulate::WaveView& view, const emulate::Site& site,
                const emulate::MemoryAccess& access) override {
      look(site, access);
      if (access.space == emulate::AddressSpace::Lds) look_at_lds(view.index(), site, access);
    }
    void refused(const emulate::WaveView&, const emulate::Site& site,
                 const emulate::MemoryAccess& access) override {
      look(site, access);
    }
    void instruction(const emulate::WaveView& view, const emulate::Site& site) override {
      const uint64_t pc = site.instruction.pc;
      pcs.insert(pc);
      follow_loads(view, site);
      const isa::Instruction*& before = last[view.index()];
      if (before && before->pc + before->size != pc) jumps.emplace(before->pc, pc);
      before = &site.instruction;
      follow_scalars(view, site);
      Counts& mine = outstanding[view.index()];
      if (site.wait.waits())
        isa::each_counter(site.wait, [&](isa::Counter counter, uint16_t limit) {
          raise(waits[site.instruction.pc][counter], mine[counter]);
          mine[counter] = std::min<uint32_t>(mine[counter], limit);
        });
      for (const isa::Counter counter : isa::counters_of(site.instruction, site.row, all.target_))
        ++mine[counter];
    }
    static void raise(uint32_t& most, uint32_t count) { most = std::max(most, count); }
    Sites& all;
    std::set<uint64_t> pcs;
    std::set<std::pair<uint64_t, uint64_t>> jumps;
    std::map<uint32_t, const isa::Instruction*> last;  ///< by wave
    std::map<uint32_t, std::set<int>> scalars;         ///< by wave, that vector instructions have read
    std::map<uint64_t, std::set<int>> read;
    std::map<uint32_t, Counts> outstanding;  ///< by wave
    std::map<uint64_t, Counts> waits;
    std::map<uint64_t, std::set<int>> accesses;
    std::map<uint32_t, std::map<isa::Counter, std::deque<UnderWay>>> loads;  ///< by wave, the oldest first
    std::map<const emulate::Site*, isa::Effects> effects;
    std::map<uint32_t, uint32_t> meetings;        ///< by wave, the barriers that it came to
    using Place = std::pair<uint32_t, uint64_t>;  ///< behind so many barriers, a byte of LDS
    std::map<Place, uint64_t> late_reads;         ///< with the last barrier's pc
    std::set<Place> writes;
    std::set<uint64_t> early, resets, lds_written;
  };
  [[nodiscard]] int buffer_of(uint64_t address, uint32_t bytes) const {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const auto begin = reinterpret_cast<uint64_t>(buffers_[i].at);
      if (address >= begin && address + bytes <= begin + buffers_[i].size) return static_cast<int>(i);
    }
    return -1;
  }
  const isa::Target& target_;
  std::span<const Buffer> buffers_;
  std::mutex mutex_;
};

class Launcher {
 public:
  Launcher(const char* gpu, const char* code, const std::string& launch)
      : gpu_(*must(gpus::find_gpu(gpu))),
        memory_(*must(emulate::Memory::create(0))),
        object_(must(object::CodeObject::parse(bytes_of_file(code)))),
        told_(json::parse(bytes_of_file(launch))) {
    kernel_ = object_.kernel(told_.at("symbol").get<std::string>());
    if (!kernel_) end("the code object has no such kernel");
    target_ = isa::find_target(object_.target().processor);
    if (!target_) end("the code object's target is unknown");
    image_.resize(object_.load_size());
    place_ = static_cast<uint8_t*>(must(memory_.allocate(image_.size())));
    if (const auto done = object_.load({place_, image_.size()}); !done) end(done.error().text());
    std::memcpy(image_.data(), place_, image_.size());
    contents_ = bytes_of_file(launch.substr(0, launch.rfind('.')) + ".bin");
    for (const json& size : told_.at("sizes"))
      buffers_.push_back(
          {static_cast<uint8_t*>(must(memory_.allocate(size.get<size_t>()))), size.get<size_t>()});
    arguments_ = bytes_of_hex(told_.at("arguments").get<std::string>());
    arguments_.resize(std::max<size_t>(arguments_.size(), kernel_->fields.kernarg_size));
    for (const json& pointer : told_.at("pointers")) {
      const uint64_t address = reinterpret_cast<uint64_t>(buffers_.at(pointer.at(1).get<size_t>()).at) +
                               pointer.at(2).get<uint64_t>();
      std::memcpy(&arguments_.at(pointer.at(0).get<size_t>()), &address, sizeof address);
    }
    kernarg_ = static_cast<uint8_t*>(must(memory_.allocate(arguments_.size() + 8)));
  }

  json answer(const json& request) {
    const uint64_t entry = object_.loaded(base(), kernel_->entry());
    std::memcpy(place_, image_.data(), image_.size());
    for (const json& patch : request.at("patches")) {
      const auto bytes = bytes_of_hex(patch.at(1).get<std::string>());
      std::memcpy(reinterpret_cast<uint8_t*>(entry) + patch.at(0).get<uint64_t>(), bytes.data(),
                  bytes.size());
    }
    fill();
    auto program = must(emulate::Program::create(*target_, static_cast<int>(kernel_->wavefront_size),
                                                 object_.loaded_code(base())));
    program->sram_ecc(gpu_.has_sram_ecc());
    emulate::Dispatch dispatch = dispatch_of(*program, entry);
    dispatch.order = emulate::Order(request.value("order", uint64_t{0}));
    json made;
    Sites sites(*target_, buffers_);
    const std::string checks = request.value("checks", "");
    std::string error;
    if (checks.empty() || checks == "watch") {
      if (!checks.empty()) dispatch.listeners.push_back(&sites);
      error = run(dispatch);
    } else {
      check::Session session(must(check::topics_of(checks)));
      error = run(session, dispatch);
      told_of(session, made);
    }
    if (checks == "watch") {
      made["executed"] = json::array();
      for (const uint64_t pc : sites.pcs) made["executed"].push_back(pc - entry);
      made["jumps"] = json::array();
      for (const auto& [from, to] : sites.jumps) made["jumps"].push_back({from - entry, to - entry});
      made["read"] = json::array();
      for (const auto& [pc, registers] : sites.read) made["read"].push_back({pc - entry, registers});
      made["outstanding"] = json::array();
      for (const auto& [pc, counts] : sites.waits) {
        json named = json::object();
        for (const auto& [counter, count] : counts) named[name_of(counter)] = count;
        made["outstanding"].push_back({pc - entry, named});
      }
      made["early"] = json::array();
      for (const uint64_t pc : sites.early) made["early"].push_back(pc - entry);
      made["resets"] = json::array();
      for (const uint64_t pc : sites.resets) made["resets"].push_back(pc - entry);
      made["accesses"] = json::array();
      for (const auto& [pc, buffers] : sites.accesses) made["accesses"].push_back({pc - entry, buffers});
    }
    made["error"] = error;
    made["result"] = result();
    return made;
  }

 private:
  [[nodiscard]] uint64_t base() const { return reinterpret_cast<uint64_t>(place_); }

  /// The memory as it was before the launch.
  void fill() {
    size_t from = 0;
    for (const Buffer& buffer : buffers_) {
      std::memcpy(buffer.at, contents_.data() + from, buffer.size);
      from += buffer.size;
    }
    std::memcpy(kernarg_, arguments_.data(), arguments_.size());
  }

  [[nodiscard]] size_t result() const {
    size_t all = 0;
    for (const Buffer& buffer : buffers_)
      all = all * 31 + std::hash<std::string_view>()({reinterpret_cast<const char*>(buffer.at), buffer.size});
    return all;
  }

  emulate::Dispatch dispatch_of(emulate::Program& program, uint64_t entry) {
    const json& grid = told_.at("grid");
    const auto threads = told_.at("threads").get<uint32_t>();
    emulate::Dispatch dispatch;
    dispatch.program = &program;
    dispatch.kernel = kernel_;
    dispatch.entry = entry;
    dispatch.grid = {grid.at(0).get<uint32_t>() * threads, grid.at(1).get<uint32_t>(),
                     grid.at(2).get<uint32_t>()};
    dispatch.workgroup = {threads, 1, 1};
    dispatch.kernarg = kernarg_;
    dispatch.dynamic_lds = told_.at("shared").get<uint32_t>();
    return dispatch;
  }

  /// Why it failed; "": it did not.
  std::string run(const emulate::Dispatch& dispatch) {
    const auto done = emulate::run(dispatch, memory_, {.threads = 1, .instructions = most_});
    if (!done) return done.error().text();
    if (most_ == 0) most_ = kLonger * done->instructions + kMore;
    return {};
  }

  std::string run(check::Session& session, emulate::Dispatch& dispatch) {
    check::Session::Run observed(session, {.target = *target_,
                                           .wave_lanes = static_cast<int>(kernel_->wavefront_size),
                                           .kernel = *kernel_,
                                           .entry = dispatch.entry,
                                           .id = 0,
                                           .grid = dispatch.grid,
                                           .workgroup = dispatch.workgroup,
                                           .dynamic_lds = dispatch.dynamic_lds,
                                           .kernarg = {kernarg_, arguments_.size()},
                                           .memory = memory_,
                                           .code = dispatch.program->code(),
                                           .program = dispatch.program->serial()});
    dispatch.listeners = observed.listeners();
    const auto done = emulate::run(dispatch, memory_, {.threads = 1, .instructions = most_});
    observed.finished(done ? nullptr : &done.error());
    session.tell([&](check::Checker& checker) {
      for (const Buffer& buffer : buffers_)
        checker.accessed(
            {.call = "the end", .address = reinterpret_cast<uint64_t>(buffer.at), .bytes = buffer.size});
      checker.ends();
    });
    return done ? "" : done.error().text();
  }

  static void told_of(const check::Session& session, json& made) {
    std::set<std::string> rules;
    made["hints"] = json::array();
    for (const check::Finding& finding : session.findings().all()) {
      const std::string rule = fmt::format("{}/{}", name_of(finding.topic), finding.rule);
      if (finding.severity != check::Severity::Hint) rules.insert(rule);
      if (finding.severity == check::Severity::Hint)
        for (const check::Party& party : finding.parties)
          made["hints"].push_back({rule, party.offset, party.instruction});
    }
    made["rules"] = rules;
  }

  const gpus::Gpu& gpu_;
  emulate::Memory& memory_;
  object::CodeObject object_;
  json told_;
  const object::Kernel* kernel_ = nullptr;
  const isa::Target* target_ = nullptr;
  std::vector<uint8_t> image_, contents_, arguments_;
  uint8_t* place_ = nullptr;
  uint8_t* kernarg_ = nullptr;
  std::vector<Buffer> buffers_;
  uint64_t most_ = 0;
};

}  // namespace
}  // namespace wavesmith

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: wavesmith_mutants GPU CODE.co LAUNCH.json\n");
    return 2;
  }
  wavesmith::Launcher launcher(words[1], words[2], words[3]);
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = launcher.answer(nlohmann::json::parse(line));
    std::printf("%s\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }
}
