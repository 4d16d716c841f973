// Whole files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wavesmith {

/// The bytes of a file. Error: NotFound when it can't be read.
Result<std::vector<uint8_t>> read_file(const std::filesystem::path& path);

/// Writes a file and creates its folders; false on failure.
bool write_file(const std::filesystem::path& path, std::string_view text);
bool write_file(const std::filesystem::path& path, const std::vector<uint8_t>& bytes);

}  // namespace wavesmith
