// How long work tells how far it is, on stderr: on a terminal in one line that each step writes over,
// elsewhere in a line now and then.
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

/// Steps may come from several threads.
class Progress {
 public:
  /// Where it goes, and by which clock.
  struct Way {
    bool terminal = false;
    std::function<void(std::string_view)> write;
    std::function<double()> seconds;
  };
  enum class Shape : uint8_t {
    Any,    ///< a line that is written over where stderr is a terminal
    Lines,  ///< lines there too: somebody else writes to it
  };

  /// Lines begin with `who`: "wavesmith sweep". With `Any` what was said last is said again while a step
  /// takes long.
  explicit Progress(std::string who, Shape shape = Shape::Any);
  Progress(std::string who, Way way);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// So much is done; what: "of 60 simulated, the best so far ...". Elsewhere than on a terminal nothing is
  /// said in the first ten seconds, then at growing distances, at most a minute.
  void step(std::string_view what);
  /// Whether `step` would say it now; cheap.
  [[nodiscard]] bool due() const { return way_.terminal || way_.seconds() >= next_; }
  /// Says what was said last once more, where it is due.
  void repeat();
  /// Takes the line off the terminal: something else is to be printed.
  void clear();

 private:
  void say(std::string_view what);  ///< with the lock

  std::string who_;
  Way way_;
  std::mutex mutex_;
  double begin_;
  std::atomic<double> next_;
  bool shown_ = false;
  std::string last_;
  bool ends_ = false;
  std::condition_variable end_;
  std::thread repeats_;  ///< where nobody else may notice that a line is due
};

}  // namespace wavesmith
