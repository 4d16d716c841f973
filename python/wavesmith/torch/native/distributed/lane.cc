#include "distributed/lane.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>

namespace wavesmith::device {
namespace {

using std::chrono::steady_clock;

// Streams of lanes that are no more, for others: a device keeps its streams.
class SpareStreams {
 public:
  static SpareStreams& get() {
    static auto& spare = *new SpareStreams();  // leaked: threads may outlive what is destroyed at the end
    return spare;
  }
  c10::Stream take(c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(streams_.begin(), streams_.end(),
                                    [&](const c10::Stream& each) { return each.device_index() == device; });
    if (found == streams_.end()) return new_stream(device, 0);
    const c10::Stream stream = *found;
    streams_.erase(found);
    return stream;
  }
  void give_back(const c10::Stream& stream) {
    const std::lock_guard lock(mutex_);
    streams_.push_back(stream);
  }

 private:
  std::mutex mutex_;
  std::vector<c10::Stream> streams_;
};

// Whether a stream has come to a point, for a thread that waits for it with a deadline.
class Arrival {
 public:
  static std::shared_ptr<Arrival> at(const c10::Stream& stream) {
    auto made = std::make_shared<Arrival>();
    auto kept = std::make_unique<std::shared_ptr<Arrival>>(made);
    check(hipLaunchHostFunc(native(stream), &Arrival::come, kept.get()), "hipLaunchHostFunc");
    kept.release();  // to `come`
    return made;
  }
  bool wait_until(steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [this] { return come_; });
  }

 private:
  static void come(void* user) {
    const std::unique_ptr<std::shared_ptr<Arrival>> kept(static_cast<std::shared_ptr<Arrival>*>(user));
    Arrival& self = **kept;
    const std::lock_guard lock(self.mutex_);
    self.come_ = true;
    self.changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool come_ = false;
};

// RCCL's calls of a thread while it lives are launched together at its end.
class RcclGroup {
 public:
  RcclGroup() { check_rccl(rccl().group_start(), "ncclGroupStart"); }
  ~RcclGroup() {
    if (!ended_) rccl().group_end();
  }
  RcclGroup(const RcclGroup&) = delete;
  RcclGroup& operator=(const RcclGroup&) = delete;
  void end(RcclComm* communicator) {
    ended_ = true;
    check_rccl(rccl().group_end(), "ncclGroupEnd", communicator);
  }

 private:
  bool ended_ = false;
};

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

std::string seconds(std::chrono::milliseconds time) {
  return c10::str(static_cast<double>(time.count()) / 1000, " s");
}

// What the communicator has come to, once that is settled.
int settled(RcclComm* communicator, steady_clock::time_point deadline) {
  int state = kRcclInProgress;
  while (true) {
    check_rccl(rccl().comm_get_async_error(communicator, &state), "ncclCommGetAsyncError", communicator);
    if (state != kRcclInProgress || steady_clock::now() > deadline) return state;
    pause();
  }
}

}  // namespace

Lane::Lane(Place place, c10::Device device, c10::intrusive_ptr<c10d::Store> store)
    : place_(std::move(place)),
      device_(device),
      store_(std::move(store)),
      stream_(SpareStreams::get().take(device.index())),
      done_(SpareStreams::get().take(device.index())),
      thread_(&Lane::run, this) {}

Lane::~Lane() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
  if (communicator_ != nullptr) rccl().comm_destroy(communicator_);
  if (!failure_.empty()) return;  // its streams may never come to their ends
  SpareStreams::get().give_back(stream_);
  SpareStreams::get().give_back(done_);
}

std::string Lane::me() const {
  return c10::str("rank ", place_.rank, " of ", place_.ranks, " (", place_.name, ")");
}

void Lane::connect(Milliseconds timeout) { connect_until(after(timeout), timeout); }

void Lane::connect_until(Deadline deadline, Milliseconds timeout) {
  const std::lock_guard lock(communicator_mutex_);
  const auto failed = failure();
  TORCH_CHECK_WITH(DistBackendError, failed.empty(), failed);
  if (communicator_ != nullptr) return;
  const OnDevice on(device_.index());
  const UniqueId id = shared_id(deadline, timeout);
  RcclConfig config;
  RcclComm* made = nullptr;
  check_rccl(rccl().comm_init_rank_config(&made, place_.ranks, id, place_.rank, &config),
             "ncclCommInitRankConfig");
  const int state = settled(made, deadline);
  if (state == kRcclInProgress) {
    rccl().comm_abort(made);
    TORCH_CHECK_WITH(DistBackendError, false, me(), ": the others did not come within ", seconds(timeout),
                     missing());
  }
  check_rccl(state, "ncclCommInitRankConfig", made);
  communicator_ = made;
}

