// Which of PyTorch's devices the emulated GPUs are: "wavesmith", or "cuda" in a process with
// WAVESMITH_TORCH=cuda, for programs that know no other. It is settled when the library is loaded.
#pragma once

#include <cstdlib>
#include <string_view>

#include <ATen/core/TensorBase.h>
#include <c10/core/Device.h>
#include <c10/core/DispatchKeySet.h>
#include <torch/library.h>

namespace wavesmith::device {

inline const bool kIsCuda = [] {
  const char* mode = std::getenv("WAVESMITH_TORCH");
  return mode != nullptr && std::string_view(mode) == "cuda";
}();
inline const c10::DeviceType kDevice = kIsCuda ? c10::kCUDA : c10::kPrivateUse1;
inline const c10::DispatchKey kKey = kIsCuda ? c10::DispatchKey::CUDA : c10::DispatchKey::PrivateUse1;
inline const c10::DispatchKey kAutogradKey =
    kIsCuda ? c10::DispatchKey::AutogradCUDA : c10::DispatchKey::AutogradPrivateUse1;

inline bool on_device(const at::TensorBase& tensor) { return tensor.device().type() == kDevice; }

}  // namespace wavesmith::device

// Registers kernels of the device: WAVESMITH_OPERATORS(aten, m) { m.impl("mm", &mm); }
#define WAVESMITH_OPERATORS(library, m) WAVESMITH_OPERATORS_FOR(kKey, library, m)
// ... or what comes before them, for kAutogradKey.
#define WAVESMITH_OPERATORS_FOR(key, library, m) WAVESMITH_OPERATORS_AT(key, library, m, C10_UID)
#define WAVESMITH_OPERATORS_AT(key, library, m, uid)                                                       \
  static void C10_CONCATENATE(wavesmith_operators_, uid)(torch::Library&);                                 \
  static const torch::detail::TorchLibraryInit C10_CONCATENATE(wavesmith_operators_init_, uid)(            \
      torch::Library::IMPL, &C10_CONCATENATE(wavesmith_operators_, uid), #library, wavesmith::device::key, \
      __FILE__, __LINE__);                                                                                 \
  static void C10_CONCATENATE(wavesmith_operators_, uid)(torch::Library & m)
