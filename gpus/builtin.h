// The data files that are built in; CMake writes the table.
#pragma once

#include <span>
#include <string_view>

namespace wavesmith::gpus {

struct BuiltIn {
  std::string_view id, text;
};

/// The files of gpus/data, sorted by id.
std::span<const BuiltIn> built_in();

}  // namespace wavesmith::gpus
