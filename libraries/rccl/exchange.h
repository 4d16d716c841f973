// Exchanges: what a rank does with the others when its turn in a stream has come. The calls of one group make
// progress side by side; the ranks' streams are executed by threads of their own, so that a rank may wait in
// its turn for another's.
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
  const void* factor;  ///< where a collective's factor is read when the turn has come; nullptr: nowhere
  const void* send;
  void* receive;
  int peer;        ///< of what is sent or received
  uint64_t bytes;  ///< the same
  bool in_place;   ///< what is sent is overwritten by what the same group receives

  // While it is under way.
  State state;
  uint64_t number;
  double begins;  ///< when the last of those who take part has come to it, of modelled time
  Staged staged;
};

/// Does all of them. They may be done again, once they are done (graphs do).
void run(Communicator& communicator, Exchange* exchanges, int count);

/// Tells what they were, once they are done: collectives one after the other, messages side by side.
void tell(const Communicator& communicator, const Exchange* exchanges, int count, const Teller& teller);

}  // namespace wavesmith::libraries
