// Results that a caller gives instead of having them made: those of an operator's overload `.out`.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>

#include <torch/csrc/stable/library.h>

#include "call.h"

namespace wavesmith::operators {

// Those that the calling thread's operator was given, for as long as it lives.
class Given {
 public:
  Given() = default;
  ~Given() { tensors() = {}; }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  static const std::optional<Tensor>& find(Result result) {
    return tensors()[static_cast<std::size_t>(result)];
  }
  void put(Result result, Tensor tensor) { tensors()[static_cast<std::size_t>(result)] = std::move(tensor); }

 private:
  using All = std::array<std::optional<Tensor>, static_cast<std::size_t>(Result::Accepted) + 1>;
  static All& tensors() {
    thread_local All all;
    return all;
  }
};

// The overload of an operator whose last arguments are its results, and which returns nothing.
template <auto* function, Result... results>
void boxed_into(StableIValue* stack, uint64_t inputs, uint64_t /*outputs*/) {
  constexpr uint64_t kResults = sizeof...(results);
  uint64_t next = inputs -= kResults;
  Given given;
  (given.put(results, torch::stable::detail::to<Tensor>(stack[next++])), ...);
  torch::stable::detail::boxer<std::remove_pointer_t<decltype(function)>, function>::boxed_fn(stack, inputs,
                                                                                              kResults);
  for (uint64_t result = 0; result < kResults; ++result)
    torch::stable::detail::to<Tensor>(stack[result]);  // gives the handle back
}

}  // namespace wavesmith::operators
