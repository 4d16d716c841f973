#include "check/memory/memory.h"

#include <map>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "check/host_call.h"
#include "check/memory/listener.h"
#include "check/memory/releases.h"
#include "check/memory/report.h"

namespace wavesmith::check {
namespace {

class Memory final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<MemoryListener>(findings_, launch, releases_);
  }
  void finished(const Launch& launch, emulate::Listener& listener, const Error* error) override {
    auto& memory = static_cast<MemoryListener&>(listener);
    memory.strays().tell(findings_);
    if (error && error->kind == ErrorKind::MemoryFault && !memory.found())
      add_fault(findings_, launch, *error);
    // What the emulator refuses of a kernel that runs are its jumps and what lies at their ends.
    if (error && error->kind == ErrorKind::BadInput) add_wild_jump(findings_, launch, *error);
  }
  void allocated(uint64_t address, uint64_t bytes) override {
    releases_.forget(address, bytes);
    const std::scoped_lock lock(mutex_);
    live_[address] = {bytes, host_call()};
  }
  void released(uint64_t address, uint64_t bytes) override {
    releases_.note(address, bytes);
    const std::scoped_lock lock(mutex_);
    live_.erase(address);
  }
  void release_refused(const std::string& call, uint64_t address, const Error& error) override;
  void access_refused(const HostAccess& access, const Error& error) override;
  void ends() override;

 private:
  struct Live {
    uint64_t bytes;
    HostCall call;
  };
  void add(const char* rule, uint64_t about, const std::function<Finding()>& make) {
    const HostCall& call = host_call();
    findings_.add({.rule = rule, .first = reinterpret_cast<uint64_t>(call.caller), .about = about},
                  {.dispatch = hosts_++}, make);
  }

  Releases releases_;
  std::mutex mutex_;
  std::map<uint64_t, Live> live_;
  std::atomic<uint64_t> hosts_{0};  ///< findings of the host's, in their order
};

Finding host_finding(const char* rule, const HostCall& call, std::string role, std::string what,
                     std::string fix) {
  return {.topic = Topic::Memory,
          .rule = rule,
          .severity = Severity::Error,
          .what = std::move(what),
          .parties = {{.role = std::move(role), .instruction = text_of(call)}},
          .fix = std::move(fix)};
}

void Memory::release_refused(const std::string& name, uint64_t address, const Error& error) {
  const HostCall call{name, host_call().caller};
  if (const auto release = releases_.find(address)) {
    add("double-free", 0, [&] {
      Finding made = host_finding("double-free", call, "frees again",
                                  fmt::format("{} bytes are freed twice", release->bytes),
                                  "free it once, or set the pointer to null when it is freed");
      made.parties.push_back({.role = "freed it", .instruction = text_of(release->call)});
      return made;
    });
    return;
  }
  add("invalid-free", 0, [&] {
    return host_finding("invalid-free", call, "frees", error.what,
                        "free the pointer that the allocation gave, by the call that belongs to it");
  });
}

void Memory::access_refused(const HostAccess& access, const Error& error) {
  const HostCall call{access.call, host_call().caller};
  add("host-out-of-bounds", access.writes, [&] {
    return host_finding("host-out-of-bounds", call, access.writes ? "writes" : "reads", error.what,
                        "copy and fill no more than was allocated");
  });
}

void Memory::ends() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [address, live] : live_) {
    if (live.call.name.empty()) continue;
    findings_.add(
        {.rule = "leak", .first = reinterpret_cast<uint64_t>(live.call.caller), .about = live.bytes}, {},
        [&live = live] {
          Finding made = host_finding("leak", live.call, "allocated",
                                      fmt::format("{} bytes are never freed", live.bytes),
                                      "free them before the program ends");
          made.severity = Severity::Hint;
          return made;
        });
  }
}

}  // namespace

CheckerKind memory_checker() {
  return {
      .topic = Topic::Memory,
      .finds =
          "accesses outside of what is allocated, in freed memory, misaligned or read-only; double "
          "frees, leaks",
      .does_not_see = "an access that strays into another allocation, or into another variable of its own",
      .make = [](Findings& findings) -> std::unique_ptr<Checker> {
        return std::make_unique<Memory>(findings);
      }};
}

}  // namespace wavesmith::check
