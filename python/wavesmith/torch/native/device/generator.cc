#include "device/generator.h"

#include <map>
#include <mutex>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <c10/core/GeneratorImpl.h>
#include <wavesmith_pointwise.h>

#include "device/streams.h"
#include "operators/kernels.h"

namespace wavesmith::device {

struct GeneratorState {
  std::mutex mutex;
  std::uint64_t seed = c10::default_rng_seed_val, offset = 0;
};

namespace {

constexpr std::int64_t kStateBytes = 16;  // CUDA's: the seed and the offset
constexpr int kNoCapture = 0;             // hipStreamCaptureStatusNone

void check_offset(std::uint64_t offset) { TORCH_CHECK(offset % 4 == 0, "offset must be a multiple of 4"); }

struct DeviceGenerator final : c10::GeneratorImpl {
  explicit DeviceGenerator(c10::DeviceIndex device,
                           std::shared_ptr<GeneratorState> state_ = std::make_shared<GeneratorState>())
      : GeneratorImpl(c10::Device(kDevice, device), c10::DispatchKeySet(kKey)), state(std::move(state_)) {}

  void set_current_seed(std::uint64_t seed) override { set(seed, 0); }
  void set_offset(std::uint64_t offset) override {
    check_offset(offset);
    const std::scoped_lock lock(state->mutex);
    state->offset = offset;
  }
  std::uint64_t get_offset() const override {
    const std::scoped_lock lock(state->mutex);
    return state->offset;
  }
  std::uint64_t current_seed() const override {
    const std::scoped_lock lock(state->mutex);
    return state->seed;
  }
  std::uint64_t seed() override {
    const auto chosen = c10::detail::getNonDeterministicRandom();
    set(chosen, 0);
    return chosen;
  }

  // The bytes of the seed and, where they are there, of the offset.
  void set_state(const c10::TensorImpl& given) override {
    at::detail::check_rng_state(given);
    const auto bytes = given.numel();
    TORCH_CHECK(bytes == kStateBytes || bytes == kStateBytes / 2, "RNG state is wrong size");
    std::uint64_t numbers[2] = {};
    std::memcpy(numbers, given.data_dtype_initialized<std::uint8_t>(), static_cast<std::size_t>(bytes));
    check_offset(numbers[1]);
    set(numbers[0], numbers[1]);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    const at::Tensor made = at::detail::empty_cpu({kStateBytes}, c10::ScalarType::Byte, std::nullopt,
                                                  std::nullopt, std::nullopt, std::nullopt);
    const std::uint64_t numbers[] = {current_seed(), get_offset()};
    std::memcpy(made.mutable_data_ptr(), numbers, kStateBytes);
    return made.getIntrusivePtr();
  }
  void graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl>& given) override {
    auto* ours = dynamic_cast<DeviceGenerator*>(given.get());
    TORCH_CHECK(ours != nullptr, "the state of a generator of another device");
    state = ours->state;
  }
  c10::intrusive_ptr<c10::GeneratorImpl> graphsafe_get_state() const override {
    return c10::make_intrusive<DeviceGenerator>(device().index(), state);
  }
  DeviceGenerator* clone_impl() const override {
    auto* made = new DeviceGenerator(device().index());
    made->set(current_seed(), get_offset());
    return made;
  }

  void set(std::uint64_t seed, std::uint64_t offset) {
    const std::scoped_lock lock(state->mutex);
    state->seed = seed;
    state->offset = offset;
  }

  std::shared_ptr<GeneratorState> state;  // graphs and other generators may share it
  at::Generator host = at::detail::createCPUGenerator();
};

// Sebastiano Vigna's splitmix64 (https://prng.di.unimi.it/splitmix64.c), of 0 without its first addition: 0.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebU;
  return bits ^ bits >> 31;
}

// The graphs that are captured, by their captures' numbers.
std::mutex captures_mutex;
auto& captures = *new std::map<unsigned long long, GraphDraws*>;

