// Copies: every kind is a box of bytes with a pitch on each side.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/abi/memory.h"
#include "runtime/device/platform.h"

namespace wavesmith::runtime {

/// `depth` slices of `height` rows of `width` bytes. A plain copy is one row.
struct Box {
  void* destination = nullptr;
  const void* source = nullptr;
  size_t width = 0, height = 1, depth = 1;
  size_t destination_pitch = 0, source_pitch = 0;  ///< from row to row
  size_t destination_slice = 0, source_slice = 0;  ///< from slice to slice
};

/// A position in pitched memory of rows and slices.
struct PitchedPosition {
  char* base = nullptr;
  size_t x = 0, y = 0, z = 0;  ///< from `base`: in bytes, rows and slices
  size_t pitch = 0;            ///< from row to row; 0: they lie side by side
  size_t height = 0;           ///< rows of a slice; 0: as many as are copied
};

PitchedPosition pitched_side(const hipPitchedPtr& memory, const hipPos& at);

/// The box for a copy of that extent.
Box box_between(const PitchedPosition& to, const PitchedPosition& from, hipExtent extent);

void copy_box(const Box& box);

/// Copies a box in stream order.
class CopyOperation final : public Operation {
 public:
  explicit CopyOperation(const Box& box, std::vector<unsigned char> staged = {});
  hipError_t run(Stream& stream) override;
  [[nodiscard]] const Box& box() const { return box_; }

 private:
  Box box_;
  std::vector<unsigned char> staged_;  ///< the source's bytes, taken when the copy was asked for
};

/// The ordering that the caller requests. A synchronous copy within device memory is still only enqueued, as
/// on a GPU: the host notices that only by querying the stream.
enum class Order {
  Synchronous,
  Asynchronous,
  Peer,  ///< hipMemcpyPeer: as synchronous, but the host waits for no device memory, nor for whose turn it is
};

/// Checks a copy as the real runtime does, then does or enqueues it. Pageable host memory may change or be
/// freed as soon as an asynchronous call returns, so its bytes are staged before, or the call waits.
hipError_t copy(Platform& platform, Stream& stream, const Box& box, hipMemcpyKind kind, Order order);

}  // namespace wavesmith::runtime
