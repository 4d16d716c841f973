#include "python/native/explain.h"

#include <fmt/format.h>

#include "analysis/analyse.h"
#include "gpus/gpu.h"
#include "python/native/failure.h"
#include "study/analysed.h"
#include "study/explained.h"

namespace nb = nanobind;

namespace wavesmith::python {
namespace {

analysis::ServedBy served_by_of(const std::string& name) {
  if (name == "l2") return analysis::ServedBy::L2;
  if (name == "memory") return analysis::ServedBy::Memory;
  throw Failure(
      {ErrorKind::BadInput, fmt::format("'{}' serves no loads", name), {}, "there are l2 and memory"});
}

}  // namespace

std::string explain(const std::string& path, const std::optional<nb::bytes>& contents,
                    const std::string& kernel, const std::string& gpu, uint32_t workgroup,
                    uint32_t dynamic_lds, const std::string& served_by,
                    const std::vector<std::string>& flags) {
  study::CodeRequest request{path, nullptr, flags};
  if (!gpu.empty()) request.gpu = value_or_throw(gpus::find_gpu(gpu));
  if (contents)
    request.contents.emplace(reinterpret_cast<const uint8_t*>(contents->c_str()), contents->size());
  constexpr uint32_t kMost = 1024;
  if (workgroup > kMost)
    throw Failure({ErrorKind::BadInput,
                   fmt::format("a workgroup of {} work-items", workgroup),
                   {},
                   fmt::format("it has 1 to {}", kMost)});
  analysis::Options options;
  if (workgroup) options.workgroup = workgroup;
  options.dynamic_lds = dynamic_lds;
  options.served_by = served_by_of(served_by);
  const nb::gil_scoped_release others_may_run;
  const study::Analysed analysed = value_or_throw(study::analyse_file(request, kernel, options));
  return study::json_of(path, analysed).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace wavesmith::python
