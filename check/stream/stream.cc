#include "check/stream/stream.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "check/per_program.h"
#include "check/stream/conflicts.h"
#include "check/stream/record.h"

namespace wavesmith::check {
namespace {

using enum Touch;

/// Host memory for what is remembered of work that others may run beside.
constexpr size_t kMostBytes = size_t{256} << 20, kMostRecords = 16384;

struct Told {
  const char* rule;
  Severity severity;
  const char* what;
  const char* fix;
};

constexpr const char* kOrder =
    "let one stream wait for the other: hipEventRecord behind the first, hipStreamWaitEvent before the second";

Told told_of(const Conflict& conflict) {
  if (conflict.first->frees || conflict.second->frees)
    return {
        "stream-free", Severity::Error, "frees memory that other work uses, and nothing orders the two",
        "free it in the stream that uses it last, or let that of the release wait for an event behind the "
        "use"};
  if (conflict.first_kind == Write && conflict.second_kind == Write)
    return {"stream-write-write", Severity::Error,
            "writes what other work writes, too, and nothing orders the two", kOrder};
  const auto atomic = [](Touch kind) { return kind == Atomic || kind == Exchange; };
  if (atomic(conflict.first_kind) || atomic(conflict.second_kind))
    return {"stream-atomic-plain", Severity::Warning,
            "accesses what other work accesses atomically, and nothing orders the two", kOrder};
  const bool reads = conflict.second_kind != Write;
  return {"stream-read-write", Severity::Error,
          reads ? "reads what other work writes, and nothing orders the two"
                : "writes what other work reads, and nothing orders the two",
          kOrder};
}

const char* role_of(const StreamRecord& record, Touch kind) {
  if (record.frees) return "frees";
  if (kind == Write) return "writes";
  return kind == Atomic || kind == Exchange ? "accesses atomically" : "reads";
}

class Streams final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    const StreamPoint& at = stream_point();
    if (at.stream == 0 || launch.meets_others) return nullptr;
    // What a kernel touches is much to remember, so it is not while nothing could race with it.
    if (launch.in_only_stream && !at.graph) return nullptr;
    return std::make_unique<StreamListener>(launch, programs_.of(launch));
  }
  void finished(const Launch& launch, emulate::Listener& listener, const Error* error) override;
  void allocated(uint64_t address, uint64_t bytes) override;
  void released(uint64_t address, uint64_t bytes) override;
  void accessed(const HostAccess& access) override;
  void asked(const StreamWork& work) override;
  void ran(const StreamPoint& at) override;
  void known(const StreamPoint& at) override {
    const std::scoped_lock lock(mutex_);
    order_.known(at);
    clean();
  }
  void ended(uint64_t stream) override {
    const std::scoped_lock lock(mutex_);
    order_.ended(stream);
    clean();
  }
  void told_in_memory() override;
  void ends() override {
    const std::scoped_lock lock(mutex_);
    tell_candidates();
  }

 private:
  using Point = std::tuple<uint64_t, uint64_t, uint32_t>;
  static Point key_of(const StreamPoint& at) { return {at.stream, at.number, at.step}; }
  struct Asked {
    HostCall call;
    bool on_default_stream;
  };
  /// What an operation that is no kernel has touched so far.
  struct Open {
    std::vector<std::pair<uint64_t, uint64_t>> reads, writes;
    std::string access;
    bool frees = false;
  };
  struct Live {
    uint64_t end;
    std::vector<uint64_t> since;  ///< when it was allocated, the latest times
  };
  void add(StreamRecord record);
  void compare(const Record& a, const Record& b);
  uint64_t other_until(uint64_t address, uint64_t first, uint64_t second) const;
  std::string place_of(uint64_t address) const;
  void tell_candidates();
  void clean();

  PerProgram<TouchingSites> programs_;
  std::mutex mutex_;
  StreamOrder order_;
  std::map<Point, Asked> calls_;
  std::map<Point, Open> open_;
  std::map<uint64_t, Live> live_;                             ///< by address
  std::unordered_map<uint64_t, std::deque<Record>> records_;  ///< by stream
  size_t bytes_ = 0, count_ = 0;
  Bridges bridges_;
  std::vector<Conflict> candidates_;  ///< of which others' atomics may still say that they are ordered
};

