#include "distributed/process_group.h"

#include <torch/library.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <ATen/ops/empty.h>

#include "device/device_type.h"

namespace wavesmith::device {
namespace {

constexpr const char* kCollectives = "collectives";

// The device of what a request has, all of which has to be there.
c10::Device device_of(const Operands& operands, const char* title) {
  std::optional<c10::Device> device;
  for (const auto* tensors : {&operands.inputs, &operands.outputs})
    for (const at::Tensor& each : *tensors) {
      TORCH_CHECK(each.layout() == c10::kStrided, title, ": sparse tensors are not supported");
      TORCH_CHECK(on_device(each), title, ": a tensor of ", each.device(),
                  " in a process group of emulated GPUs");
      TORCH_CHECK(!device.has_value() || *device == each.device(), title, ": tensors of ", *device, " and ",
                  each.device());
      device = each.device();
    }
  TORCH_CHECK(device.has_value(), title, ": no tensor");
  return *device;
}

}  // namespace

ProcessGroup::ProcessGroup(std::string name, c10::intrusive_ptr<c10d::Store> store, int rank, int size,
                           std::chrono::milliseconds timeout)
    : Backend(rank, size), name_(std::move(name)), store_(std::move(store)), timeout_(timeout) {}

Lane& ProcessGroup::lane(c10::Device device) {
  const std::lock_guard lock(mutex_);
  auto& found = lanes_[kCollectives];
  if (!found) found = std::make_unique<Lane>(Place{kCollectives, rank_, size_}, device, store_);
  TORCH_CHECK(found->device() == device, "rank ", rank_, " is on ", found->device(),
              " in this process group, not on ", device);
  return *found;
}

// Messages from one rank to another wait for nothing but one another.
Lane& ProcessGroup::message_lane(int from, int to, c10::Device device) {
  const auto name = c10::str("from ", from, " to ", to);
  const std::lock_guard lock(mutex_);
  auto& found = lanes_[name];
  if (!found) found = std::make_unique<Lane>(Place{name, from == rank_ ? 0 : 1, 2}, device, store_);
  return *found;
}

std::chrono::milliseconds ProcessGroup::limit(std::chrono::milliseconds asked) const {
  return asked == c10d::kUnsetTimeout ? timeout_ : asked;
}

ProcessGroup::Work ProcessGroup::submit(Request request, std::vector<Launch> launches) {
  const auto device = device_of(request.operands, request.title);
  ++sequence_;
  if (is_coalescing_) {
    if (!coalesced_.has_value())
      coalesced_ = {c10::make_intrusive<ExchangeWork>(rank_, c10d::OpType::COALESCED, "wavesmith:coalesced",
                                                      device, Operands{}),
                    {},
                    limit(request.timeout)};
    coalesced_->work->add(request.operands);
    for (Launch& each : launches) coalesced_->launches.push_back(std::move(each));
    return coalesced_->work;
  }
  auto work = c10::make_intrusive<ExchangeWork>(rank_, request.type, request.title, device,
                                                std::move(request.operands));
  lane(device).launch(work, launches, limit(request.timeout));
  return work;
}

void ProcessGroup::startCoalescing() {
  TORCH_CHECK(!is_coalescing_, "a group of collectives within another one");
  is_coalescing_ = true;
}

ProcessGroup::Work ProcessGroup::endCoalescing() {
  is_coalescing_ = false;
  const auto all = std::exchange(coalesced_, std::nullopt);
  if (!all.has_value()) return nullptr;
  lane(all->work->device()).launch(all->work, all->launches, all->timeout);
  return all->work;
}

c10d::ErrorType ProcessGroup::getError() {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, each] : lanes_)
    if (!each->failure().empty()) return c10d::ErrorType::COMM_ERROR;
  return c10d::ErrorType::SUCCESS;
}

void ProcessGroup::abort() {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, each] : lanes_) each->abort("the process group was aborted");
}

void ProcessGroup::shutdown() {
  const std::lock_guard lock(mutex_);
  lanes_.clear();
}

