// Readable kernel names.
#pragma once

#include <string>
#include <string_view>

namespace wavesmith::study {

/// The name as the source has it: "axpy(float const*, float*)" for "_Z4axpyPKfPf"; other names as they are.
std::string readable(const std::string& name);

/// Whether `asked` names the kernel: by its name, its readable name, or that without arguments.
bool means(std::string_view asked, const std::string& name);

}  // namespace wavesmith::study
