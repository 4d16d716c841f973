// Random numbers of the device, as PyTorch has them on CUDA: a generator is a seed and an offset.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include "device/hip.h"

namespace wavesmith::device {

// A device's default generator.
const at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);
// What draws for a generator of ours on the host: another sequence each time, that of the seed at first.
at::Generator host_generator(const at::Generator& generator);

// Where a kernel's numbers begin: see wavesmith_random_source.
struct DrawSource {
  std::uint64_t seed, offset;
  const std::uint64_t* state;
};
// Has a kernel draw of a generator, without one of the device's: `launch` tells by how much the offset grows.
void draw(const std::optional<at::Generator>& generator, c10::DeviceIndex device, hipStream_t stream,
          const std::function<std::uint64_t(const DrawSource&)>& launch);

struct GeneratorState;

// What a graph's kernels draw: each replay goes on where the generators are then.
class GraphDraws {
 public:
  GraphDraws() = default;
  ~GraphDraws() { forget(); }
  GraphDraws(const GraphDraws&) = delete;
  GraphDraws& operator=(const GraphDraws&) = delete;

  void begin(hipStream_t stream);
  void end();
  void replay(hipStream_t stream);
  void forget();

 private:
  friend void draw(const std::optional<at::Generator>&, c10::DeviceIndex, hipStream_t,
                   const std::function<std::uint64_t(const DrawSource&)>&);

  // Of one generator: its seed and offset in the device's memory, and how far the graph moves the offset.
  struct Share {
    std::shared_ptr<GeneratorState> state;
    std::uint64_t* memory;
    std::uint64_t used;
  };
  Share& share_of(const std::shared_ptr<GeneratorState>& state);

  unsigned long long capture_ = 0;
  std::vector<Share> shares_;
};

}  // namespace wavesmith::device
