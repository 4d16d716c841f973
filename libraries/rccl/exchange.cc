#include "libraries/rccl/exchange.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace wavesmith::libraries {
namespace {

/// Advances the exchanges of one group of a communicator until all are done.
class ProgressEngine {
 public:
  ProgressEngine(Communicator& communicator, Exchange* exchanges, int count)
      : c_(communicator),
        clique_(*communicator.clique),
        me_(clique_.members[c_.rank]),
        exchanges_(exchanges),
        count_(count) {}

  void run() {
    CliqueLock lock(clique_);
    for (int i = 0; i < count_; ++i) begin(exchanges_[i]);
    Patience patience;
    while (int result = advance(lock)) {
      if (result == kMoved) continue;
      if (clique_.failed) break;
      lock.wait();
      look_after_the_others(patience.lost());
    }
    if (!all_done()) {  // others may still read the copies
      if (c_.error == kSuccess) c_.error = clique_.failed;
      return;
    }
    for (int i = 0; i < count_; ++i) exchanges_[i].staged.release();
  }

 private:
  enum { kAllDone = 0, kMoved, kStuck };

  /// What others may read only in a copy is copied before anything else happens.
  void begin(Exchange& e) {
    e.state = Exchange::State::New;
    e.begins = begins_;
    const bool sends = e.kind == Exchange::Kind::Send;
    const bool collective = e.kind == Exchange::Kind::Collective;
    if (collective && e.factor) std::memcpy(&e.collective.factor, e.factor, width_of(e.collective.element));
    if (!(sends || collective) || !(clique_.apart || e.in_place)) return;
    const uint64_t bytes = collective ? bytes_sent(e.collective, c_.rank, c_.ranks) : e.bytes;
    if (!e.staged.copy(e.send, bytes, clique_.apart))
      fail(kSystemError, "rank %d: the host has no memory left", c_.rank);
  }

  /// One step of the first that can make one. Collectives follow one another; messages to or from a rank,
  /// too, since all stand in the order in which they were asked for and each starts the search anew.
  int advance(CliqueLock& lock) {
    bool collective_before = false, left = false;
    for (int i = 0; i < count_; ++i) {
      Exchange& e = exchanges_[i];
      if (e.state == Exchange::State::Done) continue;
      left = true;
      if (e.kind == Exchange::Kind::Collective) {
        if (collective_before) continue;
        collective_before = true;
        if (advance_collective(e, lock)) return kMoved;
      } else if (e.kind == Exchange::Kind::Send ? advance_send(e) : advance_receive(e, lock)) {
        return kMoved;
      }
    }
    return left ? kStuck : kAllDone;
  }

  [[nodiscard]] bool all_done() const {
    for (int i = 0; i < count_; ++i)
      if (exchanges_[i].state != Exchange::State::Done) return false;
    return true;
  }

  [[nodiscard]] RankBuffer buffer_of(const Exchange& e, const void* data, uint64_t bytes) const {
    if (clique_.apart || e.in_place) return e.staged.buffer();
    return {const_cast<void*>(data), getpid(), -1, bytes};
  }

  bool advance_collective(Exchange& e, CliqueLock& lock) {
    if (e.state == Exchange::State::New) {
      if (me_.posted != me_.done) return false;
      me_.collective = e.collective;
      me_.begins = e.begins;
      me_.send = buffer_of(e, e.send, bytes_sent(e.collective, c_.rank, c_.ranks));
      me_.receive = {e.receive, getpid(), -1, 0};
      e.number = ++me_.posted;
      e.state = Exchange::State::Posted;
      notify_all(clique_);
      return true;
    }
    if (me_.done < e.number) {
      for (int r = 0; r < c_.ranks; ++r)
        if (clique_.members[r].posted < e.number) return false;
      for (int r = 0; r < c_.ranks; ++r) e.begins = std::max(e.begins, clique_.members[r].begins);
      if (agreed()) perform_share(e, lock);
      me_.done = e.number;
      notify_all(clique_);
      return true;
    }
    for (int r = 0; r < c_.ranks; ++r)
      if (clique_.members[r].done < e.number) return false;
    e.state = Exchange::State::Done;
    return true;
  }

