#include "study/tune/launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "study/hip_library.h"
#include "toolchain/discover.h"

namespace wavesmith::study {
namespace {

/// The functions of the kernel library that are called.
struct KernelLibrary {
  decltype(&wavesmith_kernels_gemm) gemm = nullptr;
  decltype(&wavesmith_kernels_gemm_with) gemm_with = nullptr;
  decltype(&wavesmith_kernels_gemm_check) gemm_check = nullptr;
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
    find(library.message, "wavesmith_kernels_message");
    if (!all) return fail(ErrorKind::NotFound, "the kernel library lacks a function of this version");
    return library;
  }
};

/// Memory of the GPU for A, B and D of a product.
class Matrices {
 public:
  explicit Matrices(const HipLibrary& hip) : hip_(hip) {}
  ~Matrices() {
    for (void* each : data_) hip_.hipFree(each);
  }
  Matrices(const Matrices&) = delete;
  Matrices& operator=(const Matrices&) = delete;

  Result<void> allocate(const Product& product) {
    const auto gemm = description_of(product, {});
    const int64_t sizes[] = {product.m * product.k, product.k * product.n, product.m * product.n};
    for (size_t i = 0; i < data_.size(); ++i) {
      const int64_t bytes = sizes[i] * product.batch * kernels::size_of(gemm.a.type);
      if (const int code = hip_.hipMalloc(&data_[i], static_cast<size_t>(bytes)))
        return tl::unexpected(hip_.error(code, fmt::format("allocating {} bytes for a matrix", bytes)));
    }
    return {};
  }
  [[nodiscard]] const std::array<void*, 3>& data() const { return data_; }

 private:
  const HipLibrary& hip_;
  std::array<void*, 3> data_{};
};

}  // namespace

Result<std::string> launch_product(const Product& product, int times) {
  const auto hip = HipLibrary::load();
  if (!hip) return tl::unexpected(hip.error());
  const auto library = KernelLibrary::load();
  if (!library) return tl::unexpected(library.error());
  Matrices matrices(*hip);
  if (auto made = matrices.allocate(product); !made) return tl::unexpected(made.error());
  const wavesmith_kernels_gemm_description gemm = description_of(product, matrices.data());
  std::string name = product.tile;
  if (name.empty()) {
    const char* kernel = nullptr;
    if (const auto status = library->gemm_check(&gemm, &kernel))
      return tl::unexpected(error_of(status, library->message()));
    name = kernel ? kernel : "";
  }
  for (int i = 0; i < times; ++i) {
    const auto status = product.tile.empty() ? library->gemm(&gemm, nullptr)
                                             : library->gemm_with(&gemm, product.tile.c_str(), nullptr);
    if (status) return tl::unexpected(error_of(status, library->message()));
  }
  if (const int code = hip->hipDeviceSynchronize())
    return tl::unexpected(hip->error(code, "the product failed"));
  return name;
}

}  // namespace wavesmith::study
