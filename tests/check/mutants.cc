// Makes a kept launch again and again, each time with other changes to the kernel's code, and says what the
// checkers find and what the memory then holds.
//
//   wavesmith_mutants GPU CODE.co LAUNCH.json
//
// Reads lines of JSON and answers each with one:
//
//   {"patches": [[16, "000080bf"]], "checks": "wait,race", "order": 0}
//   {"rules": ["wait/raw"], "places": [["wait/raw", [32, 8]]],
//    "hints": [["wait/redundant", 16, "s_waitcnt vmcnt(0)"]], "error": "", "result": 77}
//
// "watch" in the place of "checks" answers with the offsets of the instructions that are executed, with how
// much was under way before each wait, with the buffers that each instruction accesses, -1 for what lies in
// none, with those that use what is under way (a register that a load will write, LDS at a barrier), and with
// those that write to LDS again. "hand-overs" answers whether a wave reads what another one has written
// (hand_overs.h), "exchanges" which waits for stores somebody could miss (exchanges.h), "stale" whether
// caches and stores under way keep something from somebody (stale_reads.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/session.h"
#include "emulate/memory/memory.h"
#include "emulate/run/dispatch.h"
#include "gpus/gpu.h"
#include "isa/target.h"
#include "object/code_object.h"
#include "tests/check/exchanges.h"
#include "tests/check/hand_overs.h"
#include "tests/check/sites.h"
#include "tests/check/stale_reads.h"

namespace wavesmith::mutants {
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
    add_grid_barrier();
    fill_hidden();
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
    HandOvers hand_overs;
    Exchanges exchanges(*target_);
    StaleReads stale_reads(*target_);
    const std::map<std::string, emulate::Listener*> watches = {
        {"watch", &sites}, {"hand-overs", &hand_overs}, {"exchanges", &exchanges}, {"stale", &stale_reads}};
    const std::string checks = request.value("checks", "");
    std::string error;
    const auto watch = watches.find(checks);
    if (checks.empty() || watch != watches.end()) {
      if (!checks.empty()) dispatch.listeners.push_back(watch->second);
      error = run(dispatch);
    } else {
      check::Session session(must(check::topics_of(checks)));
      error = run(session, dispatch);
      told_of(session, made);
    }
    if (checks == "watch") tell(sites, entry, made);
    if (checks == "hand-overs") made["handed"] = hand_overs.any();
    if (checks == "stale") made["stale"] = stale_reads.any();
    if (checks == "exchanges") {
      made["needed"] = json::array();
      for (const uint64_t pc : exchanges.needed()) made["needed"].push_back(pc - entry);
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

  /// What a cooperative launch's workgroups meet at: `hidden_multigrid_sync_arg` points to it. ROCm's device
  /// library counts arrivals at byte 32 and finds the number of workgroups at byte 40.
  void add_grid_barrier() {
    const auto argument = std::ranges::find(
        kernel_->arguments, object::Argument::Kind::HiddenMultigridSyncArg, &object::Argument::kind);
    if (argument == kernel_->arguments.end()) return;
    constexpr size_t kBytes = 64, kWorkgroups = 40;
    buffers_.push_back({static_cast<uint8_t*>(must(memory_.allocate(kBytes))), kBytes});
    contents_.resize(contents_.size() + kBytes);
    const auto workgroups = static_cast<uint32_t>(this->workgroups());
    std::memcpy(&contents_[contents_.size() - kBytes + kWorkgroups], &workgroups, sizeof workgroups);
    std::memcpy(&arguments_.at(argument->offset), &buffers_.back().at, sizeof buffers_.back().at);
  }

  [[nodiscard]] uint64_t workgroups() const {
    uint64_t all = 1;
    for (const json& extent : told_.at("grid")) all *= extent.get<uint64_t>();
    return all;
  }

  /// What a HIP runtime tells kernels of their launch.
  void fill_hidden() {
    using Kind = object::Argument::Kind;
    const json& grid = told_.at("grid");
    const auto threads = told_.at("threads").get<uint32_t>();
    const std::map<Kind, uint32_t> values = {
        {Kind::HiddenBlockCountX, grid.at(0).get<uint32_t>()},
        {Kind::HiddenBlockCountY, grid.at(1).get<uint32_t>()},
        {Kind::HiddenBlockCountZ, grid.at(2).get<uint32_t>()},
        {Kind::HiddenGroupSizeX, threads},
        {Kind::HiddenGroupSizeY, 1},
        {Kind::HiddenGroupSizeZ, 1},
        {Kind::HiddenGridDims, 3},
        {Kind::HiddenDynamicLdsSize, told_.at("shared").get<uint32_t>()}};
    for (const object::Argument& argument : kernel_->arguments)
      if (const auto found = values.find(argument.kind); found != values.end())
        std::memcpy(&arguments_.at(argument.offset), &found->second,
                    std::min<size_t>(argument.size, sizeof found->second));
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
    grid_barrier_ = std::make_unique<emulate::GridBarrier>();
    grid_barrier_->members = workgroups();
    if (told_.value("cooperative", false)) dispatch.grid_barrier = grid_barrier_.get();
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

  /// Offsets from the kernel's first instruction.
  static void tell(const Sites& sites, uint64_t entry, json& made) {
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
    for (const uint64_t pc : sites.overwritten()) made["early"].push_back(pc - entry);
    made["resets"] = json::array();
    for (const uint64_t pc : sites.resets) made["resets"].push_back(pc - entry);
    made["accesses"] = json::array();
    for (const auto& [pc, buffers] : sites.accesses) made["accesses"].push_back({pc - entry, buffers});
  }

  static void told_of(const check::Session& session, json& made) {
    std::set<std::string> rules;
    made["hints"] = json::array();
    made["places"] = json::array();
    for (const check::Finding& finding : session.findings().all()) {
      const std::string rule = fmt::format("{}/{}", name_of(finding.topic), finding.rule);
      if (finding.severity != check::Severity::Hint) {
        rules.insert(rule);
        json offsets = json::array();
        for (const check::Party& party : finding.parties) offsets.push_back(party.offset);
        made["places"].push_back({rule, offsets});
      }
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
  std::unique_ptr<emulate::GridBarrier> grid_barrier_;
  uint64_t most_ = 0;
};

}  // namespace
}  // namespace wavesmith::mutants

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: wavesmith_mutants GPU CODE.co LAUNCH.json\n");
    return 2;
  }
  wavesmith::mutants::Launcher launcher(words[1], words[2], words[3]);
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = launcher.answer(nlohmann::json::parse(line));
    std::printf("%s\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }
}
