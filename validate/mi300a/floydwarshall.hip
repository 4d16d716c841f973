// All shortest paths: a launch for each node that paths may now lead through, 8 x 8 threads per workgroup.
#include "benchmark.h"

__global__ void pass(unsigned* distances, unsigned* through, const unsigned nodes, const unsigned node) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
  const int direct = distances[y * nodes + x];
  const int detour = distances[y * nodes + node] + distances[node * nodes + x];
  if (detour < direct) {
    distances[y * nodes + x] = detour;
    through[y * nodes + x] = node;
  }
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const unsigned nodes = static_cast<unsigned>(options.value("--nodes", 256));
  std::vector<unsigned> lengths(size_t{nodes} * nodes), last(lengths.size());
  for (unsigned from = 0; from < nodes; ++from)
    for (unsigned to = 0; to < nodes; ++to) {
      const size_t i = size_t{from} * nodes + to;
      lengths[i] = from == to ? 0 : bench::scramble(static_cast<unsigned>(i)) % 100 + 1;
      last[i] = from;
    }
  const bench::Buffer<unsigned> distances(lengths.size()), through(lengths.size());
  const dim3 block(8, 8), grid(bench::blocks_for(nodes, 8), bench::blocks_for(nodes, 8));
  bench::measure("floydwarshall", std::to_string(nodes) + "_nodes", options.iterations(), [&] {
    bench::check(hipMemcpy(distances.data(), lengths.data(), distances.bytes(), hipMemcpyHostToDevice), "hipMemcpy");
    bench::check(hipMemcpy(through.data(), last.data(), through.bytes(), hipMemcpyHostToDevice), "hipMemcpy");
    for (unsigned node = 0; node < nodes; ++node)
      pass<<<grid, block>>>(distances.data(), through.data(), nodes, node);
    bench::check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  });
}
