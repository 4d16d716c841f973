// For tests: kernels in assembly text, run under a checker.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "check/session.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::check {

/// A kernel that finds the address of its arguments (64 bits each) in s[0:1] and its workgroup's number in
/// s2 (in ttmp9 on gfx1201), as emulate::KernelTest.
class CheckedKernel {
 public:
  /// `checkers`: as for topics_of(). Aborts when the text cannot be assembled.
  CheckedKernel(std::string_view checkers, std::string_view target, std::string_view assembly, int lanes = 64,
                uint32_t lds = 0);
  uint32_t* allocate(size_t count) { return kernel_.allocate(count); }
  /// Runs it and keeps what was found; an error of the kernel is told to the checkers.
  Result<emulate::Statistics> launch(uint32_t workgroups, uint32_t workgroup_size,
                                     const std::vector<uint64_t>& arguments, int threads = 0);
  [[nodiscard]] std::vector<Finding> findings() const { return session_.findings().all(); }
  /// "rule at instruction", one per finding.
  [[nodiscard]] std::vector<std::string> rules() const;
  [[nodiscard]] Session& session() { return session_; }
  uint64_t most_instructions = 0;  ///< budget of a launch; 0: none
  /// Changes what descriptor and metadata say of the kernel.
  std::function<void(object::Kernel&)> describe = {};

 private:
  emulate::KernelTest kernel_;
  object::Kernel described_;
  uint64_t launches_ = 0;
  Session session_;
};

}  // namespace wavesmith::check
