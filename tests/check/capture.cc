// Keeps the launches of a program that uses HIP's module interface with one buffer of arguments, as our
// kernel library does: LD_PRELOAD=libwavesmith_capture.so WAVESMITH_CAPTURE=FOLDER/PREFIX. For each kernel
// one launch, the first of two workgroups and more where there is one: PREFIX_KERNEL.json, how it is
// launched, and .bin, what the memory holds that its arguments point to. replay.py makes it again.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

/// Launches whose memory is larger are not kept.
constexpr size_t kMostBytes = 32 << 20;

struct Captured {
  std::mutex mutex;
  std::map<uintptr_t, size_t> memory;  ///< of hipMalloc, by address
  std::map<void*, std::string> functions;
  std::map<std::string, bool> kept;  ///< by kernel; whether with several workgroups
};
Captured& captured() {
  static Captured one;
  return one;
}

template <class Function>
Function next(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

struct Buffer {
  uintptr_t address;
  size_t size;
};

std::string list_of(const std::vector<Buffer>& buffers) {
  std::string text;
  for (const Buffer& buffer : buffers) text += (text.empty() ? "" : ", ") + std::to_string(buffer.size);
  return text;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int hipMemcpy(void* to, const void* from, size_t bytes, int kind);

int hipMalloc(void** pointer, size_t bytes) {
  const int error = next(hipMalloc, "hipMalloc")(pointer, bytes);
  const std::scoped_lock lock(captured().mutex);
  if (error == 0) captured().memory[reinterpret_cast<uintptr_t>(*pointer)] = bytes;
  return error;
}

int hipFree(void* pointer) {
  {
    const std::scoped_lock lock(captured().mutex);
    captured().memory.erase(reinterpret_cast<uintptr_t>(pointer));
  }
  return next(hipFree, "hipFree")(pointer);
}

int hipModuleGetFunction(void** function, void* module, const char* name) {
  const int error = next(hipModuleGetFunction, "hipModuleGetFunction")(function, module, name);
  const std::scoped_lock lock(captured().mutex);
  if (error == 0) captured().functions[*function] = name;
  return error;
}

int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                          void** parameters, void** extra) {
  const auto launch = [&] {
    return next(hipModuleLaunchKernel, "hipModuleLaunchKernel")(
        function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra);
  };
  const char* const prefix = std::getenv("WAVESMITH_CAPTURE");
  if (!prefix || !extra || block_y * block_z != 1) return launch();
  std::string name;
  std::vector<Buffer> used;
  const auto* const arguments = static_cast<const unsigned char*>(extra[1]);
  const size_t size = *static_cast<const size_t*>(extra[3]);
  std::string pointers, bytes;
  {
    const std::scoped_lock lock(captured().mutex);
    name = captured().functions[function];
    const bool several = grid_x * grid_y * grid_z > 1;
    const auto found = captured().kept.find(name);
    if (found != captured().kept.end() && (found->second || !several)) return launch();
    size_t total = 0;
    for (size_t place = 0; place + 8 <= size; place += 8) {
      uintptr_t value = 0;
      std::memcpy(&value, arguments + place, sizeof value);
      auto after = captured().memory.upper_bound(value);
      if (after == captured().memory.begin()) continue;
      --after;
      if (value >= after->first + after->second) continue;
      size_t index = 0;
      while (index < used.size() && used[index].address != after->first) ++index;
      if (index == used.size()) {
        used.push_back({after->first, after->second});
        total += after->second;
      }
      pointers += (pointers.empty() ? "[" : ", [") + std::to_string(place) + ", " + std::to_string(index) +
                  ", " + std::to_string(value - after->first) + "]";
    }
    if (total > kMostBytes) return launch();
    captured().kept[name] = several;
  }
  char hex[3];
  for (size_t i = 0; i < size; ++i) {
    std::snprintf(hex, sizeof hex, "%02x", arguments[i]);
    bytes += hex;
  }
  const std::string at = std::string(prefix) + "_" + name;
  if (std::FILE* const file = std::fopen((at + ".bin").c_str(), "wb")) {
    for (const Buffer& buffer : used) {
      std::vector<char> contents(buffer.size);
      hipMemcpy(contents.data(), reinterpret_cast<const void*>(buffer.address), buffer.size, 2);
      std::fwrite(contents.data(), 1, contents.size(), file);
    }
    std::fclose(file);
  }
  if (std::FILE* const file = std::fopen((at + ".json").c_str(), "w")) {
    std::fprintf(file,
                 "{\"symbol\": \"%s\", \"grid\": [%u, %u, %u], \"threads\": %u, \"shared\": %u, "
                 "\"arguments\": \"%s\", \"sizes\": [%s], \"pointers\": [%s]}\n",
                 name.c_str(), grid_x, grid_y, grid_z, block_x, shared_bytes, bytes.c_str(),
                 list_of(used).c_str(), pointers.c_str());
    std::fclose(file);
  }
  return launch();
}

}  // extern "C"
#pragma GCC visibility pop
