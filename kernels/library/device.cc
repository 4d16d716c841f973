#include "kernels/library/device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gemm/configuration.h"
#include "kernels/library/hip.h"

namespace wavesmith::kernels {
namespace {

/// Whether HIP says `major` and `minor` of devices of this target: its name ends with the minor version and
/// the stepping, a hexadecimal digit each.
bool is_version(std::string_view target, int major, int minor) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  return target == "gfx" + std::to_string(major) + kDigits[static_cast<size_t>(minor & 15)] + target.back();
}

wavesmith_kernels_status hip_failed(const char* call, int error) {
  const char* const name = hipGetErrorName(error);
  return fail(WAVESMITH_KERNELS_HIP_ERROR,
              std::string(call) + " returned " + (name ? name : std::to_string(error)));
}

/// The code objects: WAVESMITH_KERNELS_FOLDER, or the folder "kernels" beside this library or beside its
/// parent.
std::vector<std::string> folders() {
  if (const char* const named = std::getenv("WAVESMITH_KERNELS_FOLDER")) return {named};
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&wavesmith_kernels_message), &info) == 0 || !info.dli_fname)
    return {};
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  const std::string here = slash == std::string::npos ? "." : path.substr(0, slash);
  return {here + "/kernels", here + "/../kernels"};
}

wavesmith_kernels_status load(Device& device) {
  int major = 0, minor = 0;
  const std::pair<int, int*> attributes[] = {{kComputeCapabilityMajor, &major},
                                             {kComputeCapabilityMinor, &minor},
                                             {kMultiprocessorCount, &device.compute_units},
                                             {kMaxThreadsPerMultiProcessor, &device.threads_per_unit}};
  for (const auto& [attribute, value] : attributes)
    if (const int error = hipDeviceGetAttribute(value, attribute, device.number))
      return hip_failed("hipDeviceGetAttribute", error);
  for (const GemmConfiguration& tile : gemm_configurations())
    if (is_version(tile.target, major, minor)) device.target = tile.target;
  if (device.target.empty())
    return fail(WAVESMITH_KERNELS_NO_CODE, "device " + std::to_string(device.number) +
                                               " has compute capability " + std::to_string(major) + "." +
                                               std::to_string(minor) +
                                               ", for which the library has no code object");
  std::string looked_at;
  for (const std::string& folder : folders()) {
    const std::string path = folder + "/" + std::string(device.target) + ".co";
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      looked_at += (looked_at.empty() ? "" : " or ") + path;
      continue;
    }
    const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (const int error = hipModuleLoadData(&device.module, image.data()))
      return hip_failed("hipModuleLoadData", error);
    device.folder = folder;
    return succeed();
  }
  return fail(WAVESMITH_KERNELS_NO_CODE, "there is no code object " + looked_at);
}

struct Function {
  void* function = nullptr;  ///< hipFunction_t
  bool is_launched = false;  ///< since take_launched()
};

struct Loaded {
  Device device;
  wavesmith_kernels_status status = WAVESMITH_KERNELS_SUCCESS;
  std::string message;
  std::map<std::string, Function, std::less<>> functions;
};

std::mutex mutex;
/// By number. Never destroyed: threads may launch while the process ends.
auto& devices = *new std::map<int, Loaded>;

}  // namespace

wavesmith_kernels_status current_device(const Device*& device) {
  int number = 0;
  if (const int error = hipGetDevice(&number)) return hip_failed("hipGetDevice", error);
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = devices.try_emplace(number);
  Loaded& loaded = found->second;
  if (is_new) {
    loaded.device.number = number;
    loaded.status = load(loaded.device);
    loaded.message = message();
  }
  device = &loaded.device;
  return loaded.status == WAVESMITH_KERNELS_SUCCESS ? succeed() : fail(loaded.status, loaded.message);
}

wavesmith_kernels_status launch(const Device& device, const char* kernel, const Grid& grid,
                                const void* argument, size_t bytes, void* stream) {
  void* function = nullptr;
  {
    const std::scoped_lock lock(mutex);
    auto& functions = devices.at(device.number).functions;
    auto found = functions.find(std::string_view(kernel));
    if (found == functions.end()) {
      if (const int error = hipModuleGetFunction(&function, device.module, kernel))
        return hip_failed("hipModuleGetFunction", error);
      found = functions.emplace(kernel, Function{function}).first;
    }
    found->second.is_launched = true;
    function = found->second.function;
  }
  // HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END
  void* extra[] = {reinterpret_cast<void*>(1), const_cast<void*>(argument), reinterpret_cast<void*>(2),
                   &bytes, reinterpret_cast<void*>(3)};
  if (const int error = hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, grid.threads, 1, 1,
                                              grid.shared, stream, nullptr, extra))
    return hip_failed("hipModuleLaunchKernel", error);
  return succeed();
}

std::vector<std::pair<std::string_view, std::string>> take_launched() {
  const std::scoped_lock lock(mutex);
  std::vector<std::pair<std::string_view, std::string>> launched;
  for (auto& [number, loaded] : devices)
    for (auto& [name, function] : loaded.functions)
      if (std::exchange(function.is_launched, false)) launched.emplace_back(loaded.device.target, name);
  return launched;
}

}  // namespace wavesmith::kernels

const char* wavesmith_kernels_message(void) { return wavesmith::kernels::message(); }
