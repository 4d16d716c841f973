#include "check/session.h"

#include <algorithm>

namespace wavesmith::check {

Session::Session(const std::vector<Topic>& topics) : topics_(topics) {
  for (const CheckerKind& kind : checkers())
    if (std::ranges::find(topics, kind.topic) != topics.end()) checkers_.push_back(kind.make(findings_));
}

Session::Run::Run(Session& session, Launch launch) : session_(session), launch_(std::move(launch)) {
  ++session_.launches_;
  for (const auto& checker : session_.checkers_)
    if (auto listener = checker->begin(launch_)) listeners_.emplace_back(checker.get(), std::move(listener));
}

Session::Run::~Run() = default;

std::vector<emulate::Listener*> Session::Run::listeners() const {
  std::vector<emulate::Listener*> all;
  for (const auto& [checker, listener] : listeners_) all.push_back(listener.get());
  return all;
}

void Session::Run::finished(const Error* error) {
  for (const auto& [checker, listener] : listeners_) checker->finished(launch_, *listener, error);
}

}  // namespace wavesmith::check
