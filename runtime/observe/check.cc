#include "runtime/observe/check.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "check/host_call.h"
#include "check/json.h"
#include "check/text.h"
#include "runtime/memory/allocations.h"
#include "runtime/observe/ended.h"
#include "runtime/stream/stream.h"

namespace wavesmith::runtime {
namespace {

void tell_found();

struct Checks {
  std::shared_ptr<check::Session> session;  ///< of WAVESMITH_CHECK
  std::string folder;                       ///< of reports; empty: text on standard error
  std::atomic<bool> under_way{false};       ///< there is a session of either kind
  std::shared_ptr<check::Session> asked;    ///< of begin_checks()
  std::mutex mutex;
  std::optional<size_t> written;  ///< findings in the report as it is on disk

  Checks() {
    const char* const names = std::getenv("WAVESMITH_CHECK");
    if (!names || !*names) return;
    const auto topics = check::topics_of(names);
    if (!topics) {
      std::fprintf(stderr, "wavesmith: WAVESMITH_CHECK: %s\n", topics.error().text().c_str());
      return;
    }
    if (const char* const where = std::getenv("WAVESMITH_CHECK_REPORT")) folder = where;
    session = std::make_shared<check::Session>(*topics);
    under_way = true;
    before_a_signal_ends_it(tell_found);
  }
  std::shared_ptr<check::Session> now() {
    if (!under_way.load(std::memory_order_acquire)) return nullptr;
    const std::scoped_lock lock(mutex);
    return asked ? asked : session;
  }
  void write() {
    const std::scoped_lock lock(mutex);
    const std::string path = folder + "/" + std::to_string(getpid()) + ".json";
    written = session->findings().size();
    std::ofstream file(path);
    if (file) file << check::to_json(session->report()) << '\n';
    if (!file) std::fprintf(stderr, "wavesmith: cannot write what was found to '%s'\n", path.c_str());
  }
  /// Whether there is more to tell than the report says, which a process leaves that SIGKILL or a fault ends.
  [[nodiscard]] bool has_news() {
    const std::scoped_lock lock(mutex);
    return session && !folder.empty() && session->findings().size() != written;
  }
};

Checks& all_checks() {
  static auto& only = *new Checks;
  return only;
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// "at byte 16 of an allocation of 4096 bytes", without addresses, which differ from run to run.
std::string place_text(const emulate::Memory& memory, const void* pointer) {
  using Kind = emulate::Place::Kind;
  const auto [kind, allocation, distance] = memory.place_of(address_of(pointer));
  const std::string there = fmt::format("an allocation of {} bytes", allocation.bytes);
  if (kind == Kind::Held)
    return fmt::format("at byte {} of {}", address_of(pointer) - allocation.address, there);
  if (kind == Kind::Freed) return "in " + there + " that was freed";
  if (kind == Kind::Reserved) return "in a reserved range of addresses";
  if (kind == Kind::Past && distance < 4096) return fmt::format("{} bytes past {}", distance, there);
  return "where nothing is allocated";
}

check::Launch::Owner owner_of(const emulate::Use& use) {
  using enum check::Launch::Owner;
  if (use.kind == kRuntimesOwn.kind) return Runtime;
  const auto kind = static_cast<Allocation::Kind>(use.kind);
  return kind == Allocation::Kind::Device || kind == Allocation::Kind::Code ? Program : ProgramAndHost;
}

/// Tells what was found so far.
void tell_found() {
  Checks& all = all_checks();
  if (!all.folder.empty()) return all.write();
  for (const check::Finding& finding : all.session->findings().all())
    std::fputs(check::text_of(finding).c_str(), stderr);
}

[[gnu::destructor]] void at_exit() {
  const char* const names = std::getenv("WAVESMITH_CHECK");
  if (!names || !*names) return;
  Checks& all = all_checks();
  if (!all.session) return;
  all.session->tell([](check::Checker& checker) { checker.ends(); });
  tell_found();
}

}  // namespace

std::shared_ptr<check::Session> checks() { return all_checks().now(); }

Result<void> begin_checks(std::string_view names) {
  const auto topics = check::topics_of(names);
  if (!topics) return tl::unexpected(topics.error());
  Checks& all = all_checks();
  const std::scoped_lock lock(all.mutex);
  if (all.asked) return fail(ErrorKind::BadInput, "checks are under way", {}, "end them first");
  all.asked = std::make_shared<check::Session>(*topics);
  all.under_way = true;
  return {};
}

std::optional<check::Report> end_checks() {
  Checks& all = all_checks();
  std::shared_ptr<check::Session> ended;
  {
    const std::scoped_lock lock(all.mutex);
    ended = std::exchange(all.asked, nullptr);
    all.under_way = all.session != nullptr;
  }
  if (!ended) return std::nullopt;
  return ended->report();
}

bool checks_memory() {
  const std::shared_ptr<check::Session> session = checks();
  return session && std::ranges::find(session->topics(), check::Topic::Memory) != session->topics().end();
}

void tell_allocated(const void* pointer, size_t bytes) {
  if (const std::shared_ptr<check::Session> session = checks())
    session->tell([&](check::Checker& checker) { checker.allocated(address_of(pointer), bytes); });
}

void tell_released(const void* pointer, size_t bytes) {
  if (const std::shared_ptr<check::Session> session = checks())
    session->tell([&](check::Checker& checker) { checker.released(address_of(pointer), bytes); });
}

void tell_served(const void* pointer, const Allocation& allocation) {
  const uint64_t address = address_of(pointer), end = address_of(allocation.pointer()) + allocation.size;
  if (const std::shared_ptr<check::Session> session = checks())
    session->tell([&](check::Checker& checker) { checker.served(address, end - address); });
}

void tell_release_refused(const emulate::Memory& memory, const void* pointer) {
  const std::shared_ptr<check::Session> session = checks();
  if (!session) return;
  const bool begins = memory.place_of(address_of(pointer)).allocation.address == address_of(pointer);
  const Error error{ErrorKind::BadInput, "a pointer is freed that lies " + place_text(memory, pointer) +
                                             (begins ? ", which this call does not free, or not again" : "")};
  session->tell([&](check::Checker& checker) {
    checker.release_refused(std::string(check::host_call().name), address_of(pointer), error);
  });
}

void tell_access_refused(const emulate::Memory& memory, const void* pointer, std::optional<size_t> bytes,
                         bool writes) {
  const std::shared_ptr<check::Session> session = checks();
  if (!session) return;
  const Error error{
      ErrorKind::BadInput,
      fmt::format("{} are {} {}", bytes ? fmt::format("{} bytes", *bytes) : "more bytes than any memory has",
                  writes ? "written" : "read", place_text(memory, pointer))};
  const check::HostAccess access{.call = std::string(check::host_call().name),
                                 .address = address_of(pointer),
                                 .bytes = bytes.value_or(~size_t{0}),
                                 .writes = writes};
  session->tell([&](check::Checker& checker) { checker.access_refused(access, error); });
}

check::StreamPoint point_of(const Ticket& ticket) {
  return {.stream = ticket.stream->id, .number = ticket.number};
}

void tell_asked(const Stream& stream, uint64_t number, std::vector<check::StreamPoint> after) {
  const std::shared_ptr<check::Session> session = checks();
  if (!session) return;
  const check::StreamWork work{.at = {.stream = stream.id, .number = number},
                               .on_default_stream = stream.kind == Stream::Kind::Null,
                               .after = std::move(after)};
  session->tell([&](check::Checker& checker) { checker.asked(work); });
}

void tell_known(const Stream& stream, uint64_t number) {
  if (const std::shared_ptr<check::Session> session = checks())
    session->tell([&](check::Checker& checker) { checker.known({.stream = stream.id, .number = number}); });
}

void tell_ended(const Stream& stream) {
  if (const std::shared_ptr<check::Session> session = checks())
    session->tell([&](check::Checker& checker) { checker.ended(stream.id); });
}

void tell_seen_in_memory() {
  if (const std::shared_ptr<check::Session> session = checks())
    session->tell([](check::Checker& checker) { checker.told_in_memory(); });
}

RunningWork::~RunningWork() {
  if (const std::shared_ptr<check::Session> session = checks())
    session->tell([&](check::Checker& checker) { checker.ran(point_); });
}

std::unique_ptr<CheckedLaunch> CheckedLaunch::begin(emulate::Dispatch& dispatch,
                                                    const emulate::Memory& memory,
                                                    const std::function<About()>& about) {
  std::shared_ptr<check::Session> session = checks();
  if (!session) return nullptr;
  About known = about();
  auto launch = std::unique_ptr<CheckedLaunch>(new CheckedLaunch(
      std::move(session),
      {.target = dispatch.program->target(),
       .wave_lanes = dispatch.program->wave_lanes(),
       .kernel = *dispatch.kernel,
       .entry = dispatch.entry,
       .id = dispatch.dispatch_id,
       .device = known.device,
       .stream = known.stream,
       .grid = dispatch.grid,
       .workgroup = dispatch.workgroup,
       .dynamic_lds = dispatch.dynamic_lds,
       .kernarg = {static_cast<const uint8_t*>(dispatch.kernarg),
                   std::max(dispatch.kernel->kernarg_size, dispatch.kernel->fields.kernarg_size)},
       .memory = memory,
       .locate = dispatch.locate,
       .code = dispatch.program->code(),
       .constants = std::move(known.constants),
       .owner_of = owner_of,
       .meets_others = known.meets_others,
       .in_only_stream = Stream::made() == 1,
       .program = dispatch.program->serial()}));
  for (emulate::Listener* const listener : launch->run_.listeners()) dispatch.listeners.push_back(listener);
  return launch;
}

void CheckedLaunch::end(const Error* error) {
  run_.finished(error);
  if (Checks& all = all_checks(); all.has_news()) all.write();
}

}  // namespace wavesmith::runtime
