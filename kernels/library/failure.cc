#include "kernels/library/failure.h"

#include <utility>

namespace wavesmith::kernels {
namespace {

thread_local std::string last_message;

}  // namespace

wavesmith_kernels_status fail(wavesmith_kernels_status status, std::string message) {
  last_message = std::move(message);
  return status;
}

wavesmith_kernels_status invalid(std::string_view operation, std::string_view message) {
  return fail(WAVESMITH_KERNELS_INVALID_ARGUMENT, std::string(operation) + ": " + std::string(message));
}

wavesmith_kernels_status not_supported(std::string_view operation, std::string_view message) {
  return fail(WAVESMITH_KERNELS_NOT_SUPPORTED, std::string(operation) + ": " + std::string(message));
}

wavesmith_kernels_status check_aligned(std::string_view operation, std::string_view name, const void* data,
                                       int64_t alignment) {
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(alignment) == 0) return succeed();
  return invalid(operation, std::string(name) + " is not aligned to " + std::to_string(alignment) + " bytes");
}

wavesmith_kernels_status check_workspace(std::string_view operation, const void* workspace, size_t bytes,
                                         size_t needed) {
  if (needed == 0) return succeed();
  if (!workspace)
    return invalid(operation, "workspace is null, and " + std::to_string(needed) + " bytes are needed");
  if (bytes < needed)
    return invalid(operation, "workspace_bytes is " + std::to_string(bytes) + ", less than the " +
                                  std::to_string(needed) + " that are needed");
  return check_aligned(operation, "workspace", workspace, 16);
}

wavesmith_kernels_status succeed() {
  last_message.clear();
  return WAVESMITH_KERNELS_SUCCESS;
}

const char* message() { return last_message.c_str(); }

}  // namespace wavesmith::kernels
