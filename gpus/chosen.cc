#include "gpus/chosen.h"

#include "base/environment.h"

namespace wavesmith::gpus {

std::string chosen_devices(std::string_view named) {
  if (!named.empty()) return std::string(named);
  const std::string environment = environment_variable("WAVESMITH_GPU");
  return environment.empty() ? std::string(kDefaultGpu) : environment;
}

Result<std::vector<const Gpu*>> chosen_machine(std::string_view named) {
  return find_machine(chosen_devices(named));
}

Result<const Gpu*> chosen_gpu(std::string_view named) {
  return chosen_machine(named).map([](const std::vector<const Gpu*>& machine) { return machine.front(); });
}

}  // namespace wavesmith::gpus
