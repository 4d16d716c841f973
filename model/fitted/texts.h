// The files of model/fitted, built in; CMake writes the table.
#pragma once

#include <span>
#include <string_view>

namespace wavesmith::model {

struct FittedText {
  std::string_view id, text;
};

std::span<const FittedText> fitted_texts();

}  // namespace wavesmith::model
