// For tests: notes of how far each kernel's results were off, from which tests/certificates makes
// certificates.
#pragma once

#include <algorithm>

namespace wavesmith::kernels {

/// Keeps, of the kernels launched before it, the largest error of a result as a share of what is allowed.
class ErrorNote {
 public:
  ErrorNote() = default;
  ~ErrorNote();
  ErrorNote(const ErrorNote&) = delete;
  ErrorNote& operator=(const ErrorNote&) = delete;
  /// Of an element, which is off by `error`.
  void add(double error, double allowed) {
    if (error > 0) largest_ = std::max(largest_, error / allowed);
  }

 private:
  double largest_ = 0;
};

/// Forgets which kernels were launched so far.
void begin_notes();

}  // namespace wavesmith::kernels
