#include "check/init/init.h"

#include "check/init/listener.h"
#include "check/per_program.h"

namespace wavesmith::check {
namespace {

class Init final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<init::LaunchListener>(launch, findings_, *global_, handed_over_, pool_,
                                                  plans_.of(launch));
  }
  void allocated(uint64_t address, uint64_t bytes) override { global_->undefine(address, bytes); }
  void released(uint64_t address, uint64_t bytes) override {
    global_->define(address, bytes);
    handed_over_.forget(address, bytes);
  }
  void accessed(const HostAccess& access) override {
    if (access.writes)
      global_->define(access.address, access.bytes);
    else
      handed_over_.read(access.address, access.bytes, *global_, findings_);
  }
  void served(uint64_t address, uint64_t bytes) override { global_->define(address, bytes); }
  void copied(uint64_t to, uint64_t from, uint64_t bytes) override { global_->copy(to, from, bytes); }

 private:
  std::unique_ptr<init::GlobalShadow> global_ = std::make_unique<init::GlobalShadow>();
  init::HandedOver handed_over_;
  init::ShadowPool pool_;
  PerProgram<PerSite<init::Plan>> plans_;
};

}  // namespace

CheckerKind init_checker() {
  return {.topic = Topic::Init,
          .finds = "values that nobody wrote and that decide a branch, an address or an output",
          .does_not_see =
              "what the host wrote by mistake, what is copied from memory to memory unchanged, bits within a "
              "byte of memory, registers that M0 chooses, and stores whose data is undefined in part only",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> {
            return std::make_unique<Init>(findings);
          }};
}

}  // namespace wavesmith::check
