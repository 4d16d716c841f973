// Hears which device memory a kernel touches.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "check/launch.h"
#include "check/stream/touched.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

/// The instructions of a program that touch memory. Their numbers are their places in its code, from 1.
class TouchingSites {
 public:
  struct Fact {
    Touch kind;
    uint32_t number;
  };
  /// For launches of that program.
  void prepare(const Launch& launch);
  Fact of(const emulate::Site& site) {
    const auto number = static_cast<uint32_t>((site.instruction.pc - begin_) / 4 + 1);
    const uint8_t known = kinds_[number].load(std::memory_order_relaxed);
    return {known ? static_cast<Touch>(known - 1) : note(site, number), number};
  }
  struct Instruction {
    uint64_t pc = 0;
    std::string text;
  };
  [[nodiscard]] Instruction instruction(uint32_t number) const;

 private:
  Touch note(const emulate::Site& site, uint32_t number);
  std::once_flag prepared_;
  uint64_t begin_ = 0;
  std::unique_ptr<std::atomic<uint8_t>[]> kinds_;  ///< by number, + 1
  mutable std::mutex mutex_;
  std::map<uint32_t, Instruction> instructions_;
};

class StreamListener final : public emulate::Listener {
 public:
  StreamListener(const Launch& launch, std::shared_ptr<TouchingSites> sites)
      : launch_(launch), sites_(std::move(sites)) {
    sites_->prepare(launch);
  }
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override;
  [[nodiscard]] bool hears_instructions() const override { return false; }
  [[nodiscard]] const std::shared_ptr<TouchingSites>& sites() const { return sites_; }
  struct Result {
    Touched touched;          ///< the runtime's own memory apart
    bool shows_host = false;  ///< writes memory that the host reaches without a call
  };
  [[nodiscard]] Result take() const;

 private:
  class Workgroup;
  const Launch& launch_;
  std::shared_ptr<TouchingSites> sites_;
  TouchedPages pages_;
};

}  // namespace wavesmith::check
