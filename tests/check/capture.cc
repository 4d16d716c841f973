// Keeps launches of a HIP program: LD_PRELOAD=libwavesmith_capture.so WAVESMITH_CAPTURE=FOLDER/PREFIX. Of
// each kernel one, the first of two workgroups and more where there is one: PREFIX_KERNEL.json, how it is
// launched, and .bin, what the memory holds that its arguments point to. wavesmith_mutants makes it again.
//
// Of launches by hipModuleLaunchKernel with one buffer of arguments all are kept. Of those of a program's own
// kernels, kernel<<<...>>>, the ones that the file WAVESMITH_CAPTURE_KERNELS names: lines of the name that a
// kernel is kept under, its symbol, and OFFSET:BYTES of each argument.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

extern "C" int hipMemcpy(void* to, const void* from, size_t bytes, int kind);

namespace {

/// Launches whose memory is larger are not kept.
constexpr size_t kMostBytes = 32 << 20;

/// A kernel of the program that is to be kept.
struct Wanted {
  std::string name;
  std::vector<std::pair<size_t, size_t>> arguments;  ///< offsets and bytes
};

/// By symbol.
std::map<std::string, Wanted> wanted_kernels() {
  std::map<std::string, Wanted> all;
  const char* const path = std::getenv("WAVESMITH_CAPTURE_KERNELS");
  std::ifstream file(path ? path : "");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string symbol, argument;
    Wanted one;
    words >> one.name >> symbol;
    while (words >> argument) {
      const size_t colon = argument.find(':');
      one.arguments.emplace_back(std::stoul(argument.substr(0, colon)),
                                 std::stoul(argument.substr(colon + 1)));
    }
    all[symbol] = one;
  }
  return all;
}

struct Captured {
  std::mutex mutex;
  std::map<uintptr_t, size_t> memory;  ///< of hipMalloc, by address
  std::map<const void*, std::string> functions;
  std::map<std::string, bool> kept;  ///< by name; whether with several workgroups
  const std::map<std::string, Wanted> wanted = wanted_kernels();
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

struct Extent {
  unsigned x, y, z;
};

/// A launch of workgroups of one axis.
struct Launch {
  std::string name, symbol;
  Extent grid;  ///< workgroups
  unsigned threads;
  size_t shared_bytes;
  std::vector<unsigned char> arguments;
  bool cooperative = false;
};

std::string list_of(const std::vector<Buffer>& buffers) {
  std::string text;
  for (const Buffer& buffer : buffers) text += (text.empty() ? "" : ", ") + std::to_string(buffer.size);
  return text;
}

/// The memory that the arguments point to, and where they do: "[offset, number of the buffer, offset in it]".
std::pair<std::vector<Buffer>, std::string> pointed_to(const std::vector<unsigned char>& arguments) {
  std::vector<Buffer> used;
  std::string pointers;
  for (size_t place = 0; place + 8 <= arguments.size(); place += 8) {
    uintptr_t value = 0;
    std::memcpy(&value, &arguments[place], sizeof value);
    auto after = captured().memory.upper_bound(value);
    if (after == captured().memory.begin()) continue;
    --after;
    if (value >= after->first + after->second) continue;
    size_t index = 0;
    while (index < used.size() && used[index].address != after->first) ++index;
    if (index == used.size()) used.push_back({after->first, after->second});
    pointers += (pointers.empty() ? "[" : ", [") + std::to_string(place) + ", " + std::to_string(index) +
                ", " + std::to_string(value - after->first) + "]";
  }
  return {used, pointers};
}

void write(const Launch& launch, const std::vector<Buffer>& used, const std::string& pointers) {
  const std::string at = std::string(std::getenv("WAVESMITH_CAPTURE")) + "_" + launch.name;
  if (std::FILE* const file = std::fopen((at + ".bin").c_str(), "wb")) {
    for (const Buffer& buffer : used) {
      std::vector<char> contents(buffer.size);
      hipMemcpy(contents.data(), reinterpret_cast<const void*>(buffer.address), buffer.size, 2);
      std::fwrite(contents.data(), 1, contents.size(), file);
    }
    std::fclose(file);
  }
  std::string bytes;
  for (const unsigned char byte : launch.arguments) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", byte);
    bytes += hex;
  }
  if (std::FILE* const file = std::fopen((at + ".json").c_str(), "w")) {
    std::fprintf(file,
                 "{\"symbol\": \"%s\", \"grid\": [%u, %u, %u], \"threads\": %u, \"shared\": %zu, "
                 "\"cooperative\": %s, \"arguments\": \"%s\", \"sizes\": [%s], \"pointers\": [%s]}\n",
                 launch.symbol.c_str(), launch.grid.x, launch.grid.y, launch.grid.z, launch.threads,
                 launch.shared_bytes, launch.cooperative ? "true" : "false", bytes.c_str(),
                 list_of(used).c_str(), pointers.c_str());
    std::fclose(file);
  }
}

