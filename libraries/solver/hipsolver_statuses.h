// hipSOLVER's statuses (hipsolverStatus_t), and helpers that its factorisations and eigenvalue functions
// share.
#pragma once

#include "libraries/solver/factor_entry.h"

namespace wavesmith::libraries {

enum Status { kSuccess = 0, kNotInitialized = 1, kAllocFailed = 2, kInvalidValue = 3 };
inline constexpr FactorStatuses kStatuses{
    .bad_handle = 9, .bad_operation = 10, .bad_size = 3, .bad_pointer = 3, .no_memory = 2, .not_launched = 6};

/// Reports a workspace size of 0: none is needed.
template <class Size>
int no_workspace(void* handle, Size* size) {
  if (!handle) return kStatuses.bad_handle;
  if (!size) return kInvalidValue;
  *size = 0;
  return kSuccess;
}

/// Whether a hipsolverEigMode_t asks for vectors; -1 for an invalid one.
inline int vectors_of(int mode) {
  constexpr int kNone = 201, kVectors = 202;
  return mode == kVectors ? 1 : mode == kNone ? 0 : -1;
}

}  // namespace wavesmith::libraries
