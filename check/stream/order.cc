#include "check/stream/order.h"

#include <algorithm>

namespace wavesmith::check {
namespace {

/// Changes of what is before a stream's work that are remembered. Of older work what is before later work
/// answers: too much, so that nothing is told that is ordered.
constexpr size_t kRemembered = 4096;

constexpr auto by_stream = [](const auto& entry, uint64_t stream) { return entry.first < stream; };

}  // namespace

uint64_t StreamClock::of(uint64_t stream) const {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), stream, by_stream);
  return found == numbers_.end() || found->first != stream ? 0 : found->second;
}

void StreamClock::raise(uint64_t stream, uint64_t number) {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), stream, by_stream);
  if (found == numbers_.end() || found->first != stream)
    numbers_.insert(found, {stream, number});
  else
    found->second = std::max(found->second, number);
}

void StreamClock::join(const StreamClock& other) {
  for (const auto& [stream, number] : other.numbers_) raise(stream, number);
}

void StreamOrder::asked(const StreamWork& work) {
  Line& line = lines_[work.at.stream];
  const uint64_t place = tick();
  Clock before = line.before.empty() ? nullptr : line.before.back().second;
  std::shared_ptr<StreamClock> made;
  const auto add = [&](const StreamClock& more) {
    if (!made) made = before ? std::make_shared<StreamClock>(*before) : std::make_shared<StreamClock>();
    made->join(more);
  };
  if (!before || line.host != host_) add(*host_);
  for (const StreamPoint& point : work.after) {
    const auto other = lines_.find(point.stream);
    if (point.number == 0 || point.stream == work.at.stream || other == lines_.end()) continue;
    if ((made ? *made : *before).of(point.stream) >= point.number) continue;
    if (const Clock theirs = clock_at(other->second, point.number)) add(*theirs);
    made->raise(point.stream, point.number);
  }
  if (made && !gone_.empty()) made->forget([&](uint64_t stream) { return gone_.contains(stream); });
  if (made) line.before.emplace_back(work.at.number, std::move(made));
  if (line.before.size() > kRemembered) line.before.pop_front();
  line.host = host_;
  line.last = work.at.number;
  line.asked.emplace_back(work.at.number, place);
  ++under_way_;
}

void StreamOrder::ran(const StreamPoint& at) {
  const auto found = lines_.find(at.stream);
  if (found == lines_.end()) return;
  auto& asked = found->second.asked;
  while (!asked.empty() && asked.front().first <= at.number) {
    asked.pop_front();
    --under_way_;
  }
  settle();
}

void StreamOrder::known(const StreamPoint& at) {
  const auto found = lines_.find(at.stream);
  if (found == lines_.end() || at.number == 0 || host_->of(at.stream) >= at.number) return;
  auto host = std::make_shared<StreamClock>(*host_);
  if (const Clock before = clock_at(found->second, at.number)) host->join(*before);
  host->raise(at.stream, at.number);
  host_ = std::move(host);
  learnt_.emplace_back(now_, host_);
  settle();
}

void StreamOrder::ended(uint64_t stream) {
  const auto found = lines_.find(stream);
  if (found == lines_.end()) return;
  known({.stream = stream, .number = found->second.last});
  under_way_ -= found->second.asked.size();
  lines_.erase(found);
  gone_[stream] = now_;
  auto host = std::make_shared<StreamClock>(*host_);
  host->forget([&](uint64_t each) { return each == stream; });
  host_ = std::move(host);
  learnt_.emplace_back(now_, host_);
  settle();
}

/// Lets go of what only work that has run was asked for without.
void StreamOrder::settle() {
  oldest_ = UINT64_MAX;
  if (under_way_)
    for (const auto& [stream, line] : lines_)
      if (!line.asked.empty()) oldest_ = std::min(oldest_, line.asked.front().second);
  for (; !learnt_.empty() && learnt_.front().first < oldest_; learnt_.pop_front())
    settled_ = learnt_.front().second;
}

StreamOrder::Clock StreamOrder::clock_at(const Line& line, uint64_t number) {
  if (line.before.empty()) return nullptr;
  const auto after =
      std::upper_bound(line.before.begin(), line.before.end(), number,
                       [](uint64_t wanted, const auto& entry) { return wanted < entry.first; });
  return after == line.before.begin() ? after->second : std::prev(after)->second;
}

bool StreamOrder::is_gone(uint64_t stream, uint64_t at) const {
  const auto found = gone_.find(stream);
  return found != gone_.end() && found->second < at;
}

std::optional<OrderedWork> StreamOrder::work(const StreamPoint& at) const {
  const auto found = lines_.find(at.stream);
  if (found == lines_.end()) return std::nullopt;
  for (const auto& [number, place] : found->second.asked)
    if (number == at.number) return OrderedWork{at, place, clock_at(found->second, number)};
  return std::nullopt;
}

bool StreamOrder::is_before(const OrderedWork& a, const OrderedWork& b) const {
  if (a.at.stream != b.at.stream)
    return (b.before && b.before->of(a.at.stream) >= a.at.number) || is_gone(a.at.stream, b.asked);
  if (a.at.number != b.at.number) return a.at.number < b.at.number;
  if (!a.at.graph) return true;
  const std::vector<bool>& steps = (*a.at.graph)[b.at.step];
  return a.at.step == b.at.step || (a.at.step < steps.size() && steps[a.at.step]);
}

uint64_t StreamOrder::first_beside(const OrderedWork& work, uint64_t stream) const {
  if (stream == work.at.stream) return work.at.number;
  return work.before ? work.before->of(stream) + 1 : 1;
}

bool StreamOrder::is_past(const OrderedWork& work) const {
  return settled_->of(work.at.stream) >= work.at.number || is_gone(work.at.stream, oldest_);
}

}  // namespace wavesmith::check