std::string symbol_of(const void* function) {
  const std::scoped_lock lock(captured().mutex);
  return captured().functions[function];
}

/// Keeps one that is not there yet.
void keep(const Launch& launch) {
  const char* const prefix = std::getenv("WAVESMITH_CAPTURE");
  if (!prefix) return;
  std::vector<Buffer> used;
  std::string pointers;
  {
    const std::scoped_lock lock(captured().mutex);
    const bool several = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z > 1;
    const auto found = captured().kept.find(launch.name);
    if (found != captured().kept.end() && (found->second || !several)) return;
    std::tie(used, pointers) = pointed_to(launch.arguments);
    size_t total = 0;
    for (const Buffer& buffer : used) total += buffer.size;
    if (total > kMostBytes) return;
    captured().kept[launch.name] = several;
  }
  write(launch, used, pointers);
}

/// Of a program's own kernels.
void keep_wanted(const void* function, Extent grid, Extent block, void** arguments, size_t shared_bytes,
                 bool cooperative) {
  const std::string symbol = symbol_of(function);
  const auto wanted = captured().wanted.find(symbol);
  if (wanted == captured().wanted.end() || block.y * block.z != 1) return;
  Launch launch{wanted->second.name, symbol, grid, block.x, shared_bytes, {}, cooperative};
  size_t index = 0;
  for (const auto& [offset, bytes] : wanted->second.arguments) {
    launch.arguments.resize(offset + bytes);
    std::memcpy(&launch.arguments[offset], arguments[index++], bytes);
  }
  keep(launch);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

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

void __hipRegisterFunction(void** modules, const void* host, char* device, const char* name, unsigned limit,
                           void* thread, void* block, void* block_size, void* grid_size, int* wave) {
  next(__hipRegisterFunction, "__hipRegisterFunction")(modules, host, device, name, limit, thread, block,
                                                       block_size, grid_size, wave);
  const std::scoped_lock lock(captured().mutex);
  captured().functions[host] = name;
}

int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                          void** parameters, void** extra) {
  if (extra && block_y * block_z == 1) {
    const auto* const arguments = static_cast<const unsigned char*>(extra[1]);
    const std::string name = symbol_of(function);
    keep({name,
          name,
          {grid_x, grid_y, grid_z},
          block_x,
          shared_bytes,
          {arguments, arguments + *static_cast<const size_t*>(extra[3])}});
  }
  return next(hipModuleLaunchKernel, "hipModuleLaunchKernel")(
      function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra);
}

int hipLaunchKernel(const void* function, Extent grid, Extent block, void** arguments, size_t shared_bytes,
                    void* stream) {
  keep_wanted(function, grid, block, arguments, shared_bytes, false);
  return next(hipLaunchKernel, "hipLaunchKernel")(function, grid, block, arguments, shared_bytes, stream);
}

int hipLaunchCooperativeKernel(const void* function, Extent grid, Extent block, void** arguments,
                               unsigned shared_bytes, void* stream) {
  keep_wanted(function, grid, block, arguments, shared_bytes, true);
  return next(hipLaunchCooperativeKernel, "hipLaunchCooperativeKernel")(function, grid, block, arguments,
                                                                        shared_bytes, stream);
}

}  // extern "C"
#pragma GCC visibility pop
