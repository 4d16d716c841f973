// What a process group gives back for each thing that it is asked: when it is done, and whether it failed.
#pragma once

#include <torch/csrc/distributed/c10d/Work.hpp>

#include "device/streams.h"

namespace wavesmith::device {

// A point in a stream.
class StreamPoint {
 public:
  StreamPoint() { check(hipEventCreateWithFlags(&event_, kEventDisableTiming), "hipEventCreateWithFlags"); }
  ~StreamPoint() { hipEventDestroy(event_); }
  StreamPoint(const StreamPoint&) = delete;
  StreamPoint& operator=(const StreamPoint&) = delete;

  void record(const c10::Stream& stream) { check(hipEventRecord(event_, native(stream)), "hipEventRecord"); }
  // What the stream is given later comes after the point.
  void before(const c10::Stream& stream) const {
    check(hipStreamWaitEvent(native(stream), event_, 0), "hipStreamWaitEvent");
  }

 private:
  hipEvent_t event_ = nullptr;
};

// The tensors of a request; the work has them until it is done.
struct Operands {
  std::vector<at::Tensor> inputs, outputs;
};

// Waiting holds the caller back until the GPUs are done or have failed, and the caller's stream until the end
// in modelled time. It does not count as the host's waiting for a GPU, so kernels that the caller launches
// later may begin before, as with NCCL.
class ExchangeWork final : public c10d::Work {
 public:
  ExchangeWork(int rank, c10d::OpType type, const char* title, c10::Device device, Operands operands);

  bool wait(std::chrono::milliseconds timeout = kNoTimeout) override;
  void synchronize() override { wait(); }
  void blockCurrentStream() override { wait(); }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }
  std::vector<at::Tensor> result() override { return outputs_; }

  // The work is done, or failed; the calling thread's stream is the one whose later work comes after it.
  void end(const std::exception_ptr& error);

  const char* title() const { return title_; }
  c10::Device device() const { return device_; }
  void add(const Operands& operands);

  StreamPoint begin_point, end_point;

 private:
  const char* const title_;
  const c10::Device device_;
  std::vector<at::Tensor> kept_, outputs_;
  const c10::intrusive_ptr<c10::ivalue::Future> future_;
};

using WorkPointer = c10::intrusive_ptr<ExchangeWork>;

}  // namespace wavesmith::device
