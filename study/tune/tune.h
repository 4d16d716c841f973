// `wavesmith kernels tune`: the tiles that the kernel library has for a product, each timed by the cycle
// model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/tune/product.h"

namespace wavesmith::study {

struct TuneRequest {
  struct Device {
    const gpus::Gpu* gpu = nullptr;
    std::string name;  ///< as the user named it, with changes: "mi300x+compute.units=64"
  };
  std::vector<Device> devices;
  std::vector<Product> products;               ///< one batch each; their tiles are not looked at
  const kernels::TunedGemms* tuned = nullptr;  ///< the table in force
  int jobs = 1;                                ///< processes at a time
};

/// A tile that has a kernel for the product.
struct TileTime {
  std::string tile;
  double seconds = 0;   ///< modelled, the mean of two launches
  std::string refused;  ///< why there is no time
};

struct TunedProduct {
  TuneRequest::Device device;
  Product product;
  kernels::GemmProblem problem;
  std::vector<TileTime> tiles;  ///< in the order of the library's table
  size_t dispatched = 0;        ///< the one that dispatch takes today
  std::optional<size_t> best;   ///< nullopt: none has a time

  /// How often the dispatched tile takes the best one's time; nullopt: there is none of one of them.
  [[nodiscard]] std::optional<double> gain() const;
};

/// Times each tile of each product on each GPU; a product that stands twice is tuned once. `progress` is told
/// what is done, by several threads. Errors: what dispatch refuses; BadInput where two GPUs have one target
/// and as many compute units, which a table cannot tell apart.
Result<std::vector<TunedProduct>> tune(const TuneRequest& request,
                                       const std::function<void(const std::string&)>& progress);

/// The table that dispatch reads: the best tile of each product that has one, under a header that says how it
/// was made.
std::string table_text(const std::vector<TunedProduct>& products);

}  // namespace wavesmith::study
