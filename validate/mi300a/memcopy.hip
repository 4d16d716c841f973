// hipMemcpy in three directions, between pageable memory of the host and the GPU's.
#include "benchmark.h"

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const long megabytes = options.value("--size", 4);
  const size_t bytes = static_cast<size_t>(megabytes) << 20;
  const std::string size = std::to_string(megabytes) + "MB";
  std::vector<float> from(bytes / 4, 1.f), to(bytes / 4);
  const bench::Buffer<char> device(bytes);
  const auto copy = [&](const char* name, void* destination, const void* source, hipMemcpyKind kind) {
    bench::measure(name, size, options.iterations(),
                   [&] { bench::check(hipMemcpy(destination, source, bytes, kind), "hipMemcpy"); });
  };
  copy("memcopy_h2d", device.data(), from.data(), hipMemcpyHostToDevice);
  copy("memcopy_d2h", to.data(), device.data(), hipMemcpyDeviceToHost);
  const bench::Buffer<char> second(bytes);
  copy("memcopy_d2d", second.data(), device.data(), hipMemcpyDeviceToDevice);
}
