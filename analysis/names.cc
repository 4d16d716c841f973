// Names of what reports hold.
#include "analysis/report.h"

namespace wavesmith::analysis {

std::string_view name_of(isa::Counter counter) {
  using isa::Counter;
  switch (counter) {
    case Counter::None:
      return "none";
    case Counter::Vm:
      return "vmcnt";
    case Counter::Lgkm:
      return "lgkmcnt";
    case Counter::Exp:
      return "expcnt";
    case Counter::Vs:
      return "vscnt";
    case Counter::Load:
      return "loadcnt";
    case Counter::Store:
      return "storecnt";
    case Counter::Ds:
      return "dscnt";
    case Counter::Km:
      return "kmcnt";
  }
  return "none";
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Hint:
      return "hint";
    case Severity::Warning:
      return "warning";
  }
  return "note";
}

}  // namespace wavesmith::analysis
