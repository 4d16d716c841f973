// Hears the accesses of one launch.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "check/findings.h"
#include "check/launch.h"
#include "check/memory/arguments.h"
#include "check/memory/releases.h"
#include "check/memory/spans.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

class MemoryListener final : public emulate::Listener {
 public:
  MemoryListener(Findings& findings, const Launch& launch, const Releases& releases)
      : findings_(findings),
        launch_(launch),
        releases_(releases),
        spans_(launch),
        strays_(launch, releases) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override;
  [[nodiscard]] bool hears_instructions() const override { return false; }
  /// Whether an access was found that could stop the kernel.
  [[nodiscard]] bool found() const { return found_.load(); }
  [[nodiscard]] const StrayArguments& strays() const { return strays_; }

 private:
  class Workgroup;
  /// Where instructions went last, by the numbers of their sites.
  struct Cache {
    static constexpr size_t kSites = 64;
    uint64_t releases = 0;  ///< there had been so many
    std::array<Span, kSites> spans = {};
  };
  std::unique_ptr<Cache> take_cache();
  void give_back(std::unique_ptr<Cache> cache);

  Findings& findings_;
  const Launch& launch_;
  const Releases& releases_;
  const Spans spans_;
  StrayArguments strays_;
  std::atomic<bool> found_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Cache>> caches_;  ///< of workgroups that have ended
};

}  // namespace wavesmith::check
