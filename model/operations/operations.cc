// Every operation, in the order in which people are told of them.
#include <iterator>
#include <utility>

#include "model/library/library_operations.h"
#include "model/operations/rows.h"

namespace wavesmith::model {

std::span<const Operation> operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> every;
    for (std::vector<Operation> some :
         {product_operations(), attention_operations(), array_operations(), library_operations()})
      std::move(some.begin(), some.end(), std::back_inserter(every));
    return every;
  }();
  return all;
}

}  // namespace wavesmith::model
