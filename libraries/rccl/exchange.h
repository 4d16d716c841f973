// Exchanges between ranks, executed in stream order. The calls of one group progress side by side. Each
// stream has a thread of its own, so a rank can wait there for the others.
#pragma once

#include <cstdint>

#include "libraries/rccl/communicator.h"
#include "libraries/rccl/staged.h"
#include "libraries/shim/work.h"

namespace wavesmith::libraries {

struct Exchange {
  enum class Kind : uint8_t { Collective, Send, Receive };
  enum class State : uint8_t { New, Posted, Done };

  Kind kind;
  Collective collective;
  const void* factor;  ///< a collective's factor, read when it is executed; nullptr: none
  const void* send;
  void* receive;
  int peer;        ///< the rank of the other side; of Send and Receive
  uint64_t bytes;  ///< of Send and Receive
  bool in_place;   ///< data received by the same group overwrite the data to send

  // During execution.
  State state;
  uint64_t number;
  double begins;  ///< when the last participant arrives, in seconds of modelled time
  Staged staged;
};

/// Executes all of them; afterwards they can be executed again, as graphs do.
void run(Communicator& communicator, Exchange* exchanges, int count);

/// Reports their work once they are done: collectives one after the other, messages side by side.
void report_work(const Communicator& communicator, const Exchange* exchanges, int count,
                 const WorkReporter& reporter);

}  // namespace wavesmith::libraries
