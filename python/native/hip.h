// HIP's public API for Python: handles and pointers are integers, failures are exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "study/hip_library.h"

namespace wavesmith::python {

class Hip {
 public:
  /// Loads that libamdhip64, which is in the process already after wavesmith.use.
  explicit Hip(const std::string& library);

  int device();
  void set_device(int device);
  uintptr_t load(const nanobind::bytes& code);
  void unload(uintptr_t module);
  uintptr_t function(uintptr_t module, const std::string& kernel);
  uintptr_t allocate(size_t size);
  /// Memory full of zeros that other GPUs may write while kernels read it.
  uintptr_t allocate_shared(size_t size);
  /// The current device reaches another one's memory from now on.
  void reach(int peer);
  void free(uintptr_t pointer);
  void copy_in(uintptr_t to, uintptr_t from, size_t size);
  void copy_out(uintptr_t to, uintptr_t from, size_t size);
  /// `values` are the kernel's explicit arguments, each as its bytes.
  void launch(uintptr_t function, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
              unsigned shared, const std::vector<nanobind::bytes>& values);
  /// Waits for the device without holding the interpreter's lock.
  void synchronize();
  /// What is put into `second` from now on waits for what is in `first`; both are streams.
  void order(uintptr_t first, uintptr_t second);
  /// Throws for the call that failed last, which another library made.
  [[noreturn]] void raise_last(const std::string& what);
  /// hipFree.
  [[nodiscard]] int (*free_function() const)(void*) { return library_.hipFree; }

 private:
  /// Throws when a call failed, with what the runtime said.
  void check(int code, const std::string& what);

  study::HipLibrary library_;
};

}  // namespace wavesmith::python
