// A trace in Chrome's event format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
// Source: "Trace Event Format", Google, complete events ("X") and metadata events ("M").
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wavesmith::report {

struct Trace {
  struct Thread {
    uint32_t process = 0, thread = 0;
    std::string process_name, name;
  };
  struct Event {
    uint32_t process = 0, thread = 0;
    double begin = 0, length = 0;  ///< microseconds
    std::string name, category;
    std::vector<std::pair<std::string, std::string>> details = {};
  };
  std::vector<Thread> threads;
  std::vector<Event> events;
};

/// JSON; the same trace gives the same bytes.
std::string chrome_trace(const Trace& trace);

}  // namespace wavesmith::report
