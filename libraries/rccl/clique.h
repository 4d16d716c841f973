// A clique: the ranks of a communicator, in threads of one process or in several processes, and the memory in
// which they tell one another what they do. It is a file in memory that each process maps; the unique id that
// a program hands from rank to rank says whose file it is. Several processes have to see one another under
// /proc, as those of one user on one machine do.
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

/// Data of a rank: at an address of its process and, when ranks of other processes need them, in its file.
struct Place {
  void* address;
  int32_t process, file;
  uint64_t bytes;
};

/// What a rank says to all others.
struct Member {
  bool joined;
  int32_t process, device;
  uint64_t capture;       ///< the last graph that its work was captured into; 0: none yet
  uint64_t posted, done;  ///< collectives that it has asked for, and those that it has done its part of
  Collective collective;  ///< the last one posted
  double begins;          ///< when it could begin, of modelled time
  Place send, receive;
  uint64_t splits_posted, splits_read;
  int32_t color, key;
  CliqueId split;  ///< the clique that it offers to those of its color
};

/// What a rank sends to another: one thing at a time.
struct Mailbox {
  uint64_t sent, taken;
  Place place;
  double begins;  ///< when both sides could begin, of modelled time: first the sender, then the receiver, too
};

struct Clique {
  uint64_t magic, token;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t changes;       ///< counted, for those who look without the lock in between
  int32_t ranks, joined;  ///< ranks: 0 until the first has joined
  int32_t failed;         ///< the result that all get from now on; 0: none
  bool apart;             ///< ranks of several processes
  bool file_closed;
  Member members[kMostRanks];
  Mailbox mailboxes[kMostRanks * kMostRanks];

  Mailbox& mailbox(int from, int to) { return mailboxes[from * kMostRanks + to]; }
};

/// A new clique's id. False: the host has no memory or files left.
bool create_clique(CliqueId& id);
/// The clique of an id, once for each rank; nullptr: it is none, or its process is gone.
Clique* open_clique(const CliqueId& id);
void close_clique(Clique* clique);
/// Closes the file of an id of this process: nobody can open it from now on.
void close_file(const CliqueId& id);

/// Holds the clique's lock.
class CliqueLock {
 public:
  explicit CliqueLock(Clique& clique) : clique_(clique) { lock(); }
  ~CliqueLock() { unlock(); }
  CliqueLock(const CliqueLock&) = delete;
  CliqueLock& operator=(const CliqueLock&) = delete;
  void lock();
  void unlock() { pthread_mutex_unlock(&clique_.mutex); }
  /// Until something changed, or about a second has gone.
  void wait();

 private:
  Clique& clique_;
};
/// Wakes all who wait, under the lock.
inline void tell_all(Clique& clique) {
  ++clique.changes;
  pthread_cond_broadcast(&clique.changed);
}

/// Ranks for a message: " 2 5 6", as far as there is room.
class RankList {
 public:
  void add(int rank);
  [[nodiscard]] bool empty() const { return length_ == 0; }
  [[nodiscard]] const char* text() const { return text_; }

 private:
  char text_[256] = "";
  size_t length_ = 0;
};

/// Whether a process that has joined is there no more.
bool is_gone(int process);

/// One line on stderr, and what ncclGetLastError answers.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);
const char* last_complaint();

}  // namespace wavesmith::libraries