  /// Every rank sees the same requests here, so that all come to the same answer.
  bool agreed() {
    const Collective& first = clique_.members[0].collective;
    for (int r = 1; r < c_.ranks; ++r) {
      const Collective& other = clique_.members[r].collective;
      if (other == first) continue;
      char texts[2][160];
      describe(first, texts[0], sizeof texts[0]);
      describe(other, texts[1], sizeof texts[1]);
      fail(kInvalidUsage, "the ranks' calls do not agree: rank 0 asks for %s, rank %d for %s", texts[0], r,
           texts[1]);
      c_.error = kInvalidUsage;
      return false;
    }
    return true;
  }

  void perform_share(const Exchange& e, CliqueLock& lock) {
    const void* send[kMostRanks];
    void* receive[kMostRanks];
    uint64_t factors[kMostRanks];
    View views[kMostRanks];
    bool seen = true;
    // The others' requests stay as they are until this rank has done its part.
    lock.unlock();
    for (int r = 0; r < c_.ranks; ++r) {
      const Member& member = clique_.members[r];
      seen = views[r].open(member.send) && seen;
      send[r] = views[r].data();
      receive[r] = r == c_.rank ? e.receive : clique_.apart ? nullptr : member.receive.address;
      factors[r] = member.collective.factor;
    }
    if (seen)
      perform(e.collective,
              {.send = send, .receive = receive, .factors = factors, .together = !clique_.apart}, c_.rank,
              c_.ranks);
    for (int r = 0; r < c_.ranks; ++r) views[r].release();
    lock.lock();
    if (!seen) fail(kSystemError, "rank %d cannot read what another process sends", c_.rank);
  }

  bool advance_send(Exchange& e) {
    Mailbox& box = clique_.mailbox(c_.rank, e.peer);
    if (e.state == Exchange::State::New) {
      if (box.sent != box.taken) return false;
      box.buffer = buffer_of(e, e.send, e.bytes);
      box.begins = e.begins;
      e.number = ++box.sent;
      e.state = Exchange::State::Posted;
      notify_all(clique_);
      return true;
    }
    if (box.taken < e.number) return false;
    e.begins = box.begins;
    e.state = Exchange::State::Done;
    return true;
  }

  bool advance_receive(Exchange& e, CliqueLock& lock) {
    Mailbox& box = clique_.mailbox(e.peer, c_.rank);
    if (box.sent == box.taken) return false;
    const RankBuffer buffer = box.buffer;
    if (buffer.bytes != e.bytes) {
      fail(kInvalidUsage, "rank %d receives %llu bytes from rank %d, which sends %llu", c_.rank,
           static_cast<unsigned long long>(e.bytes), e.peer, static_cast<unsigned long long>(buffer.bytes));
      c_.error = kInvalidUsage;
    } else if (e.bytes != 0) {
      lock.unlock();
      View view;
      const bool seen = view.open(buffer);
      if (seen) std::memmove(e.receive, view.data(), e.bytes);
      view.release();
      lock.lock();
      if (!seen) fail(kSystemError, "rank %d cannot read what another process sends", c_.rank);
    }
    e.begins = box.begins = std::max(e.begins, box.begins);
    ++box.taken;
    e.state = Exchange::State::Done;
    notify_all(clique_);
    return true;
  }

  /// For all ranks; the first one says why.
  template <class... Values>
  void fail(int result, const char* format, Values... values) {
    if (clique_.failed) return;
    complain(format, values...);
    clique_.failed = result;
    notify_all(clique_);
  }

