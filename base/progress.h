// Progress of long work, on stderr: on a terminal one line that each step overwrites, elsewhere a line now
// and then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace wavesmith {

/// Prints progress. Several threads may call it.
class Progress {
 public:
  /// Where lines go, and the clock that spaces them.
  struct Sink {
    bool terminal = false;
    std::function<void(std::string_view)> write;
    std::function<double()> seconds;
  };
  enum class Style : uint8_t {
    Any,    ///< one line that is overwritten where stderr is a terminal
    Lines,  ///< separate lines there too, because others write to the terminal
  };

  /// Lines begin with `who`: "wavesmith sweep". With `Any`, the last line is repeated during a long step.
  explicit Progress(std::string who, Style style = Style::Any);
  Progress(std::string who, Sink sink);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts a step; `what`: "12 of 60 simulated, the best so far ...". Off a terminal the first ten seconds
  /// print nothing; then lines come at growing intervals of at most a minute.
  void step(std::string_view what);
  /// Whether `step` would print now; cheap.
  [[nodiscard]] bool due() const { return sink_.terminal || sink_.seconds() >= next_; }
  /// Prints the last line once more when it is due.
  void repeat();
  /// Clears the terminal's line so that something else can be printed.
  void clear();

 private:
  void say(std::string_view what);  ///< the caller holds the lock

  std::string who_;
  Sink sink_;
  std::mutex mutex_;
  double begin_;
  std::atomic<double> next_;
  bool shown_ = false;
  std::string last_;
  bool ends_ = false;
  std::condition_variable end_;
  std::thread repeats_;  ///< prints lines that fall due during a step
};

}  // namespace wavesmith
