#include "model/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/constants.h"
#include "model/elementwise.h"
#include "model/gemm/gemm.h"
#include "model/judged.h"
#include "model/traffic.h"

namespace wavesmith::model {

double convolved(double size, double filter, double stride, double padding) {
  return filter > size + 2 * padding ? 0 : std::floor((size + 2 * padding - filter) / stride) + 1;
}

Result<Prediction> predict_convolution(const gpus::Gpu& gpu, const ConvolutionProblem& problem,
                                       const Conditions& conditions) {
  for (const double size : {problem.batch, problem.channels, problem.filters, problem.depth, problem.height,
                            problem.width, problem.filter_depth, problem.filter_height, problem.filter_width,
                            problem.stride, problem.groups, problem.depth_stride})
    if (!(size >= 1))
      return fail(ErrorKind::BadInput, "a convolution over nothing", {}, "every size is at least 1");
  if (std::fmod(problem.channels, problem.groups) != 0 || std::fmod(problem.filters, problem.groups) != 0)
    return fail(ErrorKind::BadInput, fmt::format("{} channels and {} filters cannot be in {} groups",
                                                 problem.channels, problem.filters, problem.groups));
  const double depth =
      convolved(problem.depth, problem.filter_depth, problem.depth_stride, problem.depth_padding);
  const double height = convolved(problem.height, problem.filter_height, problem.stride, problem.padding);
  const double width = convolved(problem.width, problem.filter_width, problem.stride, problem.padding);
  if (depth < 1 || height < 1 || width < 1)
    return fail(ErrorKind::BadInput, "the filter is larger than the input", {}, "pad the input");
  const double pixels = problem.batch * depth * height * width;
  const double taps =
      problem.channels / problem.groups * problem.filter_depth * problem.filter_height * problem.filter_width;
  GemmProblem gemm;
  gemm.m = static_cast<uint64_t>(pixels);
  gemm.n = static_cast<uint64_t>(problem.filters / problem.groups);
  gemm.k = static_cast<uint64_t>(taps);
  gemm.batch = static_cast<uint64_t>(problem.groups);
  gemm.a = gemm.b = gemm.c = problem.type;
  if (problem.of_filters) std::swap(gemm.m, gemm.k);  // the pixels along K
  Result<GemmPrediction> forward = predict_gemm(gpu, gemm, std::nullopt, conditions);
  if (!forward) return tl::unexpected(forward.error());
  Prediction result = *forward;
  result.seconds *= constant::kConvolutionGemm;
  const double input = problem.batch * problem.channels * problem.depth * problem.height * problem.width *
                       bytes_of(problem.type);
  const double output = pixels * problem.filters * bytes_of(problem.type);
  const double filters = problem.filters * taps * bytes_of(problem.type);
  if (problem.backward) {
    // The input's gradient has the same products; the filters' has the pixels along K.
    GemmProblem other = gemm;
    other.m = gemm.k, other.k = gemm.m;
    Result<GemmPrediction> gradient = predict_gemm(gpu, other, std::nullopt, conditions);
    if (!gradient) return tl::unexpected(gradient.error());
    result.seconds += gradient->seconds * constant::kConvolutionGemm;
    result.flops += gradient->flops;
    result.parts.push_back({"gradient of the filters", gradient->seconds, gradient->seconds});
  }
  result.bytes = input + output + filters;
  if (!problem.channels_last) {
    const double moved = 2 * (input + output) * (problem.backward ? 1.5 : 1);
    const double seconds = moved / sustained_memory(gpu, 0.5).bytes_per_second;
    result.seconds += seconds;
    result.parts.push_back({"transposes", seconds, seconds});
    result.notes.emplace_back("NCHW is transposed to channels last and back, in kernels of their own");
  }
  const double helpers =
      std::max(problem.helpers, problem.channels_last ? 0.0 : 2.0) * (problem.backward ? 2 : 1);
  if (helpers > 0) {
    result.seconds += helpers * constant::kConvolutionHelper;
    result.parts.push_back(
        {"kernels beside", helpers * constant::kConvolutionHelper, helpers * constant::kConvolutionHelper});
  }
  result.notes.push_back(fmt::format("as a matrix multiplication: {:.0f} x {:.0f} x {:.0f}", pixels,
                                     problem.filters / problem.groups, taps));
  result.confidence = Confidence::Low;
  mark_doubt(result, "convolution");
  result.judged = find_judged("convolution", gpu);
  finish(result);
  return result;
}

}  // namespace wavesmith::model
