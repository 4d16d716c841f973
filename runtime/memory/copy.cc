#include "runtime/memory/copy.h"

#include <algorithm>
#include <cstring>

#include "runtime/memory/reach.h"
#include "runtime/observe/check.h"
#include "runtime/observe/host_access.h"
#include "runtime/observe/modelled_time.h"
#include "runtime/observe/timeline.h"

namespace wavesmith::runtime {
namespace {

/// Pageable sources up to this are copied aside; for larger ones the call waits.
constexpr size_t kStaged = size_t{64} << 10;

bool plain(const Box& box) { return box.height == 1 && box.depth == 1; }

/// Nothing but a place in a stream's order.
class Marker final : public Operation {
 public:
  hipError_t run(Stream&) override { return hipSuccess; }
};

bool known_kind(hipMemcpyKind kind) {
  return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) || kind == hipMemcpyDeviceToDeviceNoCU;
}

/// Whether the side of a box is one that may be copied: inside of allocations, or the host's own.
bool is_whole(const Platform& platform, const void* side, const Box& box, size_t pitch, size_t slice,
              bool writes) {
  const auto bytes = reach(box.width, box.height, box.depth, pitch, slice);
  // The arena is the device's: what is not allocated there is nobody's.
  const bool foreign = !platform.allocations.find(side) && platform.memory->in_arena(side);
  if (!foreign && platform.allocations.contains_or_foreign(side, bytes)) return true;
  tell_access_refused(*platform.memory, side, bytes, writes);
  return false;
}

}  // namespace

PitchedPosition pitched_side(const hipPitchedPtr& memory, const hipPos& at) {
  return {static_cast<char*>(memory.ptr), at.x, at.y, at.z, memory.pitch, memory.ysize};
}

Box box_between(const PitchedPosition& to, const PitchedPosition& from, hipExtent extent) {
  Box box{.width = extent.width, .height = extent.height, .depth = extent.depth};
  const auto place = [&extent](const PitchedPosition& side, size_t& pitch, size_t& slice) {
    pitch = side.pitch ? side.pitch : extent.width;
    slice = saturated_product(pitch, side.height ? side.height : extent.height);
    return side.base + side.z * slice + side.y * pitch + side.x;
  };
  box.destination = place(to, box.destination_pitch, box.destination_slice);
  box.source = place(from, box.source_pitch, box.source_slice);
  return box;
}

void copy_box(const Box& box) {
  tell_copied(box);
  if (plain(box)) {
    std::memmove(box.destination, box.source, box.width);
    return;
  }
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y)
      std::memmove(
          static_cast<char*>(box.destination) + z * box.destination_slice + y * box.destination_pitch,
          static_cast<const char*>(box.source) + z * box.source_slice + y * box.source_pitch, box.width);
}

CopyOperation::CopyOperation(const Box& box, std::vector<unsigned char> staged)
    : box_(box), staged_(std::move(staged)) {
  if (!staged_.empty()) box_.source = staged_.data();
}

hipError_t CopyOperation::run(Stream& stream) {
  copy_box(box_);
  if (const auto& modelled = stream.device.modelled) {
    const double begin = modelled->start(stream), end = begin + modelled->copy_seconds(box_);
    stream.modelled_until(end);
    note_timed(stream, "copy", "memory", begin, end);
  }
  return hipSuccess;
}

hipError_t copy(Platform& platform, Stream& stream, const Box& box, hipMemcpyKind kind, Order order) {
  if (!known_kind(kind)) return hipErrorInvalidMemcpyDirection;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return hipSuccess;
  if (!box.destination || !box.source) return hipErrorInvalidValue;
  if (!is_whole(platform, box.source, box, box.source_pitch, box.source_slice, false) ||
      !is_whole(platform, box.destination, box, box.destination_pitch, box.destination_slice, true))
    return hipErrorInvalidValue;
  const auto source = platform.allocations.find(box.source),
             destination = platform.allocations.find(box.destination);
  const bool source_known = source.has_value(), destination_known = destination.has_value();
  if (kind == hipMemcpyDeviceToDevice && (!source_known || !destination_known) && !platform.xnack)
    return hipErrorInvalidValue;
  if (order != Order::Asynchronous) {
    if (refuse_captured(stream)) return hipErrorStreamCaptureImplicit;
  } else if (const auto noted = capture_copy(stream, box, kind)) {
    return *noted;
  }
  if (const hipError_t failed = stream.device.failure(); failed != hipSuccess) return failed;

  // From host to host the call waits, however it is named.
  const auto on_host = [](const auto& allocation) { return !allocation || allocation->on_host(); };
  if (on_host(source) && on_host(destination)) order = Order::Synchronous;
  // A copy from or to another GPU's memory comes after what that GPU has in its default stream, and in those
  // that it waits for, when the host waits for the copy; and when it is not one between two GPUs, for then
  // that GPU makes it. Source: clr, ihipMemcpyCommand.
  const auto elsewhere = [&](const auto& side) {
    return side && side->kind == Allocation::Kind::Device && side->device != stream.device.ordinal;
  };
  const bool both_on_gpus = source_known && destination_known && source->kind == Allocation::Kind::Device &&
                            destination->kind == Allocation::Kind::Device;
  const bool between_gpus = both_on_gpus && source->device != destination->device;
  Device* owner = nullptr;  // the GPU that makes it, if another one
  std::vector<Ticket> tickets;
  for (const auto* const side : {&source, &destination})
    if (elsewhere(*side) && (order != Order::Asynchronous || !between_gpus)) {
      Device& other = *platform.device((*side)->device);
      const auto null = other.null_stream();
      other.add_default_stream_tickets(*null, tickets);
      tickets.push_back(null->ticket());
      if (!between_gpus) owner = &other;
    }
  if (order == Order::Synchronous)
    for (const Ticket& ticket : tickets) ticket.stream->wait(ticket.number);
  std::vector<unsigned char> staged;
  if (order == Order::Asynchronous && !source_known && plain(box) && box.width <= kStaged) {
    const auto* const bytes = static_cast<const unsigned char*>(box.source);
    staged.assign(bytes, bytes + box.width);
  } else if (!source_known || !destination_known) {
    order = Order::Synchronous;
  }
  const bool all_before =
      std::ranges::all_of(tickets, [](const Ticket& ticket) { return ticket.stream->done(ticket.number); });
  if (order != Order::Asynchronous && all_before && !stream.device.modelled && !checks() &&
      stream.nothing_before()) {
    copy_box(box);
    return hipSuccess;
  }
  if (stream.device.modelled) host_time() += stream.device.modelled->call_seconds();
  const Ticket ticket = stream.enqueue(std::make_shared<CopyOperation>(box, std::move(staged)), tickets);
  const bool in_device_memory = both_on_gpus && !source->synchronous && !destination->synchronous;
  if (owner && order == Order::Asynchronous)
    owner->null_stream()->enqueue(std::make_shared<Marker>(), {ticket});
  if (in_device_memory && order == Order::Peer && destination->device != stream.device.ordinal)
    platform.device(destination->device)->null_stream()->enqueue(std::make_shared<Marker>(), {ticket});
  if ((in_device_memory && (order == Order::Peer || source->device == destination->device)) ||
      (order == Order::Asynchronous && destination_known))
    return hipSuccess;
  stream.wait(ticket.number);
  return stream.device.failure();
}

}  // namespace wavesmith::runtime
