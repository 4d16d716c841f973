// What a program gives in different orders of its workgroups and waves.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace wavesmith::cli {

/// What a run gives.
struct Output {
  int code = 0;
  std::string text;  ///< standard output
  std::vector<std::string> buffers;

  friend bool operator==(const Output&, const Output&) = default;
};

/// Two runs in the same order: where they differ, a time say, the order is not the reason.
using Twice = std::array<Output, 2>;

/// Where the first order and the second give something else: "line 3 of standard output says '4' instead of
/// '5'". Empty: nowhere.
std::string difference(const Twice& first, const Twice& second);

/// Words of standard output that differ between two runs in the same order; all of them where their number
/// does.
size_t words_of_their_own(const Twice& runs);

}  // namespace wavesmith::cli
