// Kernel launches: turn a function, a grid and arguments into an operation of a stream.
#pragma once

#include <memory>

#include "runtime/abi/launch.h"
#include "runtime/launch/kernarg.h"
#include "runtime/launch/module.h"
#include "runtime/stream/stream.h"

namespace wavesmith::runtime {

/// The shared state of grids launched together on several devices, which meet at barriers.
struct GridSet {
  std::shared_ptr<Block> meeting;  ///< device memory, zero: where they count who has arrived
  uint32_t grids = 1;
  uint64_t items = 0;  ///< work-items of all of them
};

/// The parameters of all kinds of launches.
struct LaunchRequest {
  KernelFunction* function = nullptr;
  Geometry geometry;
  void** arguments = nullptr;  ///< a pointer to each argument
  void** extra = nullptr;      ///< or HIP_LAUNCH_PARAM_BUFFER_POINTER ...
  const void* host = nullptr;  ///< the kernel's stub, when it was launched by it
  bool cooperative = false;
  const GridSet* set = nullptr;  ///< a grid of several: which one, and the work-items of those before it
  uint32_t place = 0;
  uint64_t items_before = 0;
};

/// Converts a grid in blocks to work-items. False: an axis exceeds 2^32 - 1, the limit of a dispatch packet.
bool set_geometry(Geometry& geometry, dim3 grid, dim3 block, size_t shared);

/// A kernel launch with its own copy of the arguments, so that it can be executed again.
class LaunchOperation final : public Operation {
 public:
  LaunchOperation(std::shared_ptr<Module> module, KernelFunction& function, const Geometry& geometry,
                  Block memory, uint32_t packet_offset, std::shared_ptr<Block> meeting)
      : module_(std::move(module)),
        function_(function),
        geometry_(geometry),
        memory_(std::move(memory)),
        packet_offset_(packet_offset),
        meeting_(std::move(meeting)) {}
  hipError_t run(Stream& stream) override;

  [[nodiscard]] const KernelFunction& function() const { return function_; }
  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  [[nodiscard]] uint8_t* arguments() const { return memory_.data(); }

 private:
  std::shared_ptr<Module> module_;  ///< keeps the code alive
  KernelFunction& function_;
  Geometry geometry_;
  Block memory_;  ///< arguments, then the dispatch packet and what grid barriers need
  uint32_t packet_offset_;
  std::shared_ptr<Block> meeting_;  ///< where the grids of a set meet; empty for a grid of its own
};

/// Checks a launch as the real runtime does, reads the arguments, and makes its operation.
hipError_t make_launch(Platform& platform, Device& device, const LaunchRequest& request,
                       std::shared_ptr<LaunchOperation>& operation);
/// The same, and enqueues it.
hipError_t launch(Platform& platform, Stream& stream, const LaunchRequest& request);

}  // namespace wavesmith::runtime
