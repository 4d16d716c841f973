// hipSOLVER's statuses (hipsolverStatus_t) for what can come of a call, and what its functions of
// factorisations and of eigenvalues share.
#pragma once

#include "libraries/solver/factor_entry.h"

namespace wavesmith::libraries {

enum Status { kSuccess = 0, kNotInitialized = 1, kAllocFailed = 2, kInvalidValue = 3 };
inline constexpr FactorAnswers kAnswers{
    .bad_handle = 9, .bad_operation = 10, .bad_size = 3, .bad_pointer = 3, .no_memory = 2, .not_launched = 6};

/// No memory of the caller's is needed.
template <class Size>
int no_room(void* handle, Size* size) {
  if (!handle) return kAnswers.bad_handle;
  if (!size) return kInvalidValue;
  *size = 0;
  return kSuccess;
}

/// hipsolverEigMode_t; -1 for none of them.
inline int vectors_of(int mode) {
  constexpr int kNone = 201, kVectors = 202;
  return mode == kVectors ? 1 : mode == kNone ? 0 : -1;
}

}  // namespace wavesmith::libraries
