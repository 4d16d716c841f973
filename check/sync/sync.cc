#include "check/sync/sync.h"

namespace wavesmith::check {
namespace {

class Sync final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch&) override { return nullptr; }
};

}  // namespace

CheckerKind sync_checker() {
  return {.topic = Topic::Sync,
          .finds = "barriers that not all waves reach, and workgroups that can go no further",
          .does_not_see = "barriers on paths that this run did not take",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> { return std::make_unique<Sync>(findings); }};
}

}  // namespace wavesmith::check