// The first rank makes the id and leaves it for each of the others, who take it away: a later group of the
// same name does not find it.
UniqueId Lane::shared_id(Deadline deadline, Milliseconds timeout) {
  UniqueId id{};
  const auto key = [&](int rank) { return c10::str(place_.name, "/", rank); };
  if (place_.rank == 0) {
    check_rccl(rccl().get_unique_id(&id), "ncclGetUniqueId");
    for (int rank = 1; rank < place_.ranks; ++rank)
      store_->set(key(rank), std::vector<std::uint8_t>(id.bytes, id.bytes + sizeof id.bytes));
    return id;
  }
  while (!store_->check({key(place_.rank)})) {  // get() would keep other threads from the store
    TORCH_CHECK_WITH(DistBackendError, steady_clock::now() < deadline, me(), ": rank 0 did not come within ",
                     seconds(timeout));
    pause();
  }
  const auto bytes = store_->get(key(place_.rank));
  TORCH_CHECK_WITH(DistBackendError, bytes.size() == sizeof id.bytes, me(), ": the store has no id of RCCL");
  std::memcpy(id.bytes, bytes.data(), sizeof id.bytes);
  store_->deleteKey(key(place_.rank));
  return id;
}

std::string Lane::missing() {
  std::string ranks;
  if (place_.rank != 0) return ranks;
  for (int rank = 1; rank < place_.ranks; ++rank)
    if (store_->check({c10::str(place_.name, "/", rank)}))
      ranks += c10::str(ranks.empty() ? ": " : ", ", rank);
  return ranks;
}

void Lane::start(ExchangeWork& work, const std::vector<Launch>& launches, Deadline deadline) {
  const std::lock_guard lock(communicator_mutex_);
  const auto failed = failure();
  TORCH_CHECK_WITH(DistBackendError, failed.empty(), failed);
  work.begin_point.before(stream_);
  for (const Launch& each : launches)
    if (each.before) each.before(native(stream_));
  RcclGroup group;
  for (const Launch& each : launches) each.calls(communicator_, native(stream_));
  group.end(communicator_);
  check_rccl(settled(communicator_, deadline), work.title(), communicator_);
  for (const Launch& each : launches)
    if (each.after) each.after(native(stream_));
  work.end_point.record(stream_);
}

void Lane::launch(const WorkPointer& work, const std::vector<Launch>& launches, Milliseconds timeout) {
  const auto deadline = after(timeout);
  const OnDevice on(device_.index());
  const auto current = current_stream(device_.index());
  const bool captured = is_capturing(current);
  if (captured) {
    const std::lock_guard lock(communicator_mutex_);
    TORCH_CHECK(
        communicator_ != nullptr,
        "the first collective of a process group cannot be captured in a graph: its ranks meet there");
  }
  connect_until(deadline, timeout);
  work->begin_point.record(current);
  start(*work, launches, deadline);
  if (captured) {
    work->end(nullptr);
  } else {
    queue({work, {}, timeout, deadline});
  }
}

void Lane::post(const WorkPointer& work, std::vector<Launch> launches, Milliseconds timeout) {
  const OnDevice on(device_.index());
  const auto current = current_stream(device_.index());
  TORCH_CHECK(!is_capturing(current),
              "messages outside torch.distributed.batch_isend_irecv cannot be captured in a "
              "graph");
  work->begin_point.record(current);
  queue({work, std::move(launches), timeout, after(timeout)});
}

void Lane::queue(Item item) {
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(item));
  changed_.notify_all();
}

void Lane::run() {
  set_device(device_.index());
  exchange_stream(done_);
  while (true) {
    Item item;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !items_.empty(); });
      if (items_.empty()) return;
      item = std::move(items_.front());
      items_.pop_front();
    }
    std::exception_ptr error;
    try {
      see_end(item);
    } catch (const std::exception& raised) {
      error = std::current_exception();
      fail(raised.what());
    }
    item.work->end(error);
  }
}

void Lane::see_end(const Item& item) {
  if (!item.launches.empty()) {
    connect_until(item.deadline, item.timeout);
    start(*item.work, item.launches, item.deadline);
  }
  item.work->end_point.before(done_);
  const auto arrival = Arrival::at(done_);
  if (!arrival->wait_until(item.deadline)) {
    const auto why = c10::str(me(), ": ", item.work->title(), " was not done after ", seconds(item.timeout),
                              ": another rank has not come to it");
    abort(why);
    arrival->wait_until(after(std::chrono::seconds(10)));
    TORCH_CHECK_WITH(DistBackendError, false, why);
  }
  const std::lock_guard lock(communicator_mutex_);
  const auto failed = failure();
  TORCH_CHECK_WITH(DistBackendError, failed.empty(), failed);
  const int state = settled(communicator_, item.deadline);
  TORCH_CHECK_WITH(DistBackendError, state == kRcclSuccess, me(), ": ", item.work->title(), ": ",
                   rccl_error(state, communicator_));
}

void Lane::abort(const std::string& why) {
  fail(why);
  const std::lock_guard lock(communicator_mutex_);
  if (communicator_ != nullptr) rccl().comm_abort(communicator_);
  communicator_ = nullptr;
}

std::string Lane::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Lane::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = why.substr(0, why.find("\nException raised from"));
}

}  // namespace wavesmith::device
