// Communicators: what a rank holds of its clique. They are set up together with the other ranks' and stay
// until their handle and all work that was asked for are done with.
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

/// What ncclRedOpCreatePreMulSum made: the factor, or where it is read when the turn has come.
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

/// A new rank of the clique with this id, to be set up; nullptr: no memory.
Communicator* create_communicator(int ranks, const CliqueId& id, int rank, bool blocking);
/// A new one of those of the parent's ranks that have this color, ordered by their keys.
Communicator* create_split(Communicator& parent, int color, int key, bool blocking);
/// A rank that takes part in a split, and gets nothing by it.
constexpr int kNoColor = -1;

/// Goes on with setting up, as far as the other ranks have: kInProgress when that is not the end.
int advance_setup(Communicator& communicator);
/// Waits until those are set up, all at once. Says who is waited for.
int finish_setup(Communicator* const* communicators, int count);

void retain(Communicator& communicator);
void release(Communicator& communicator);

/// Says now and then who has kept a rank waiting.
class Patience {
 public:
  /// Whether it is time to say something; asked after each wait.
  bool lost();

 private:
  int64_t began_ = 0, limit_ = 0;
};

}  // namespace wavesmith::libraries