void Streams::asked(const StreamWork& work) {
  const std::scoped_lock lock(mutex_);
  calls_[key_of(work.at)] = {host_call(), work.on_default_stream};
  order_.asked(work);
}

void Streams::finished(const Launch& launch, emulate::Listener& heard, const Error*) {
  const auto& listener = static_cast<StreamListener&>(heard);
  StreamListener::Result result = listener.take();
  const std::scoped_lock lock(mutex_);
  StreamRecord record{.work = {.at = stream_point()},
                      .touched = std::move(result.touched),
                      .kernel = launch.name(),
                      .entry = launch.entry,
                      .dispatch = launch.id,
                      .stores_show_scope = launch.target.is(isa::kCdna3 | isa::kCdna4 | isa::kRdna4),
                      .sites = listener.sites(),
                      .locate = launch.locate};
  // The host may look at what it shares with the kernel to see that it is done.
  if (result.shows_host) order_.known(stream_point());
  add(std::move(record));
}

void Streams::allocated(uint64_t address, uint64_t bytes) {
  constexpr size_t kTimes = 8;
  const std::scoped_lock lock(mutex_);
  std::vector<uint64_t> since;
  auto at = live_.upper_bound(address);
  if (at != live_.begin() && std::prev(at)->second.end > address) --at;
  while (at != live_.end() && at->first < address + bytes) {
    if (at->first == address) since = std::move(at->second.since);
    at = live_.erase(at);
  }
  if (since.size() >= kTimes) since.erase(since.begin());
  since.push_back(order_.tick());
  live_[address] = {address + bytes, std::move(since)};
}

void Streams::released(uint64_t address, uint64_t bytes) {
  if (stream_point().stream == 0) return;
  const std::scoped_lock lock(mutex_);
  Open& open = open_[key_of(stream_point())];
  open.writes.emplace_back(address, address + bytes);
  open.frees = true;
}

void Streams::accessed(const HostAccess& access) {
  if (stream_point().stream == 0 || !access.shared || access.bytes == 0) return;
  const std::scoped_lock lock(mutex_);
  Open& open = open_[key_of(stream_point())];
  open.access = access.call;
  (access.writes ? open.writes : open.reads).emplace_back(access.address, access.address + access.bytes);
}

void Streams::ran(const StreamPoint& at) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = open_.find(key_of(at)); found != open_.end()) {
    StreamRecord record{.work = {.at = at}, .access = found->second.access, .frees = found->second.frees};
    const auto put = [&](std::vector<std::pair<uint64_t, uint64_t>>& ranges, Touch kind) {
      std::ranges::sort(ranges);
      uint64_t done = 0;
      for (const auto& [begin, end] : ranges) {
        if (end > done) record.touched.of(kind).add(std::max(begin, done), end, 0);
        done = std::max(done, end);
      }
    };
    put(found->second.reads, Read);
    put(found->second.writes, Write);
    open_.erase(found);
    add(std::move(record));
  }
  if (at.graph) return;
  calls_.erase(key_of(at));
  order_.ran(at);
  if (order_.is_idle()) tell_candidates();
  clean();
}

void Streams::told_in_memory() {
  const std::scoped_lock lock(mutex_);
  // Whoever waits for a value in memory may wait for anything that is done.
  records_.clear();
  bytes_ = count_ = 0;
}

