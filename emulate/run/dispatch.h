// Running a grid: what a packet of the command processor asks for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/extent3.h"
#include "base/result.h"
#include "emulate/memory/memory.h"
#include "emulate/run/order.h"
#include "emulate/translate/program.h"
#include "object/kernel.h"

namespace wavesmith::emulate {

class Listener;

/// The barrier of a cooperative launch, at which one wave of each workgroup arrives (ds_gws_barrier).
struct GridBarrier {
  uint64_t members = 0;  ///< workgroups
  std::atomic<uint64_t> arrived{0}, phase{0};
};

/// A kernel launch. Sizes are in work-items; a grid need not be a multiple of the workgroup.
struct Dispatch {
  Program* program = nullptr;
  const object::Kernel* kernel = nullptr;
  uint64_t entry = 0;  ///< address of the first instruction
  Extent3 grid;        ///< work-items
  Extent3 workgroup;
  const void* kernarg = nullptr;
  uint32_t dynamic_lds = 0;      ///< bytes beyond the kernel's own
  const void* packet = nullptr;  ///< for kernels that ask for the dispatch pointer
  const void* queue = nullptr;
  uint64_t dispatch_id = 0;
  uint32_t shader_mhz = 1000, realtime_mhz = 100;  ///< of the clocks that kernels read
  uint64_t most_resident = 2048;  ///< workgroups that the GPU holds at once; those make progress together
  void (*serve)(void* context) =
      nullptr;  ///< called again and again meanwhile: answers what waves ask of the host
  void* serve_context = nullptr;
  GridBarrier* grid_barrier = nullptr;    ///< of a cooperative launch
  std::vector<Listener*> listeners = {};  ///< hear of what happens (emulate/run/events.h)
  /// These workgroups alone are run, by number, the first axis fastest; nullptr: all. Results are then those
  /// of a part of the grid.
  const std::vector<uint64_t>* only = nullptr;
  Order order = Order();  ///< of workgroups and waves
  /// Called now and then by each of the threads: so many of the workgroups have begun, so many
  /// wave-instructions are done.
  std::function<void(uint64_t begun, uint64_t workgroups, uint64_t instructions)> progress = {};
  std::function<std::string(uint64_t)> locate =
      {};  ///< which function and source line a pc belongs to, for messages
};

struct Limits {
  int threads = 0;            ///< host threads; 0: all
  uint64_t instructions = 0;  ///< budget of wave-instructions; 0: none
  double seconds = 0;         ///< budget of time; 0: none
};

/// What a run executed.
struct Statistics {
  uint64_t workgroups = 0, waves = 0, instructions = 0;
};

/// Runs a grid to its end. Error: the kernel's fault, with kernel, pc and instruction in `where`.
Result<Statistics> run(const Dispatch& dispatch, const Memory& memory, const Limits& limits);

}  // namespace wavesmith::emulate
