#include "libraries/rccl/communicator.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" int hipGetDevice(int* device);
extern "C" int hipDeviceComputeCapability(int* major, int* minor, int device);
extern "C" int hipEventDestroy(void* event);

namespace wavesmith::libraries {
namespace {

/// 8-bit floats are OCP's on CDNA4 (9.5) and RDNA4 (12), and FNUZ on all others (RCCL's
/// src/include/rccl_float8.h).
bool has_fnuz(int device) {
  int major = 0, minor = 0;
  return hipDeviceComputeCapability(&major, &minor, device) == 0 && major != 12 &&
         !(major == 9 && minor == 5);
}

Communicator* create(bool blocking) {
  auto* const made = static_cast<Communicator*>(std::calloc(1, sizeof(Communicator)));
  if (!made) return nullptr;
  made->magic = Communicator::kMagic;
  made->references = 1;
  made->blocking = blocking;
  pthread_mutex_init(&made->execution, nullptr);
  return made;
}

/// Notes the rank in its clique. From now on others can count on it.
int join(Communicator& c) {
  c.clique = open_clique(c.id);
  if (!c.clique) {
    complain("the communicator's unique id is none that a living process of this machine has made");
    return kInvalidArgument;
  }
  Clique& clique = *c.clique;
  const CliqueLock lock(clique);
  if (clique.failed) return clique.failed;
  if (clique.ranks == 0) clique.ranks = c.ranks;
  Member& me = clique.members[c.rank];
  if (clique.ranks != c.ranks || me.joined) {
    complain(me.joined ? "rank %d of %d has joined the communicator twice"
                       : "rank %d says that the communicator has %d ranks; others say another number",
             c.rank, c.ranks);
    return kInvalidArgument;
  }
  const int process = getpid();
  for (int r = 0; r < c.ranks; ++r) {
    const Member& other = clique.members[r];
    if (!other.joined) continue;
    if (other.process == process && other.device == c.device) {
      complain("ranks %d and %d of a communicator are on one GPU, device %d", r, c.rank, c.device);
      clique.failed = kInvalidUsage;
      notify_all(clique);
      return kInvalidUsage;
    }
    clique.apart |= other.process != process;
  }
  me.joined = true;
  me.process = process;
  me.device = c.device;
  ++clique.joined;
  notify_all(clique);
  return kSuccess;
}

/// Whether all have said which color they want; then what it is split from gives it its clique.
bool collect(Communicator& c) {
  Clique& from = *c.parent->clique;
  CliqueLock lock(from);
  Member& me = from.members[c.parent->rank];
  for (int r = 0; r < from.ranks; ++r)
    if (from.members[r].splits_posted < c.split) return false;
  int leader = -1, before = 0, count = 0;
  const auto precedes = [&](int a, int b) {
    const Member &x = from.members[a], &y = from.members[b];
    return x.key != y.key ? x.key < y.key : a < b;
  };
  for (int r = 0; r < from.ranks; ++r) {
    if (from.members[r].color != c.color) continue;
    ++count;
    if (leader < 0 || precedes(r, leader)) leader = r;
    before += precedes(r, c.parent->rank);
  }
  c.rank = before;
  c.ranks = count;
  c.id = from.members[leader].split;
  if (leader != c.parent->rank) close_file(c.offered);
  me.splits_read = c.split;
  notify_all(from);
  return true;
}

/// Whether the rank has told the others of its color; not before all have read what it said last.
bool post_split(Communicator& c) {
  Clique& from = *c.parent->clique;
  const CliqueLock lock(from);
  Member& me = from.members[c.parent->rank];
  for (int r = 0; r < from.ranks; ++r)
    if (from.members[r].splits_read < me.splits_posted) return false;
  me.color = c.color;
  me.key = c.key;
  me.split = c.offered;
  c.split = ++me.splits_posted;
  if (c.color == kNoColor) me.splits_read = c.split;
  notify_all(from);
  return true;
}

/// The clique in which a communicator that is being set up waits for others.
Clique& waits_in(Communicator& c) {
  return c.setup == Communicator::Setup::Join ? *c.clique : *c.parent->clique;
}

/// Says who has not come yet; fails what waits for them when a process of it is no more.
void say_who_is_missing(Communicator& c, bool say) {
  using enum Communicator::Setup;
  RankList missing_ranks;
  Clique& clique = waits_in(c);
  const CliqueLock lock(clique);
  const bool joining = c.setup == Join;
  const Member* gone = nullptr;
  for (int r = 0; r < clique.ranks; ++r) {
    const Member& other = clique.members[r];
    const bool missing = joining ? !other.joined
                         : c.setup == Collect
                             ? other.splits_posted < c.split
                             : other.splits_read < clique.members[c.parent->rank].splits_posted;
    if (missing) missing_ranks.add(r);
    if (other.joined && (joining || missing) && is_gone(other.process)) gone = &other;
  }
  if (missing_ranks.empty()) return;
  if (gone && !clique.failed) {
    complain("the process %d of rank %d has ended", gone->process, static_cast<int>(gone - clique.members));
    clique.failed = kRemoteError;
    notify_all(clique);
  }
  if (say)
    complain("rank %d of %d waits in %s for the ranks%s", joining ? c.rank : c.parent->rank, clique.ranks,
             joining ? "ncclCommInitRank" : "ncclCommSplit", missing_ranks.text());
}

}  // namespace

Communicator* communicator_of(void* handle) {
  auto* const communicator = static_cast<Communicator*>(handle);
  return communicator && communicator->magic == Communicator::kMagic ? communicator : nullptr;
}

Communicator* create_communicator(int ranks, const CliqueId& id, int rank, bool blocking) {
  Communicator* const made = create(blocking);
  if (!made) return nullptr;
  made->rank = rank;
  made->ranks = ranks;
  made->id = id;
  hipGetDevice(&made->device);
  made->fnuz = has_fnuz(made->device);
  made->setup = Communicator::Setup::Join;
  return made;
}

Communicator* create_split(Communicator& parent, int color, int key, bool blocking) {
  Communicator* const made = create(blocking);
  if (!made) return nullptr;
  if (color != kNoColor && !create_clique(made->offered)) {
    std::free(made);
    return nullptr;
  }
  retain(parent);
  made->parent = &parent;
  made->color = color;
  made->key = key;
  made->device = parent.device;
  made->fnuz = parent.fnuz;
  made->setup = Communicator::Setup::Split;
  return made;
}

int advance_setup(Communicator& c) {
  using enum Communicator::Setup;
  if (c.error != kSuccess) return c.error;
  if (c.setup == Split) {
    if (!post_split(c)) return c.parent->clique->failed ? c.parent->clique->failed : kInProgress;
    c.setup = c.color == kNoColor ? Ready : Collect;
  }
  if (c.setup == Collect) {
    if (!collect(c)) return c.parent->clique->failed ? c.parent->clique->failed : kInProgress;
    c.setup = Join;
  }
  if (c.setup == Join) {
    if (!c.clique) {
      const int result = join(c);
      if (result != kSuccess) return c.error = result;
    }
    const CliqueLock lock(*c.clique);
    if (c.clique->joined < c.ranks) return c.clique->failed ? c.error = c.clique->failed : kInProgress;
    if (c.id.process == getpid() && !c.clique->file_closed) {
      c.clique->file_closed = true;
      close_file(c.id);
    }
    c.setup = Ready;
  }
  if (c.parent) {
    release(*c.parent);
    c.parent = nullptr;
  }
  return kSuccess;
}

int finish_setup(Communicator* const* communicators, int count) {
  Patience patience;
  const Clique* looked_at = nullptr;
  uint64_t changes = 0;  // of that clique, before this look
  while (true) {
    Communicator* waiting = nullptr;
    for (int i = 0; i < count; ++i) {
      const int result = advance_setup(*communicators[i]);
      if (result != kSuccess && result != kInProgress) return result;
      if (result == kInProgress && !waiting) waiting = communicators[i];
    }
    if (!waiting) return kSuccess;
    {
      Clique& clique = waits_in(*waiting);
      CliqueLock lock(clique);
      if (looked_at == &clique && changes == clique.changes) lock.wait();
      looked_at = &clique;
      changes = clique.changes;
    }
    say_who_is_missing(*waiting, patience.lost());
  }
}

void retain(Communicator& communicator) { communicator.references.fetch_add(1); }

void release(Communicator& communicator) {
  if (communicator.references.fetch_sub(1) != 1) return;
  if (communicator.parent) release(*communicator.parent);
  if (communicator.event) hipEventDestroy(communicator.event);
  close_clique(communicator.clique);
  pthread_mutex_destroy(&communicator.execution);
  communicator.magic = 0;
  std::free(&communicator);
}

bool Patience::lost() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (began_ == 0) {
    const char* const asked = std::getenv("WAVESMITH_RCCL_PATIENCE");
    limit_ = asked && std::atoi(asked) > 0 ? std::atoi(asked) : 30;
    began_ = now.tv_sec;
  }
  if (now.tv_sec - began_ < limit_) return false;
  began_ = now.tv_sec;
  limit_ *= 4;
  return true;
}

}  // namespace wavesmith::libraries
