// Communicators: a rank's state in its clique. They are set up together with the other ranks' and live until
// their handle is destroyed and all their work is done.
#pragma once

#include <atomic>
#include <cstdint>

#include "libraries/rccl/clique.h"

namespace wavesmith::libraries {

/// ncclResult_t.
enum Result {
  kSuccess = 0,
  kUnhandledHipError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7
};

/// The result of ncclRedOpCreatePreMulSum: the factor, or its address, which is read when the collective
/// runs.
struct ScaledSum {
  bool used;
  Element element;
  uint64_t factor;
  const void* device;
};

struct Communicator {
  static constexpr uint64_t kMagic = 0x726f74616b6c6154;
  static constexpr int kMostScaledSums = 256;
  enum class Setup : uint8_t { Split, Collect, Join, Ready };

  uint64_t magic;
  std::atomic<int> references;  ///< its handle, and what is enqueued
  std::atomic<int> error;       ///< of work that was enqueued; 0: none
  int rank, ranks, device;
  bool blocking;
  bool fnuz;  ///< its GPU's 8-bit floats
  Clique* clique;

  // Setting up; of a split also what it is split from.
  Setup setup;
  CliqueId id, offered;
  Communicator* parent;
  int color, key;
  uint64_t split;

  pthread_mutex_t execution;  ///< held while one group of exchanges is executed
  // The order of its work where that is on several streams.
  void* event;
  void* stream;
  unsigned long long capture;
  bool ordered;

  ScaledSum sums[kMostScaledSums];
};

/// The communicator of a handle; nullptr for none.
Communicator* communicator_of(void* handle);

/// Creates a rank of the clique with this id, which then has to be set up; nullptr: no memory.
Communicator* create_communicator(int ranks, const CliqueId& id, int rank, bool blocking);
/// Creates a communicator of the parent's ranks that have this color, ordered by their keys.
Communicator* create_split(Communicator& parent, int color, int key, bool blocking);
/// The color of a rank that takes part in a split without joining a new communicator.
constexpr int kNoColor = -1;

/// Advances the setup as far as the other ranks allow; kInProgress if it is not complete.
int advance_setup(Communicator& communicator);
/// Waits until all of them are set up. A line on stderr tells which ranks are missing.
int finish_setup(Communicator* const* communicators, int count);

void retain(Communicator& communicator);
void release(Communicator& communicator);

/// Limits how often a waiting rank reports the ranks that it waits for.
class Patience {
 public:
  /// Whether a report is due; called after each wait.
  bool lost();

 private:
  int64_t began_ = 0, limit_ = 0;
};

}  // namespace wavesmith::libraries
