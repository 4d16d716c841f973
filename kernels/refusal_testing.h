// For tests: what the C API refuses.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/testing.h"

namespace wavesmith::kernels {

/// A change by which a right description breaks a rule, and the words that the message must have.
template <class Description>
struct Refusal {
  void (*change)(Description&);
  wavesmith_kernels_status status;
  const char* says;
};

/// Compares what a call returned, and its message.
inline void expect_refused(wavesmith_kernels_status returned, wavesmith_kernels_status status,
                           const char* says) {
  EXPECT_EQ(returned, status) << says;
  EXPECT_NE(std::string(wavesmith_kernels_message()).find(says), std::string::npos)
      << says << ": " << wavesmith_kernels_message();
}

/// Calls with `right` changed in each of the ways, and without a description.
template <class Description, size_t kCount>
void expect_refusals(wavesmith_kernels_status (*call)(const Description*, void*), const Description& right,
                     const Refusal<Description> (&all)[kCount]) {
  for (const Refusal<Description>& refusal : all) {
    Description wrong = right;
    refusal.change(wrong);
    expect_refused(call(&wrong, nullptr), refusal.status, refusal.says);
  }
  EXPECT_EQ(call(nullptr, nullptr), WAVESMITH_KERNELS_INVALID_ARGUMENT);
}

}  // namespace wavesmith::kernels
