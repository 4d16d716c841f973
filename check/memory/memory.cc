#include "check/memory/memory.h"

namespace wavesmith::check {
namespace {

class Memory final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch&) override { return nullptr; }
};

}  // namespace

CheckerKind memory_checker() {
  return {.topic = Topic::Memory,
          .finds = "accesses outside of what was allocated, misaligned ones, use after free, double frees, leaks",
          .does_not_see = "an access that stays within an allocation but leaves the array that the program meant",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> { return std::make_unique<Memory>(findings); }};
}

}  // namespace wavesmith::check
