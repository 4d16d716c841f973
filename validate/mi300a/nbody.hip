// A step of N bodies, each drawn by all: tiles of 256 bodies go through a scratch buffer in device memory,
// which all workgroups write: only the times are meant, not the positions.
#include "benchmark.h"

__global__ void advance(float4* positions, float4* velocities, int bodies, float step, float softening,
                        float4* scratch, float4* new_positions, float4* new_velocities) {
  const unsigned thread = threadIdx.x, body = blockDim.x * blockIdx.x + threadIdx.x, tile = blockDim.x;
  const unsigned tiles = bodies / tile;
  const float4 own = positions[body];
  float4 pull = make_float4(0, 0, 0, 0);
  for (int i = 0; i < static_cast<int>(tiles); ++i) {
    scratch[thread] = positions[i * tile + thread];
    __syncthreads();
    for (unsigned j = 0; j < tile; ++j) {
      const float4 other = scratch[j];
      const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
      const float square = x * x + y * y + z * z;
      const float inverse = 1.0f / sqrtf(square + softening);
      const float cube = inverse * inverse * inverse;
      const float weight = other.w * cube;
      pull.x += weight * x;
      pull.y += weight * y;
      pull.z += weight * z;
    }
    __syncthreads();
  }
  const float4 old = velocities[body];
  new_positions[body] = make_float4(own.x + old.x * step + pull.x * 0.5f * step * step,
                                    own.y + old.y * step + pull.y * 0.5f * step * step,
                                    own.z + old.z * step + pull.z * 0.5f * step * step, own.w);
  new_velocities[body] = make_float4(old.x + pull.x * step, old.y + pull.y * step, old.z + pull.z * step, old.w);
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const int bodies = static_cast<int>(options.value("--bodies", 1024));
  const unsigned blocks = bench::blocks_for(bodies, 256);
  const bench::Buffer<float4> positions(bodies), velocities(bodies), new_positions(bodies), new_velocities(bodies),
      scratch(size_t{blocks} * 256);
  positions.fill(-1, 1), velocities.fill(0, 0);
  bench::measure("nbody", std::to_string(bodies) + "_particles", options.iterations(), [&] {
    advance<<<blocks, 256>>>(positions.data(), velocities.data(), bodies, 0.005f, 50.f, scratch.data(),
                             new_positions.data(), new_velocities.data());
  });
}
