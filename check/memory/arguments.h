// Pointers among a launch's arguments that lead nowhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "check/findings.h"
#include "check/launch.h"
#include "check/memory/releases.h"

namespace wavesmith::check {

/// They are looked at when the launch begins, and told of when it has ended: one that no wave has read, a
/// handle of the host's that a template passes on, say, harms nobody.
class StrayArguments {
 public:
  StrayArguments(const Launch& launch, const Releases& releases);
  /// Whether there are some, and these bytes are among the launch's arguments.
  [[nodiscard]] bool may_be_in(uint64_t low, uint64_t high) const {
    return !strays_.empty() && low < end_ && begin_ < high;
  }
  /// A wave has read these bytes.
  void note_read(uint64_t low, uint64_t high);
  void tell(Findings& findings) const;

 private:
  struct Stray {
    const object::Argument* argument;
    uint64_t value;
    const char* wrong;
    std::optional<Release> release;
    std::atomic<bool> read = false;
    Stray(const object::Argument* argument, uint64_t value, const char* wrong, std::optional<Release> release,
          bool read)
        : argument(argument), value(value), wrong(wrong), release(std::move(release)), read(read) {}
    Stray(Stray&& from) noexcept
        : Stray(from.argument, from.value, from.wrong, std::move(from.release), from.read) {}
  };

  const Launch& launch_;
  uint64_t begin_, end_;
  std::vector<Stray> strays_;
};

}  // namespace wavesmith::check
