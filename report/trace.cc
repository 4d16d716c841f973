#include "report/trace.h"

#include <nlohmann/json.hpp>

namespace wavesmith::report {

using nlohmann::ordered_json;

std::string chrome_trace(const Trace& trace) {
  ordered_json events = ordered_json::array();
  for (const Trace::Thread& thread : trace.threads) {
    const auto named = [&](const char* what, const std::string& name) {
      events.push_back({{"ph", "M"},
                        {"name", what},
                        {"pid", thread.process},
                        {"tid", thread.thread},
                        {"args", {{"name", name}}}});
    };
    named("process_name", thread.process_name);
    named("thread_name", thread.name);
  }
  for (const Trace::Event& event : trace.events) {
    ordered_json one{
        {"ph", "X"},           {"name", event.name}, {"cat", event.category}, {"pid", event.process},
        {"tid", event.thread}, {"ts", event.begin},  {"dur", event.length}};
    for (const auto& [key, value] : event.details) one["args"][key] = value;
    events.push_back(std::move(one));
  }
  const ordered_json whole{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
  return whole.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace wavesmith::report