void Streams::add(StreamRecord record) {
  StreamPoint whole = record.work.at;
  whole.step = 0;
  const auto asked = calls_.find(key_of(whole));
  const auto work = order_.work(record.work.at);
  if (!work || asked == calls_.end() || record.touched.empty()) return;
  record.work = *work;
  if (record.call.name.empty()) record.call = asked->second.call;
  record.on_default_stream = asked->second.on_default_stream;
  const auto made = std::make_shared<const StreamRecord>(std::move(record));
  for (const auto& [stream, others] : records_)
    for (auto other = others.rbegin(); other != others.rend(); ++other) {
      if ((*other)->work.at.number < order_.first_beside(made->work, stream)) break;
      if (!order_.is_before((*other)->work, made->work)) compare(*other, made);
    }
  auto& own = records_[made->work.at.stream];
  own.push_back(made);
  bytes_ += made->touched.size();
  ++count_;
  while (bytes_ > kMostBytes || count_ > kMostRecords) {
    auto most = std::ranges::max_element(
        records_, {}, [](const auto& each) { return each.second.empty() ? 0 : each.second.size(); });
    bytes_ -= most->second.front()->touched.size();
    --count_;
    most->second.pop_front();
  }
}

void Streams::compare(const Record& a, const Record& b) {
  const bool there = may_tell(*a, *b), back = may_tell(*b, *a);
  if (there) bridges_.add(a, b);
  if (back) bridges_.add(b, a);
  if (there || back) return;
  const bool in_turn = a->work.asked <= b->work.asked;
  const Record &first = in_turn ? a : b, &second = in_turn ? b : a;
  constexpr size_t kMost = 4096;
  for (Conflict& conflict : conflicts_of(first, second, [&](uint64_t address) {
         return other_until(address, first->work.asked, second->work.asked);
       }))
    if (candidates_.size() < kMost) candidates_.push_back(std::move(conflict));
}

/// Up to where the memory around an address was allocated anew between the two times.
uint64_t Streams::other_until(uint64_t address, uint64_t first, uint64_t second) const {
  const auto after = live_.upper_bound(address);
  if (after == live_.begin() || address >= std::prev(after)->second.end) return address;
  const Live& live = std::prev(after)->second;
  const bool anew =
      std::ranges::any_of(live.since, [&](uint64_t time) { return time > first && time < second; });
  return anew ? live.end : address;
}

std::string Streams::place_of(uint64_t address) const {
  const auto after = live_.upper_bound(address);
  if (after == live_.begin() || address >= std::prev(after)->second.end) return {};
  const auto& [begin, live] = *std::prev(after);
  return fmt::format("allocation ({} bytes) + {:#x}", live.end - begin, address - begin);
}

void Streams::tell_candidates() {
  for (const Conflict& conflict : candidates_) {
    const StreamRecord &first = *conflict.first, &second = *conflict.second;
    if (bridges_.order(order_, first, second)) continue;
    const Told told = told_of(conflict);
    // At fault is the one that frees, else the later one.
    const bool turned = first.frees && !second.frees;
    findings_.add(
        {.rule = told.rule,
         .first = identity(second, conflict.second_site),
         .second = identity(first, conflict.first_site)},
        {.dispatch = second.work.asked, .workgroup = first.work.asked}, [&] {
          Finding made{.topic = Topic::Race,
                       .rule = told.rule,
                       .severity = told.severity,
                       .what = told.what,
                       .parties = {party(second, role_of(second, conflict.second_kind), conflict.second_site),
                                   party(first, role_of(first, conflict.first_kind), conflict.first_site)},
                       .address = place_of(conflict.address),
                       .fix = told.fix};
          if (turned) std::swap(made.parties[0], made.parties[1]);
          return made;
        });
  }
  candidates_.clear();
}

void Streams::clean() {
  for (auto line = records_.begin(); line != records_.end();) {
    auto& records = line->second;
    while (!records.empty() && order_.is_past(records.front()->work)) {
      bytes_ -= records.front()->touched.size();
      --count_;
      records.pop_front();
    }
    line = records.empty() ? records_.erase(line) : std::next(line);
  }
  bridges_.clean(order_);
}

}  // namespace

CheckerKind stream_checker() {
  return {.topic = Topic::Race,
          .finds =
              "kernels, copies, fills and releases of several streams, or of a graph's branches, that "
              "nothing orders",
          .does_not_see =
              "the host's own loads and stores; what threads of the host tell each other; kernels of the "
              "first stream before there was a second one",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> {
            return std::make_unique<Streams>(findings);
          }};
}

}  // namespace wavesmith::check