  static void describe(const Collective& what, char* text, size_t size) {
    const bool reduces = what.kind != CollectiveKind::Broadcast && what.kind != CollectiveKind::AllGather;
    const bool rooted = what.kind == CollectiveKind::Broadcast || what.kind == CollectiveKind::Reduce;
    char root[32] = "";
    if (rooted) std::snprintf(root, sizeof root, ", root %d", what.root);
    std::snprintf(text, size, "%s of %llu x %s%s%s%s", name_of(what.kind),
                  static_cast<unsigned long long>(what.count), name_of(what.element), reduces ? ", " : "",
                  reduces ? name_of(what.operation) : "", root);
  }

  /// Whether rank r keeps this one waiting in e.
  [[nodiscard]] bool waits_for(const Exchange& e, int r) const {
    if (e.state == Exchange::State::Done) return false;
    if (e.kind != Exchange::Kind::Collective) return r == e.peer;
    if (e.state == Exchange::State::New) return false;
    const Member& other = clique_.members[r];
    return me_.done < e.number ? other.posted < e.number : other.done < e.number;
  }

  /// A rank whose process is no more never comes; one that is late is named.
  void look_after_the_others(bool say) {
    for (int i = 0; i < count_; ++i) {
      const Exchange& e = exchanges_[i];
      RankList late;
      for (int r = 0; r < c_.ranks; ++r) {
        if (!waits_for(e, r)) continue;
        if (is_gone(clique_.members[r].process)) {
          fail(kRemoteError, "rank %d waits for rank %d, whose process %d has ended", c_.rank, r,
               clique_.members[r].process);
          return;
        }
        late.add(r);
      }
      if (!say || late.empty()) continue;
      char text[160];
      if (e.kind == Exchange::Kind::Collective)
        describe(e.collective, text, sizeof text);
      else
        std::snprintf(text, sizeof text, "%s of %llu bytes",
                      e.kind == Exchange::Kind::Send ? "ncclSend" : "ncclRecv",
                      static_cast<unsigned long long>(e.bytes));
      complain("rank %d of %d still waits in %s for the ranks%s", c_.rank, c_.ranks, text, late.text());
    }
  }

  Communicator& c_;
  Clique& clique_;
  Member& me_;
  Exchange* const exchanges_;
  const int count_;
  const double begins_ = work_begins();
};

}  // namespace

void report_work(const Communicator& c, const Exchange* exchanges, int count, const WorkReporter& reporter) {
  // Messages to one peer share a link; those to several go side by side, as in an all-to-all.
  uint64_t most = 0;
  int peers = 0;
  double begins = 0;
  for (int i = 0; i < count; ++i) {
    const Exchange& e = exchanges[i];
    if (e.kind == Exchange::Kind::Collective) {
      reporter(work_of(e.collective, c.ranks).not_before(e.begins));
      continue;
    }
    begins = std::max(begins, e.begins);
    uint64_t sent = 0, received = 0;
    bool first = true;
    for (int j = 0; j < count; ++j) {
      const Exchange& other = exchanges[j];
      if (other.kind == Exchange::Kind::Collective || other.peer != e.peer) continue;
      first = first && j >= i;
      (other.kind == Exchange::Kind::Send ? sent : received) += other.bytes;
    }
    if (first && e.peer != c.rank) ++peers;
    most = std::max(most, e.peer == c.rank ? 0 : std::max(sent, received));
  }
  if (begins > 0 || most > 0) {
    GpuWork work = most > 0 ? GpuWork("allreduce") : GpuWork();
    if (most > 0)
      work.set("what", peers > 1 ? "all-to-all" : "send")
          .set("ranks", int64_t{peers} + 1)
          .set("bytes", static_cast<double>(most) * (peers > 1 ? peers + 1 : 1));
    reporter(work.not_before(begins));
  }
}

void run(Communicator& communicator, Exchange* exchanges, int count) {
  pthread_mutex_lock(&communicator.execution);
  ProgressEngine(communicator, exchanges, count).run();
  pthread_mutex_unlock(&communicator.execution);
}

}  // namespace wavesmith::libraries
