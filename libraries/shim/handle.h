// The state behind a library's handle, which programs set and query before they compute. Handles are served
// even where nothing else is, so that the message names the function that a program really lacks.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace wavesmith::libraries {

/// Marks a rocblas_handle as ours: rocSOLVER's functions also receive handles of AMD's rocBLAS where only
/// that is installed.
inline constexpr uint64_t kRocblasMark = 0x776176656d737468;

struct Handle {
  void* stream = nullptr;
  int pointer_mode = 0;
  int atomics_mode = 0;
  uint64_t mark = 0;
};

/// Writes a new zeroed T to *place (no exceptions and no C++ library here: malloc). False: out of memory.
template <typename T = Handle>
bool create(void** place) {
  *place = std::calloc(1, sizeof(T));
  return *place != nullptr;
}

inline Handle* handle_of(void* opaque) { return static_cast<Handle*>(opaque); }

// A library's functions about its handles: success is 0 everywhere, the other statuses are the library's own.
inline int destroy(void* handle, int no_handle) {
  if (!handle) return no_handle;
  std::free(handle);
  return 0;
}

template <typename T>
int set(void* handle, T Handle::* field, T value, int no_handle) {
  if (!handle) return no_handle;
  handle_of(handle)->*field = value;
  return 0;
}

template <typename T>
int get(void* handle, T Handle::* field, T* to, int no_handle, int no_place) {
  if (!handle) return no_handle;
  if (!to) return no_place;
  *to = handle_of(handle)->*field;
  return 0;
}

}  // namespace wavesmith::libraries
