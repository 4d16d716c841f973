// The checks of one process: chosen checkers over all launches.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "check/checker.h"
#include "check/report.h"

namespace wavesmith::check {

class Session {
 public:
  explicit Session(const std::vector<Topic>& topics);

  /// A launch under way.
  class Run {
   public:
    Run(Session& session, Launch launch);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    /// Who is to hear of it.
    [[nodiscard]] std::vector<emulate::Listener*> listeners() const;
    /// It has ended; nullptr: well.
    void finished(const Error* error);

   private:
    Session& session_;
    Launch launch_;
    std::vector<std::pair<Checker*, std::unique_ptr<emulate::Listener>>> listeners_;
  };

  /// Tells all checkers of something that the host does.
  template <class Told>
  void tell(Told told) {
    for (const auto& checker : checkers_) told(*checker);
  }
  [[nodiscard]] const Findings& findings() const { return findings_; }
  [[nodiscard]] Report report() const {
    return {.topics = topics_, .launches = launches_, .findings = findings_.all()};
  }
  [[nodiscard]] const std::vector<Topic>& topics() const { return topics_; }

 private:
  Findings findings_;
  std::vector<Topic> topics_;
  std::atomic<uint64_t> launches_{0};
  std::vector<std::unique_ptr<Checker>> checkers_;
};

}  // namespace wavesmith::check
