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

wavesmith_kernels_status succeed() {
  last_message.clear();
  return WAVESMITH_KERNELS_SUCCESS;
}

const char* message() { return last_message.c_str(); }

}  // namespace wavesmith::kernels
