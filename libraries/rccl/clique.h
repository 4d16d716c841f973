// A clique: the ranks of a communicator, in threads of one process or in several processes, and the memory
// through which they coordinate. It is a file in memory that each process maps; the unique id that a program
// hands from rank to rank identifies the file. The processes must see one another under /proc, as those of
// one user on one machine do.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "libraries/rccl/collective.h"

namespace wavesmith::libraries {

constexpr int kMostRanks = 256;

/// What a program passes as ncclUniqueId.
struct CliqueId {
  uint64_t magic, token;
  int32_t process, file;
  char unused[104];
};
static_assert(sizeof(CliqueId) == 128);

/// A rank's data: at an address of its process and, when ranks of other processes need them, in its file.
struct RankBuffer {
  void* address;
  int32_t process, file;
  uint64_t bytes;
};

/// The state that a rank shows to all others.
struct Member {
  bool joined;
  int32_t process, device;
  uint64_t capture;       ///< the last graph into which its work was captured; 0: none yet
  uint64_t posted, done;  ///< counts of collectives requested, and of those whose part it has done
  Collective collective;  ///< the last one posted
  double begins;          ///< its earliest start, in seconds of modelled time
  RankBuffer send, receive;
  uint64_t splits_posted, splits_read;
  int32_t color, key;
  CliqueId split;  ///< the clique that it offers to the ranks of its color
};

/// One rank's messages to another, one at a time.
struct Mailbox {
  uint64_t sent, taken;
  RankBuffer buffer;
  double begins;  ///< the earliest start in seconds of modelled time: the sender's, then the later of both
};

struct Clique {
  uint64_t magic, token;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t changes;       ///< a count, for readers that poll without the lock
  int32_t ranks, joined;  ///< ranks: 0 until the first has joined
  int32_t failed;         ///< the ncclResult_t that all calls return from now on; 0: none
  bool apart;             ///< the ranks are in several processes
  bool file_closed;
  Member members[kMostRanks];
  Mailbox mailboxes[kMostRanks * kMostRanks];

  Mailbox& mailbox(int from, int to) { return mailboxes[from * kMostRanks + to]; }
};

/// Creates a clique. False: the host has no memory or file descriptors left.
bool create_clique(CliqueId& id);
/// Maps the clique of an id, once per rank; nullptr: the id is invalid, or its process has ended.
Clique* open_clique(const CliqueId& id);
void close_clique(Clique* clique);
/// Closes the file behind an id of this process, so that no further rank can open it.
void close_file(const CliqueId& id);

/// Holds the clique's lock while it lives.
class CliqueLock {
 public:
  explicit CliqueLock(Clique& clique) : clique_(clique) { lock(); }
  ~CliqueLock() { unlock(); }
  CliqueLock(const CliqueLock&) = delete;
  CliqueLock& operator=(const CliqueLock&) = delete;
  void lock();
  void unlock() { pthread_mutex_unlock(&clique_.mutex); }
  /// Waits, without the lock, until something changes or about a second has passed.
  void wait();

 private:
  Clique& clique_;
};
/// Wakes all waiting ranks; the caller holds the lock.
inline void notify_all(Clique& clique) {
  ++clique.changes;
  pthread_cond_broadcast(&clique.changed);
}

/// A list of ranks for a message, " 2 5 6", cut to 255 characters.
class RankList {
 public:
  void add(int rank);
  [[nodiscard]] bool empty() const { return length_ == 0; }
  [[nodiscard]] const char* text() const { return text_; }

 private:
  char text_[256] = "";
  size_t length_ = 0;
};

/// Whether a process that had joined has ended.
bool is_gone(int process);

/// Prints a line on stderr, which ncclGetLastError then returns.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);
const char* last_complaint();

}  // namespace wavesmith::libraries
