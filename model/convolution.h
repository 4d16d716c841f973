// Predicts a convolution as a matrix multiplication, with one row per pixel of the result, one column per
// filter, and one step along K per pixel and channel of a filter; transposes are added where layouts need
// them.
#pragma once

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

struct ConvolutionProblem {
  double batch = 1, channels = 0, filters = 0;
  double depth = 1, height = 0, width = 0;  ///< of the input
  double filter_depth = 1, filter_height = 1, filter_width = 1;
  double stride = 1, padding = 0, groups = 1;
  double depth_stride = 1, depth_padding = 0;
  NumberType type = NumberType::BF16;
  bool channels_last = true;  ///< false: NCHW, with transposes in front and behind
  double helpers = 0;         ///< kernels in front and behind: transposes, casts
  bool backward = false;      ///< both gradients: of the input and of the filters
  bool of_filters = false;    ///< the gradient of the filters alone
};

/// The result's height for an input of `size`; 0: the filter does not fit.
double convolved(double size, double filter, double stride, double padding);

Result<Prediction> predict_convolution(const gpus::Gpu& gpu, const ConvolutionProblem& problem,
                                       const Conditions& conditions = {});

}  // namespace wavesmith::model
