#include "runtime/observe/check.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>

#include "check/json.h"
#include "check/text.h"

namespace wavesmith::runtime {
namespace {

struct Checks {
  std::unique_ptr<check::Session> session;
  std::string folder;  ///< of reports; empty: text on standard error
  std::atomic<uint64_t> launches{0};
  std::mutex mutex;
  size_t written = 0;  ///< findings in the report as it is on disk

  Checks() {
    const char* const names = std::getenv("WAVESMITH_CHECK");
    if (!names || !*names) return;
    const auto topics = check::topics_of(names);
    if (!topics) {
      std::fprintf(stderr, "wavesmith: WAVESMITH_CHECK: %s\n", topics.error().text().c_str());
      return;
    }
    if (const char* const where = std::getenv("WAVESMITH_CHECK_REPORT")) folder = where;
    session = std::make_unique<check::Session>(*topics);
  }
  void write() {
    const std::scoped_lock lock(mutex);
    const std::string path = folder + "/" + std::to_string(getpid()) + ".json";
    written = session->findings().size();
    std::ofstream file(path);
    if (file)
      file << check::to_json({.topics = session->topics(),
                              .launches = launches,
                              .findings = session->findings().all()})
           << '\n';
    if (!file) std::fprintf(stderr, "wavesmith: cannot write what was found to '%s'\n", path.c_str());
  }
  /// Whether there is more to tell than the report says, which a process that is ended suddenly leaves.
  [[nodiscard]] bool has_news() {
    const std::scoped_lock lock(mutex);
    return !folder.empty() && session->findings().size() != written;
  }
};

Checks& all_checks() {
  static auto& only = *new Checks;
  return only;
}

[[gnu::destructor]] void at_exit() {
  const char* const names = std::getenv("WAVESMITH_CHECK");
  if (!names || !*names) return;
  Checks& all = all_checks();
  if (!all.session) return;
  all.session->tell([](check::Checker& checker) { checker.ends(); });
  if (!all.folder.empty()) return all.write();
  for (const check::Finding& finding : all.session->findings().all())
    std::fputs(check::text_of(finding).c_str(), stderr);
}

}  // namespace

check::Session* checks() { return all_checks().session.get(); }

std::unique_ptr<CheckedLaunch> CheckedLaunch::begin(emulate::Dispatch& dispatch,
                                                    const emulate::Memory& memory, int device,
                                                    uint64_t stream) {
  check::Session* const session = checks();
  if (!session) return nullptr;
  ++all_checks().launches;
  auto launch = std::unique_ptr<CheckedLaunch>(new CheckedLaunch(
      *session,
      {.target = dispatch.program->target(),
       .wave_lanes = dispatch.program->wave_lanes(),
       .kernel = *dispatch.kernel,
       .entry = dispatch.entry,
       .id = dispatch.dispatch_id,
       .device = device,
       .stream = stream,
       .grid = dispatch.grid,
       .workgroup = dispatch.workgroup,
       .dynamic_lds = dispatch.dynamic_lds,
       .kernarg = {static_cast<const uint8_t*>(dispatch.kernarg),
                   std::max(dispatch.kernel->kernarg_size, dispatch.kernel->fields.kernarg_size)},
       .memory = memory,
       .locate = dispatch.locate}));
  for (emulate::Listener* const listener : launch->run_.listeners()) dispatch.listeners.push_back(listener);
  return launch;
}

void CheckedLaunch::end(const Error* error) {
  run_.finished(error);
  if (Checks& all = all_checks(); all.has_news()) all.write();
}

}  // namespace wavesmith::runtime
