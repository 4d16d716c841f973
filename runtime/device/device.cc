#include "runtime/device/device.h"

#include "runtime/observe/check.h"
#include "runtime/observe/modelled_time.h"

#include <algorithm>

namespace wavesmith::runtime {

Device::Device(int ordinal, int number, const gpus::Gpu& gpu, object::TargetId target, const isa::Target& isa)
    : ordinal(ordinal), number(number), gpu(gpu), target(std::move(target)), isa(isa) {
  if (time_mode() != TimeMode::Host) modelled.turn_on(std::make_shared<ModelledDevice>(gpu, number));
}
Device::~Device() = default;

std::shared_ptr<Stream> Device::null_stream() {
  const std::scoped_lock lock(mutex_);
  if (!null_) null_ = std::make_shared<Stream>(*this, Stream::Kind::Null, 0, 0);
  return null_;
}

std::shared_ptr<Stream> Device::create_stream(Stream::Kind kind, unsigned stream_flags, int priority) {
  auto stream = std::make_shared<Stream>(*this, kind, stream_flags, priority);
  const std::scoped_lock lock(mutex_);
  created_.push_back(stream);
  return stream;
}

void Device::remove_stream(const Stream& stream) {
  tell_ended(stream);
  const std::scoped_lock lock(mutex_);
  std::erase_if(created_, [&](const auto& other) { return other.get() == &stream; });
}

void Device::remove_streams() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(created_, [](const auto& stream) {
    if (stream->kind == Stream::Kind::Created) tell_ended(*stream);
    return stream->kind == Stream::Kind::Created;
  });
}

std::shared_ptr<Stream> Device::find_stream(const Stream* address) {
  const std::scoped_lock lock(mutex_);
  for (const auto& stream : created_)
    if (stream.get() == address) return stream;
  return {};
}

std::vector<std::shared_ptr<Stream>> Device::streams() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::shared_ptr<Stream>> all = created_;
  if (null_) all.push_back(null_);
  return all;
}

void Device::synchronize() {
  for (const auto& stream : streams()) stream->wait_all();
}

void Device::add_default_stream_tickets(Stream& stream, std::vector<Ticket>& tickets) {
  if (stream.kind != Stream::Kind::Null && !stream.blocking()) return;
  const std::scoped_lock lock(mutex_);
  if (stream.kind == Stream::Kind::Null) {
    for (const auto& other : created_)
      if (other->blocking() && !other->idle()) tickets.push_back(other->ticket());
  } else if (null_ && !null_->idle()) {
    tickets.push_back(null_->ticket());
  }
}

}  // namespace wavesmith::runtime
