#include "study/tune/launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "study/hip_library.h"
#include "toolchain/discover.h"

namespace wavesmith::study {
namespace {

/// The functions of the kernel library that are called.
struct KernelLibrary {
  decltype(&wavesmith_kernels_gemm) gemm = nullptr;
  decltype(&wavesmith_kernels_gemm_with) gemm_with = nullptr;
  decltype(&wavesmith_kernels_gemm_check) gemm_check = nullptr;
  decltype(&wavesmith_kernels_gemm_workspace) gemm_workspace = nullptr;
  decltype(&wavesmith_kernels_message) message = nullptr;

  static Result<KernelLibrary> load() {
    const Result<std::string> folder = library_folder(toolchain::discover());
    if (!folder) return tl::unexpected(folder.error());
    void* const handle = dlopen((*folder + "/libwavesmith_kernels.so.0").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return fail(ErrorKind::NotFound, fmt::format("cannot load the kernel library: {}", dlerror()));
    KernelLibrary library;
    bool all = true;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      all = all && function;
    };
    find(library.gemm, "wavesmith_kernels_gemm");
    find(library.gemm_with, "wavesmith_kernels_gemm_with");
    find(library.gemm_check, "wavesmith_kernels_gemm_check");
    find(library.gemm_workspace, "wavesmith_kernels_gemm_workspace");
    find(library.message, "wavesmith_kernels_message");
    if (!all) return fail(ErrorKind::NotFound, "the kernel library lacks a function of this version");
    return library;
  }
};

/// Memory of the GPU for a product.
class Memory {
 public:
  explicit Memory(const HipLibrary& hip) : hip_(hip) {}
  ~Memory() {
    for (void* each : data_) hip_.hipFree(each);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Result<void*> allocate(size_t bytes) {
    if (bytes == 0) return nullptr;
    void* data = nullptr;
    if (const int code = hip_.hipMalloc(&data, bytes))
      return tl::unexpected(hip_.error(code, fmt::format("allocating {} bytes for a product", bytes)));
    data_.push_back(data);
    return data;
  }

 private:
  const HipLibrary& hip_;
  std::vector<void*> data_;
};

}  // namespace

Result<std::string> launch_product(const Product& product, int times) {
  const auto hip = HipLibrary::load();
  if (!hip) return tl::unexpected(hip.error());
  const auto library = KernelLibrary::load();
  if (!library) return tl::unexpected(library.error());
  Memory memory(*hip);
  Addresses addresses{};
  const auto sizes = sizes_of(product);
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto at = memory.allocate(sizes[i]);
    if (!at) return tl::unexpected(at.error());
    addresses[i] = *at;
  }
  constexpr int kToDevice = 1;
  if (addresses.back())
    if (const int code =
            hip->hipMemcpy(addresses.back(), offsets_of(product).data(), sizes.back(), kToDevice))
      return tl::unexpected(hip->error(code, "copying where groups begin"));
  wavesmith_kernels_gemm_description gemm = description_of(product, addresses);
  const char* const tile = product.tile.empty() ? nullptr : product.tile.c_str();
  if (const auto status = library->gemm_workspace(&gemm, tile, &gemm.workspace_bytes))
    return tl::unexpected(error_of(status, library->message()));
  const auto workspace = memory.allocate(gemm.workspace_bytes);
  if (!workspace) return tl::unexpected(workspace.error());
  gemm.workspace = *workspace;
  std::string name = product.tile;
  if (name.empty()) {
    const char* kernel = nullptr;
    if (const auto status = library->gemm_check(&gemm, &kernel))
      return tl::unexpected(error_of(status, library->message()));
    name = kernel ? kernel : "";
  }
  for (int i = 0; i < times; ++i) {
    const auto status = tile ? library->gemm_with(&gemm, tile, nullptr) : library->gemm(&gemm, nullptr);
    if (status) return tl::unexpected(error_of(status, library->message()));
  }
  if (const int code = hip->hipDeviceSynchronize())
    return tl::unexpected(hip->error(code, "the product failed"));
  return name;
}

}  // namespace wavesmith::study
