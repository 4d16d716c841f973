// All findings of a process, folded: what the same instructions do wrong again and again is one finding.
//
// Checkers add to it from many threads. What is kept of a fold is its first occurrence in the order of
// dispatches, workgroups and events, so that the same program gives the same findings whatever the number of
// host threads.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "check/finding.h"

namespace wavesmith::check {

class Findings {
 public:
  /// What makes two findings the same: the rule and the instructions (their pcs; 0: none). `about`: what else
  /// tells them apart, for example a register.
  struct Key {
    std::string_view rule;  ///< a literal
    uint64_t first = 0, second = 0, about = 0;
    auto operator<=>(const Key&) const = default;
  };
  /// When it happened, for choosing the occurrence that is kept.
  struct Order {
    uint64_t dispatch = 0, workgroup = 0, event = 0;
    auto operator<=>(const Order&) const = default;
  };

  /// Counts an occurrence; `make` describes it and is called only where it is the first so far.
  void add(const Key& key, const Order& order, const std::function<Finding()>& make);

  /// By topic, kernel and place.
  [[nodiscard]] std::vector<Finding> all() const;
  /// Folds so far: changes when there is something new to tell.
  [[nodiscard]] size_t size() const;

 private:
  struct Entry {
    Order order;
    Finding finding;
  };
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

/// In the order in which reports tell them.
void sort(std::vector<Finding>& findings);

}  // namespace wavesmith::check
