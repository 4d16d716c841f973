// torch.distributed's process group of emulated GPUs: its collectives and messages are RCCL's.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "distributed/lane.h"

namespace wavesmith::device {

class ProcessGroup final : public c10d::Backend {
 public:
  using Tensors = std::vector<at::Tensor>;
  using Work = c10::intrusive_ptr<c10d::Work>;

  ProcessGroup(std::string name, c10::intrusive_ptr<c10d::Store> store, int rank, int size,
               std::chrono::milliseconds timeout);
  ~ProcessGroup() override = default;

  const std::string getBackendName() const override { return name_; }
  c10::intrusive_ptr<Options> getBackendOptions() override {
    return c10::make_intrusive<Options>(name_, timeout_);
  }
  void setTimeout(std::chrono::milliseconds timeout) override { timeout_ = timeout; }
  bool supportsCoalescing() const override { return true; }
  void startCoalescing() override;
  Work endCoalescing() override;
  void setSequenceNumberForGroup() override {}
  std::uint64_t getSequenceNumberForGroup() override { return sequence_; }
  void eagerConnectSingleDevice(at::Device device) override { lane(device).connect(timeout_); }
  c10d::ErrorType getError() override;
  void abort() override;
  void shutdown() override;

  Work broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
  Work allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  Work allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override;
  Work reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
  Work allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                 const c10d::AllgatherOptions& options) override;
  Work _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) override;
  Work allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                       const c10d::AllgatherOptions& options) override;
  Work gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& options) override;
  Work scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& options) override;
  Work reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                      const c10d::ReduceScatterOptions& options) override;
  Work _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                            const c10d::ReduceScatterOptions& options) override;
  Work reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                       const c10d::ReduceScatterOptions& options) override;
  Work alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& output_splits,
                     std::vector<std::int64_t>& input_splits, const c10d::AllToAllOptions& options) override;
  Work alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;
  Work send(Tensors& tensors, int to, int tag) override;
  Work recv(Tensors& tensors, int from, int tag) override;
  Work barrier(const c10d::BarrierOptions& options) override;

 private:
  // What one call asks for.
  struct Request {
    c10d::OpType type;
    const char* title;
    Operands operands;
    std::chrono::milliseconds timeout = c10d::kUnsetTimeout;
  };
  // What is asked between startCoalescing and endCoalescing.
  struct Coalesced {
    WorkPointer work;
    std::vector<Launch> launches;
    std::chrono::milliseconds timeout;
  };

  Lane& lane(c10::Device device);
  Lane& message_lane(int from, int to, c10::Device device);
  std::chrono::milliseconds limit(std::chrono::milliseconds asked) const;
  Work submit(Request request, std::vector<Launch> launches);
  Work message(bool sends, at::Tensor tensor, int peer);
  void check_peer(std::int64_t rank, const char* what) const;

  const std::string name_;
  const c10::intrusive_ptr<c10d::Store> store_;
  std::chrono::milliseconds timeout_;
  std::uint64_t sequence_ = 0;
  bool is_coalescing_ = false;
  std::optional<Coalesced> coalesced_;
  std::mutex mutex_;  // of the lanes
  std::map<std::string, std::unique_ptr<Lane>> lanes_;
};

}  // namespace wavesmith::device
