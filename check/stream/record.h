// Work that has run, with what it touched, as long as other work may run beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "check/finding.h"
#include "check/host_call.h"
#include "check/stream/listener.h"
#include "check/stream/order.h"
#include "check/stream/touched.h"

namespace wavesmith::check {

struct StreamRecord {
  OrderedWork work;
  Touched touched;
  bool on_default_stream = false;
  HostCall call = {};       ///< that asked for it; of a kernel it may be empty
  std::string access = {};  ///< "a copy"; empty: a kernel
  bool frees = false;
  // Of a kernel.
  std::string kernel = {};
  uint64_t entry = 0, dispatch = 0;
  bool stores_show_scope = true;  ///< else an atomic store looks as any other
  std::shared_ptr<TouchingSites> sites = {};
  std::function<std::string(uint64_t)> locate = {};
};

/// The record as one that took part, by its instruction of that number.
Party party(const StreamRecord& record, std::string role, uint32_t site);
/// What tells its part in a fault from others': the instruction's pc, or where the call returns to.
uint64_t identity(const StreamRecord& record, uint32_t site);

}  // namespace wavesmith::check
