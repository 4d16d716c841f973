#include "check/testing.h"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace wavesmith::check {
namespace {

std::vector<Topic> known_topics(std::string_view names) {
  auto topics = topics_of(names);
  if (!topics) std::abort();
  return *topics;
}

}  // namespace

CheckedKernel::CheckedKernel(std::string_view checkers, std::string_view target, std::string_view assembly,
                             int lanes, uint32_t lds)
    : kernel_(target, assembly, lanes, lds), session_(known_topics(checkers)) {}

Result<emulate::Statistics> CheckedKernel::launch(uint32_t workgroups, uint32_t workgroup_size,
                                                  const std::vector<uint64_t>& arguments, int threads) {
  std::optional<Session::Run> run;
  emulate::GridBarrier barrier{.members = workgroups};
  kernel_.prepare = [&](emulate::Dispatch& dispatch, const emulate::Memory& memory) {
    dispatch.dispatch_id = launches_++;
    dispatch.grid_barrier = &barrier;
    if (describe) {
      described_ = *dispatch.kernel;
      describe(described_);
      dispatch.kernel = &described_;
    }
    dispatch.grid_barrier = &barrier;
    run.emplace(session_,
                Launch{.target = dispatch.program->target(),
                       .wave_lanes = dispatch.program->wave_lanes(),
                       .kernel = *dispatch.kernel,
                       .entry = dispatch.entry,
                       .id = dispatch.dispatch_id,
                       .grid = dispatch.grid,
                       .workgroup = dispatch.workgroup,
                       .kernarg = {static_cast<const uint8_t*>(dispatch.kernarg), arguments.size() * 8},
                       .memory = memory,
                       .code = dispatch.program->code(),
                       .program = dispatch.program->serial()});
    dispatch.listeners = run->listeners();
  };
  auto done = kernel_.launch(workgroups, workgroup_size, arguments,
                             {.threads = threads, .instructions = most_instructions});
  run->finished(done ? nullptr : &done.error());
  return done;
}

std::vector<std::string> CheckedKernel::rules() const {
  std::vector<std::string> rules;
  for (const Finding& finding : findings())
    rules.push_back(finding.parties.empty()
                        ? finding.rule
                        : fmt::format("{} at {}", finding.rule, finding.parties[0].instruction));
  return rules;
}

}  // namespace wavesmith::check
