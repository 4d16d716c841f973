#include "base/progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace wavesmith {
namespace {

constexpr double kFirst = 10, kMost = 60, kGrowth = 1.5;

Progress::Sink to_stderr(Progress::Style style) {
  return {style == Progress::Style::Any && isatty(STDERR_FILENO) != 0,
          [](std::string_view text) {
            std::fwrite(text.data(), 1, text.size(), stderr);
            std::fflush(stderr);
          },
          [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
          }};
}

}  // namespace

Progress::Progress(std::string who, Style style) : Progress(std::move(who), to_stderr(style)) {
  if (style == Style::Any && !sink_.terminal)
    repeats_ = std::thread([this] {
      std::unique_lock lock(mutex_);
      while (!end_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; }))
        if (due() && !last_.empty()) say(last_);
    });
}

Progress::Progress(std::string who, Sink sink)
    : who_(std::move(who)), sink_(std::move(sink)), begin_(sink_.seconds()), next_(begin_ + kFirst) {}

Progress::~Progress() {
  clear();
  if (!repeats_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  end_.notify_all();
  repeats_.join();
}

void Progress::step(std::string_view what) {
  const std::lock_guard guard(mutex_);
  last_ = what;
  if (due()) say(what);
}

void Progress::repeat() {
  const std::lock_guard guard(mutex_);
  if (due() && !last_.empty()) say(last_);
}

void Progress::say(std::string_view what) {
  if (sink_.terminal) {
    sink_.write(fmt::format("\r\033[K{}", what));
    shown_ = true;
    return;
  }
  const double now = sink_.seconds();
  sink_.write(fmt::format("{}: {:.0f} s, {}\n", who_, now - begin_, what));
  next_ = now + std::clamp((now - begin_) * (kGrowth - 1), kFirst, kMost);
}

void Progress::clear() {
  const std::lock_guard guard(mutex_);
  if (shown_) sink_.write("\r\033[K");
  shown_ = false;
  last_.clear();
}

}  // namespace wavesmith
