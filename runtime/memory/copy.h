// Copies: every kind is a box of bytes with pitches on both sides.
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

/// A place in memory of rows and slices.
struct PitchedPosition {
  char* base = nullptr;
  size_t x = 0, y = 0, z = 0;  ///< from `base`: in bytes, rows and slices
  size_t pitch = 0;            ///< from row to row; 0: they lie side by side
  size_t height = 0;           ///< rows of a slice; 0: as many as are copied
};

PitchedPosition pitched_side(const hipPitchedPtr& memory, const hipPos& at);

/// What is copied from one place to another.
Box box_between(const PitchedPosition& to, const PitchedPosition& from, hipExtent extent);

void copy_box(const Box& box);

/// Copies a box when its turn comes.
class CopyOperation final : public Operation {
 public:
  explicit CopyOperation(const Box& box, std::vector<unsigned char> staged = {});
  hipError_t run(Stream& stream) override;
  [[nodiscard]] const Box& box() const { return box_; }

 private:
  Box box_;
  std::vector<unsigned char> staged_;  ///< the source's bytes, taken when the copy was asked for
};

/// How the caller wants it. A synchronous copy within device memory is done when its turn in the stream comes
/// all the same: nobody on the host can tell but by asking the stream, which then says that it is not done,
/// as on a GPU.
enum class Order {
  Synchronous,
  Asynchronous,
  Peer,  ///< hipMemcpyPeer: as synchronous, but the host waits for no device memory, nor for whose turn it is
};

/// Checks a copy as the real runtime does and does or enqueues it. Pageable memory of the host may change or
/// go as soon as an asynchronous call returns, so that its bytes are taken before, or the call waits.
hipError_t copy(Platform& platform, Stream& stream, const Box& box, hipMemcpyKind kind, Order order);

}  // namespace wavesmith::runtime
