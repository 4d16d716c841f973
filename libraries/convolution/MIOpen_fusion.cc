// MIOpen's fusion plans: a convolution, then a bias, then an activation, as far as a plan has them. Here they
// run one after another, so results of 16 bits are rounded after each. Types and values: miopen.h of
// ROCm 7.0.
#include "libraries/convolution/MIOpen_types.h"
#include "libraries/convolution/layers.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::miopen;

namespace {

constexpr int kUnsupportedOp = 8;

enum class Step { None, Convolution, Bias, Activation };
struct Operator {
  Step step;
  ConvolutionDescriptor convolution;
  TensorDescriptor tensor;  ///< the weights, or the bias
  Activation activation;
};

struct Plan {
  static constexpr int kMost = 3;
  TensorDescriptor input;
  Operator operators[kMost];
  int count;
  bool is_served;

  /// A place for the next operator, or null.
  Operator* add(Step step) {
    if (count == kMost) return nullptr;
    operators[count] = {step, {}, {}, Activation::None};
    return &operators[count++];
  }
  /// A convolution first, and what else there is in the order of the steps.
  [[nodiscard]] bool fits() const {
    for (int i = 0; i < count; ++i)
      if (i == 0 ? operators[i].step != Step::Convolution : operators[i].step <= operators[i - 1].step)
        return false;
    return count > 0 && is_served;
  }
};

struct Arguments {
  const void *weights, *bias;
  double alpha, beta, gamma;
};

int added(Plan* plan, Operator* added, void** place) {
  if (!added) {
    plan->is_served = false;
    return kUnsupportedOp;
  }
  *place = added;
  return kSuccess;
}

}  // namespace

WAVESMITH_SERVED int miopenCreateFusionPlan(void** place, int direction, Td input) {
  constexpr int kVertical = 0;
  if (!place || !input) return kBadParm;
  if (direction != kVertical) return kUnsupportedOp;
  if (!create<Plan>(place)) return kAllocFailed;
  auto* const plan = static_cast<Plan*>(*place);
  plan->input = *input;
  plan->is_served = true;
  return kSuccess;
}
WAVESMITH_SERVED int miopenDestroyFusionPlan(void* plan) { return destroy(plan, kBadParm); }

WAVESMITH_SERVED int miopenCreateOpConvForward(Plan* plan, void** place, Cd how, Td weights) {
  if (!plan || !place || !how || !weights) return kBadParm;
  Operator* const made = plan->add(Step::Convolution);
  if (made) {
    made->convolution = *how;
    made->tensor = *weights;
  }
  return added(plan, made, place);
}
WAVESMITH_SERVED int miopenCreateOpBiasForward(Plan* plan, void** place, Td bias) {
  if (!plan || !place || !bias) return kBadParm;
  Operator* const made = plan->add(Step::Bias);
  if (made) made->tensor = *bias;
  return added(plan, made, place);
}
WAVESMITH_SERVED int miopenCreateOpActivationForward(Plan* plan, void** place, int mode) {
  if (!plan || !place || mode < 0) return kBadParm;
  if (mode > static_cast<int>(Activation::Elu)) {
    plan->is_served = false;
    return kUnsupportedOp;
  }
  Operator* const made = plan->add(Step::Activation);
  if (made) made->activation = static_cast<Activation>(mode);
  return added(plan, made, place);
}
WAVESMITH_SERVED int miopenCompileFusionPlan(void* handle, const Plan* plan) {
  if (!handle || !plan) return kBadParm;
  return plan->fits() ? kSuccess : kUnsupportedOp;
}

WAVESMITH_SERVED int miopenCreateOperatorArgs(void** place) {
  if (!place) return kBadParm;
  return create<Arguments>(place) ? kSuccess : kAllocFailed;
}
WAVESMITH_SERVED int miopenDestroyOperatorArgs(void* arguments) { return destroy(arguments, kBadParm); }

WAVESMITH_SERVED int miopenSetOpArgsConvForward(Arguments* arguments, const Operator* of, const void* alpha,
                                                const void* beta, const void* weights) {
  if (!arguments || !of || of->step != Step::Convolution || !weights ||
      !scales_nothing(alpha, beta, of->tensor.tensor))
    return kBadParm;
  arguments->weights = weights;
  return kSuccess;
}
WAVESMITH_SERVED int miopenSetOpArgsBiasForward(Arguments* arguments, const Operator* of, const void* alpha,
                                                const void* beta, const void* bias) {
  if (!arguments || !of || of->step != Step::Bias || !bias || !scales_nothing(alpha, beta, of->tensor.tensor))
    return kBadParm;
  arguments->bias = bias;
  return kSuccess;
}
WAVESMITH_SERVED int miopenSetOpArgsActivForward(Arguments* arguments, const Operator* of, const void* alpha,
                                                 const void* beta, double activation_alpha,
                                                 double activation_beta, double activation_gamma) {
  if (!arguments || !of || of->step != Step::Activation ||
      !scales_nothing(alpha, beta, Tensor{Number::F32, 0, {}, {}}))
    return kBadParm;
  arguments->alpha = activation_alpha;
  arguments->beta = activation_beta;
  arguments->gamma = activation_gamma;
  return kSuccess;
}

WAVESMITH_SERVED int miopenFusionPlanGetOp(Plan* plan, int number, void** place) {
  if (!plan || !place || number < 0 || number >= plan->count) return kBadParm;
  *place = &plan->operators[number];
  return kSuccess;
}
WAVESMITH_SERVED int miopenFusionPlanGetWorkSpaceSize(void* handle, const Plan* plan, size_t* size, int) {
  return write(!handle || !plan ? kBadParm : plan->fits() ? kSuccess : kUnsupportedOp, size, size_t{0});
}

namespace {

int execute(const char* function, void* handle, const Plan* plan, Td x, const void* x_data, Td y,
            void* y_data, const Arguments* arguments) {
  if (!handle || !plan || !x || !y || !x_data || !y_data || !arguments ||
      !same_sizes(plan->input.tensor, x->tensor))
    return kBadParm;
  if (!plan->fits()) return kUnsupportedOp;
  const Called called(function);
  const Elements result = elements(y, y_data);
  for (int i = 0; i < plan->count; ++i) {
    const Operator& each = plan->operators[i];
    int status = kSuccess;
    if (each.step == Step::Convolution) {
      status = enqueue_forward(function, handle, &each.convolution, x, x_data, &each.tensor,
                               arguments->weights, y, y_data);
    } else if (each.step == Step::Bias) {
      if (!arguments->bias || !broadcasts(each.tensor.tensor, y->tensor)) return kBadParm;
      const CombineTensors sum{Combine::Add, 1, 1, 0, result, elements(&each.tensor, arguments->bias),
                               result};
      status = enqueue_layer(function, handle, sum, {sum.b, sum.c});
    } else {
      const Activate activate{each.activation, arguments->alpha, arguments->beta, arguments->gamma,
                              {1, 0},          result,           result};
      status = enqueue_layer(function, handle, activate, {result});
    }
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

}  // namespace

WAVESMITH_SERVED int miopenExecuteFusionPlan(void* handle, const Plan* plan, Td x, const void* x_data, Td y,
                                             void* y_data, const Arguments* arguments) {
  return execute(__func__, handle, plan, x, x_data, y, y_data, arguments);
}
WAVESMITH_SERVED int miopenExecuteFusionPlan_v2(void* handle, const Plan* plan, Td x, const void* x_data,
                                                Td y, void* y_data, const Arguments* arguments, void*,
                                                size_t) {
  return execute(__func__, handle, plan, x, x_data, y, y_data, arguments);
}