void fill(std::uint64_t* at, std::uint64_t number, hipStream_t stream) {
  wavesmith_pointwise_description one{};
  one.operation = WAVESMITH_POINTWISE_FILL;
  one.computed_in = one.y.type = WAVESMITH_POINTWISE_I64;
  one.y.data = at;
  one.numbers[0].integer = static_cast<std::int64_t>(number);
  check_kernel(wavesmith_kernels_pointwise(&one, stream), "replay");
}

}  // namespace

const at::Generator& default_generator(c10::DeviceIndex device) {
  static auto& all = *[] {
    auto* made = new std::vector<at::Generator>();
    for (c10::DeviceIndex each = 0; each < device_count(); ++each) made->push_back(new_generator(each));
    return made;
  }();
  if (device < 0) device = current_device();
  TORCH_CHECK(static_cast<std::size_t>(device) < all.size(), "no device ", c10::Device(kDevice, device));
  return all[device];
}

at::Generator new_generator(c10::DeviceIndex device) {
  return at::make_generator<DeviceGenerator>(device < 0 ? current_device() : device);
}

at::Generator host_generator(const at::Generator& generator) {
  auto* ours = dynamic_cast<DeviceGenerator*>(generator.unsafeGetGeneratorImpl());
  if (ours == nullptr) return generator;
  const std::scoped_lock lock(ours->state->mutex);
  ours->host.set_current_seed(ours->state->seed ^ mixed(ours->state->offset));
  ours->state->offset += 4;
  return ours->host;
}

void draw(const std::optional<at::Generator>& given, c10::DeviceIndex device, hipStream_t stream,
          const std::function<std::uint64_t(const DrawSource&)>& launch) {
  const auto& generator = given.has_value() && given->defined() ? *given : default_generator(device);
  auto* ours = dynamic_cast<DeviceGenerator*>(generator.unsafeGetGeneratorImpl());
  TORCH_CHECK(ours != nullptr, "Expected a '", kDevice, "' device type for generator but found '",
              generator.device().type(), "'");
  auto& state = *ours->state;
  int status = 0;
  unsigned long long capture = 0;
  check(hipStreamGetCaptureInfo(stream, &status, &capture), "hipStreamGetCaptureInfo");
  if (status != kNoCapture) {
    const std::scoped_lock lock(captures_mutex);
    const auto found = captures.find(capture);
    TORCH_CHECK(found != captures.end(),
                "random numbers are drawn in a capture that no graph of PyTorch's began");
    auto& share = found->second->share_of(ours->state);
    share.used += launch({0, share.used, share.memory});
    return;
  }
  const std::scoped_lock lock(state.mutex);
  state.offset += launch({state.seed, state.offset, nullptr});
}

void GraphDraws::begin(hipStream_t stream) {
  int status = 0;
  check(hipStreamGetCaptureInfo(stream, &status, &capture_), "hipStreamGetCaptureInfo");
  const std::scoped_lock lock(captures_mutex);
  captures[capture_] = this;
}

void GraphDraws::end() {
  const std::scoped_lock lock(captures_mutex);
  captures.erase(capture_);
}

void GraphDraws::replay(hipStream_t stream) {
  for (const auto& share : shares_) {
    const std::scoped_lock lock(share.state->mutex);
    fill(share.memory, share.state->seed, stream);
    fill(share.memory + 1, share.state->offset, stream);
    share.state->offset += share.used;
  }
}

void GraphDraws::forget() {
  for (const auto& share : shares_) hipFree(share.memory);
  shares_.clear();
}

GraphDraws::Share& GraphDraws::share_of(const std::shared_ptr<GeneratorState>& state) {
  for (auto& share : shares_)
    if (share.state == state) return share;
  const CaptureAllows allows;
  void* memory = nullptr;
  check(hipMalloc(&memory, kStateBytes), "hipMalloc");
  return shares_.emplace_back(Share{state, static_cast<std::uint64_t*>(memory), 0});
}

}  // namespace wavesmith::device
