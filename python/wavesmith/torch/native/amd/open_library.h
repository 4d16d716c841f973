// AMD's libraries, opened by name: AMD's own where the process has it, else the stand-in (libraries/).
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>

#include <dlfcn.h>

#include <c10/util/Exception.h>

namespace wavesmith::device::amd {

// The first of these sonames that is loaded or that the loader finds; else the stand-in of that name
// ("librccl.so") beside the HIP runtime. Null where there is neither, and dlerror() says why.
void* open_library(std::initializer_list<const char*> sonames, const char* stand_in);

// "AMD's, FILE", or "Wavesmith's stand-in, FILE": of the library that has that function.
std::string whose(const void* function);

// Looks a function up. Raises PyTorch's error where the library has none; `title` names the library.
template <typename Function>
void find(void* library, Function*& function, const char* name, const char* title) {
  void* const symbol = dlsym(library, name);
  TORCH_CHECK(symbol != nullptr, title, " has no ", name, ": ", dlerror());
  function = reinterpret_cast<Function*>(symbol);
}

}  // namespace wavesmith::device::amd
