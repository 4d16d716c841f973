#include "distributed/exchange_work.h"

namespace wavesmith::device {

ExchangeWork::ExchangeWork(int rank, c10d::OpType type, const char* title, c10::Device device,
                           Operands operands)
    : Work(rank, type, title, operands.inputs),
      title_(title),
      device_(device),
      kept_(std::move(operands.inputs)),
      outputs_(std::move(operands.outputs)),
      future_(c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()),
                                                       std::vector<c10::Device>{device})) {}

bool ExchangeWork::wait(std::chrono::milliseconds timeout) {
  {
    std::unique_lock lock(mutex_);
    const auto done = [this] { return completed_; };
    if (timeout == kNoTimeout) {
      cv_.wait(lock, done);
    } else {
      TORCH_CHECK_WITH(DistBackendError, cv_.wait_for(lock, timeout, done), title_, " is not done after ",
                       timeout.count(), " ms");
    }
    if (exception_) std::rethrow_exception(exception_);
  }
  const OnDevice on(device_.index());
  end_point.before(current_stream(device_.index()));
  return true;
}

void ExchangeWork::end(const std::exception_ptr& error) {
  kept_.clear();
  finish(error);
  if (error) {
    future_->setError(error);
  } else {
    future_->markCompleted(c10::IValue(outputs_));
  }
}

void ExchangeWork::add(const Operands& operands) {
  kept_.insert(kept_.end(), operands.inputs.begin(), operands.inputs.end());
  outputs_.insert(outputs_.end(), operands.outputs.begin(), operands.outputs.end());
}

}  // namespace wavesmith::device