void ProcessGroup::check_peer(std::int64_t rank, const char* what) const {
  TORCH_CHECK(rank >= 0 && rank < size_, what, ": rank ", rank, " of ", size_);
}

ProcessGroup::Work ProcessGroup::message(bool sends, at::Tensor tensor, int peer) {
  const char* const title = sends ? "wavesmith:send" : "wavesmith:recv";
  check_peer(peer, title);
  TORCH_CHECK(tensor.is_contiguous(), title, ": the tensor is not contiguous");
  const auto [type, width] = moved_type(tensor.scalar_type());
  const auto count = tensor.nbytes() / width;
  const auto launch = [=, data = tensor.data_ptr(), type = type](int to) {
    return Launch{[=](RcclComm* communicator, hipStream_t stream) {
                    check_rccl(sends ? rccl().send(data, count, type, to, communicator, stream)
                                     : rccl().receive(data, count, type, to, communicator, stream),
                               title, communicator);
                  },
                  {},
                  {}};
  };
  const auto op = sends ? c10d::OpType::SEND : c10d::OpType::RECV;
  Operands operands;
  (sends ? operands.inputs : operands.outputs).push_back(tensor);
  if (is_coalescing_) return submit({op, title, std::move(operands)}, {launch(peer)});
  const auto device = device_of(operands, title);
  ++sequence_;
  auto work = c10::make_intrusive<ExchangeWork>(rank_, op, title, device, std::move(operands));
  message_lane(sends ? rank_ : peer, sends ? peer : rank_, device)
      .post(work, {launch(sends ? 1 : 0)}, timeout_);
  return work;
}

ProcessGroup::Work ProcessGroup::send(Tensors& tensors, int to, int) {
  TORCH_CHECK(tensors.size() == 1, "wavesmith:send: ", tensors.size(), " tensors");
  return message(true, tensors[0], to);
}

ProcessGroup::Work ProcessGroup::recv(Tensors& tensors, int from, int) {
  TORCH_CHECK(tensors.size() == 1, "wavesmith:recv: ", tensors.size(), " tensors");
  return message(false, tensors[0], from);
}

ProcessGroup::Work ProcessGroup::barrier(const c10d::BarrierOptions& options) {
  c10::Device device(kDevice, current_device());
  if (options.device.has_value()) {
    device = *options.device;
  } else if (!options.device_ids.empty()) {
    device = c10::Device(kDevice, static_cast<c10::DeviceIndex>(options.device_ids[0]));
  } else if (getBoundDeviceId().has_value()) {
    device = *getBoundDeviceId();
  }
  if (!device.has_index()) device.set_index(current_device());
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = lanes_.find(kCollectives); found != lanes_.end()) device = found->second->device();
  }
  Tensors tensors{at::empty({1}, at::TensorOptions().dtype(at::kByte).device(device))};
  c10d::AllreduceOptions one;
  one.reduceOp = c10d::ReduceOp::MAX;
  one.timeout = options.timeout;
  return allreduce(tensors, one);
}

namespace {

// Python has no class for the group: it gets it by a c10d::ProcessGroup that it made with a store.
void add_process_group(const c10::intrusive_ptr<c10d::ProcessGroup>& to, std::int64_t milliseconds,
                       const std::string& name) {
  to->setBackend(kDevice, c10d::ProcessGroup::BackendType::CUSTOM,
                 c10::make_intrusive<ProcessGroup>(name, to->getStore(), to->getRank(), to->getSize(),
                                                   std::chrono::milliseconds(milliseconds)));
}

std::int64_t rccl_version() {
  int version = 0;
  check_rccl(rccl().get_version(&version), "ncclGetVersion");
  return version;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(wavesmith_device, m) {
  m.def("add_process_group(__torch__.torch.classes.c10d.ProcessGroup to, int milliseconds, str name) -> ()",
        &add_process_group);
  m.def("rccl_version() -> int", &rccl_version);
}

}  // namespace wavesmith::device
