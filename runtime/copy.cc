#include "runtime/copy.h"

#include <cstring>

namespace wavesmith::runtime {
namespace {

/// Pageable sources up to this are copied aside; for larger ones the call waits.
constexpr size_t kStaged = size_t{64} << 10;

bool plain(const Box& box) { return box.height == 1 && box.depth == 1; }

/// Bytes from the first to the last one that one side of a box touches.
size_t reach(const Box& box, size_t pitch, size_t slice) {
  return box.width + (box.height - 1) * pitch + (box.depth - 1) * slice;
}

bool known_kind(hipMemcpyKind kind) {
  return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) || kind == hipMemcpyDeviceToDeviceNoCU;
}

}  // namespace

void copy_box(const Box& box) {
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

hipError_t CopyOperation::run(Stream&) {
  copy_box(box_);
  return hipSuccess;
}

hipError_t copy(Platform& platform, Stream& stream, const Box& box, hipMemcpyKind kind, Order order) {
  if (!known_kind(kind)) return hipErrorInvalidMemcpyDirection;
  if (box.width == 0 || box.height == 0 || box.depth == 0) return hipSuccess;
  if (!box.destination || !box.source) return hipErrorInvalidValue;
  if (!platform.allocations.contains_or_foreign(box.source, reach(box, box.source_pitch, box.source_slice)) ||
      !platform.allocations.contains_or_foreign(box.destination,
                                                reach(box, box.destination_pitch, box.destination_slice)))
    return hipErrorInvalidValue;
  const auto source = platform.allocations.find(box.source),
             destination = platform.allocations.find(box.destination);
  const bool source_known = source.has_value(), destination_known = destination.has_value();
  // The arena is the device's: what is not allocated there is nobody's.
  if ((!source_known && platform.memory->in_arena(box.source)) ||
      (!destination_known && platform.memory->in_arena(box.destination)))
    return hipErrorInvalidValue;
  if (kind == hipMemcpyDeviceToDevice && (!source_known || !destination_known) && !platform.xnack)
    return hipErrorInvalidValue;
  if (order == Order::Synchronous) {
    if (refuse_captured(stream)) return hipErrorStreamCaptureImplicit;
  } else if (const auto noted = capture_copy(stream, box, kind)) {
    return *noted;
  }
  if (const hipError_t failed = stream.device.failure(); failed != hipSuccess) return failed;

  // From host to host the call waits, however it is named.
  const auto on_host = [](const auto& allocation) { return !allocation || allocation->on_host(); };
  if (on_host(source) && on_host(destination)) order = Order::Synchronous;
  // A synchronous copy from or to another GPU's memory comes after what that GPU's default stream has.
  if (order == Order::Synchronous)
    for (const auto* const side : {&source, &destination})
      if (*side && (*side)->kind == Allocation::Kind::Device && (*side)->device != stream.device.ordinal)
        platform.device((*side)->device)->null_stream()->wait_all();
  std::vector<unsigned char> staged;
  if (order == Order::Asynchronous && !source_known && plain(box) && box.width <= kStaged) {
    const auto* const bytes = static_cast<const unsigned char*>(box.source);
    staged.assign(bytes, bytes + box.width);
  } else if (!source_known || !destination_known) {
    order = Order::Synchronous;
  }
  if (order == Order::Synchronous && stream.nothing_before()) {
    copy_box(box);
    return hipSuccess;
  }
  const Ticket ticket = stream.enqueue(std::make_shared<CopyOperation>(box, std::move(staged)));
  const bool within_device = source_known && destination_known && source->kind == Allocation::Kind::Device &&
                             destination->kind == Allocation::Kind::Device &&
                             source->device == destination->device && !source->synchronous &&
                             !destination->synchronous;
  if (within_device || (order == Order::Asynchronous && destination_known)) return hipSuccess;
  stream.wait(ticket.number);
  return stream.device.failure();
}

}  // namespace wavesmith::runtime
