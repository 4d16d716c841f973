#include "runtime/stream/stream.h"

#include <algorithm>
#include <optional>

#include "runtime/device/device.h"
#include "runtime/device/platform.h"
#include "runtime/observe/check.h"
#include "runtime/observe/modelled_time.h"
#include "runtime/observe/timeline.h"
#include "runtime/stream/standstill.h"
#include "runtime/stream/workers.h"

namespace wavesmith::runtime {

Ticket Stream::enqueue(std::shared_ptr<Operation> operation, std::vector<Ticket> tickets) {
  if (device.modelled) {
    // Modelled time waits for what is done already, too.
    for (const auto& other : device.streams())
      if (kind == Kind::Null ? other->blocking() : blocking() && other->kind == Kind::Null)
        tickets.push_back(other->ticket());
  } else {
    device.add_default_stream_tickets(*this, tickets);
  }
  const bool checked = checks() != nullptr;
  std::vector<check::StreamPoint> after;
  if (checked) after = all_before(tickets);
  bool submit = false;
  uint64_t number;
  {
    const std::scoped_lock lock(mutex_);
    Item item{std::move(operation), std::move(tickets)};
    if (device.modelled) item.asked = host_time(), item.number = next_operation();
    queue_.push_back(std::move(item));
    number = added_.fetch_add(1, std::memory_order_release) + 1;
    if (checked) tell_asked(*this, number, std::move(after));
    if (!owned_ && !scheduled_) submit = scheduled_ = true;
  }
  if (submit) submit_to_workers(shared_from_this());
  return {shared_from_this(), number};
}

/// What an operation added now comes after besides its own stream's: what is done already, too.
std::vector<check::StreamPoint> Stream::all_before(const std::vector<Ticket>& tickets) {
  std::vector<check::StreamPoint> points;
  for (const Ticket& ticket : tickets) points.push_back(point_of(ticket));
  for (const auto& other : device.streams())
    if (kind == Kind::Null ? other->blocking() : blocking() && other->kind == Kind::Null)
      points.push_back(point_of(other->ticket()));
  return points;
}

void Stream::follow(const Ticket& ticket) {
  const std::scoped_lock lock(mutex_);
  uint64_t& last = followed_[ticket.stream->id];
  last = std::max(last, ticket.number);
}

bool Stream::follows(uint64_t stream, uint64_t number) const {
  const std::scoped_lock lock(mutex_);
  const auto found = followed_.find(stream);
  return found != followed_.end() && found->second >= number;
}

bool Stream::nothing_before() {
  if (!idle()) return false;
  std::vector<Ticket> tickets;
  device.add_default_stream_tickets(*this, tickets);
  return tickets.empty();
}

bool Stream::own() {
  const std::scoped_lock lock(mutex_);
  if (owned_) return false;
  return owned_ = true;
}

void Stream::work() {
  {
    const std::scoped_lock lock(mutex_);
    scheduled_ = false;
  }
  if (own()) run_until(UINT64_MAX);
}

void Stream::wait(uint64_t number) {
  finish(number);
  tell_known(*this, number);
  if (device.modelled) host_time() = std::max(host_time(), modelled_at(number));
}

/// When operation `number` ended. Of those long gone the oldest that is known answers.
double Stream::modelled_at(uint64_t number) const {
  const std::scoped_lock lock(mutex_);
  const uint64_t completed = completed_.load(std::memory_order_relaxed);
  if (ended_.empty()) return 0;
  const uint64_t back = completed - std::min(number, completed);
  return back < ended_.size() ? ended_[ended_.size() - 1 - back] : ended_.front();
}

void Stream::finish(uint64_t number) {
  while (true) {
    const uint64_t completed = completed_.load(std::memory_order_acquire);
    if (completed >= number) return;
    if (own())
      run_until(number);
    else
      completed_.wait(completed, std::memory_order_acquire);
  }
}

/// The owner's loop; gives the stream back at the end.
void Stream::run_until(uint64_t number) {
  bool submit = false;
  while (true) {
    Item item;
    {
      const std::scoped_lock lock(mutex_);
      if (queue_.empty() || completed_.load(std::memory_order_relaxed) >= number) {
        owned_ = false;
        if (!queue_.empty() && !scheduled_) submit = scheduled_ = true;
        break;
      }
      item = std::move(queue_.front());
      queue_.pop_front();
    }
    execute(item);
    item.operation.reset();
    if (device.modelled) {
      constexpr size_t kRemembered = 4096;
      const std::scoped_lock lock(mutex_);
      ended_.push_back(modelled_);
      if (ended_.size() > kRemembered) ended_.pop_front();
      completed_.fetch_add(1, std::memory_order_release);
    } else {
      completed_.fetch_add(1, std::memory_order_release);
    }
    completed_.notify_all();
  }
  // Those who found the stream owned have to look again: the one that gave it up may have stopped early.
  if (submit) submit_to_workers(shared_from_this());
}

void Stream::execute(Item& item) {
  for (const Ticket& ticket : item.tickets) {
    ticket.stream->finish(ticket.number);
    if (device.modelled) modelled_ = std::max(modelled_, ticket.stream->modelled_at(ticket.number));
  }
  asked_ = item.asked, number_ = item.number;
  std::optional<RunningWork> running;
  if (checks())
    running.emplace(
        check::StreamPoint{.stream = id, .number = completed_.load(std::memory_order_relaxed) + 1});
  if (device.failure() != hipSuccess && !item.operation->always()) return;
  const hipError_t error = item.operation->run(*this);
  if (error == hipSuccess) return;
  device.fail(error);
  if (Platform::get()->on_fault == Platform::FaultAction::End) end_at_standstill(device);
}

}  // namespace wavesmith::runtime
