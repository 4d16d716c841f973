#include "check/hazard/hazard.h"

#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>

#include "check/hazard/compiled.h"
#include "check/hazard/dependencies.h"
#include "check/hazard/facts.h"
#include "check/hazard/window.h"
#include "check/per_program.h"
#include "check/per_site.h"

namespace wavesmith::check {
namespace {

using hazard::Certain;
using hazard::Facts;
using hazard::Happened;

/// What is known of a program.
struct Known {
  PerSite<Facts> facts;
  hazard::Compiled compiled;
};

class HazardListener;

class HazardWorkgroup final : public emulate::WorkgroupListener {
 public:
  HazardWorkgroup(HazardListener& launch, const Extent3& id) : launch_(launch), id_(id) {}
  void wave_begins(const emulate::WaveView& wave) override;
  void instruction(const emulate::WaveView& wave, const emulate::Site& site) override;

 private:
  void tell(const Happened& happened, uint32_t wave);

  HazardListener& launch_;
  Extent3 id_;
  uint64_t events_ = 0;
  // By wave; those of the launch's family of generations alone are made.
  std::vector<hazard::Window> windows_;
  std::vector<hazard::Dependencies> dependencies_;
};

class HazardListener final : public emulate::Listener {
 public:
  HazardListener(Findings& findings, const Launch& launch, std::shared_ptr<Known> known)
      : findings(findings), launch(launch), known(std::move(known)) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override {
    return std::make_unique<HazardWorkgroup>(*this, view.id);
  }
  Findings& findings;
  const Launch& launch;
  const std::shared_ptr<Known> known;  ///< of the program
};

void HazardWorkgroup::wave_begins(const emulate::WaveView& wave) {
  const isa::Target& target = launch_.launch.target;
  if (target.is(isa::kCdna))
    while (windows_.size() <= wave.index()) windows_.emplace_back(target);
  else
    while (dependencies_.size() <= wave.index())
      dependencies_.emplace_back(target, launch_.launch.wave_lanes);
}

void HazardWorkgroup::instruction(const emulate::WaveView& wave, const emulate::Site& site) {
  ++events_;
  const Launch& launch = launch_.launch;
  const Facts& facts =
      launch_.known->facts.of(site, [&] { return hazard::facts_of(site, launch.target, launch.wave_lanes); });
  const auto found = [&](const Happened& happened) { tell(happened, wave.index()); };
  if (!windows_.empty())
    windows_[wave.index()].step(site, facts, found);
  else
    dependencies_[wave.index()].step(site, facts, found);
}

void HazardWorkgroup::tell(const Happened& happened, uint32_t wave) {
  const Launch& launch = launch_.launch;
  const isa::Instruction &first = happened.first->instruction, &second = happened.second->instruction;
  launch_.findings.add({.rule = happened.rule, .first = second.pc, .second = first.pc},
                       {.dispatch = launch.id, .workgroup = launch.number_of(id_), .event = events_}, [&] {
                         const bool certain = happened.certain == Certain::Always ||
                                              (happened.certain == Certain::WhereCompiled &&
                                               launch_.known->compiled.is(launch));
                         return Finding{.topic = Topic::Hazard,
                                        .rule = std::string(happened.rule),
                                        .severity = certain ? Severity::Error : Severity::Hint,
                                        .what = happened.what,
                                        .parties = {party(launch, happened.does, second, id_, wave, 0),
                                                    party(launch, happened.did, first, id_, wave, 0)},
                                        .fix = happened.fix};
                       });
}

class Hazard final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<HazardListener>(findings_, launch, known_.of(launch));
  }

 private:
  PerProgram<Known> known_;
};

}  // namespace

CheckerKind hazard_checker() {
  return {.topic = Topic::Hazard,
          .finds = "instructions too close together for hardware that does not wait by itself: missing s_nop",
          .does_not_see = "hazards on paths that this run did not take",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> {
            return std::make_unique<Hazard>(findings);
          }};
}

}  // namespace wavesmith::check
