// Parts of a structure that several threads fill and that are made when one of them comes there first.
#pragma once

#include <atomic>
#include <memory>

namespace wavesmith::check {

/// What the place points to; `make()` gives it, in a unique_ptr, when there is nothing yet. What another
/// thread has made meanwhile stands. The place owns it.
template <class T, class Make>
typename std::unique_ptr<T>::pointer made_at(std::atomic<typename std::unique_ptr<T>::pointer>& place,
                                             Make make) {
  if (const auto known = place.load(std::memory_order_acquire)) return known;
  std::unique_ptr<T> made = make();
  typename std::unique_ptr<T>::pointer expected = nullptr;
  if (place.compare_exchange_strong(expected, made.get())) return made.release();
  return expected;
}

/// The same of what is made by itself.
template <class T>
T* made_at(std::atomic<T*>& place) {
  return made_at<T>(place, [] { return std::make_unique<T>(); });
}

}  // namespace wavesmith::check
