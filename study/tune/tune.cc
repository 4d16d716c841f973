#include "study/tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "base/scratch.h"
#include "study/profiled_run.h"

namespace wavesmith::study {
namespace {

/// Caches then hold what an earlier product leaves.
constexpr int kLaunches = 2;

/// The products of a device that differ, with the tiles that are to be tried.
Result<void> plan(const TuneRequest& request, const TuneRequest::Device& device,
                  std::vector<TunedProduct>& all) {
  const size_t first = all.size();
  for (Product product : request.products) {
    product.tile.clear();
    const auto choice = choose(product, *device.gpu, request.tuned);
    if (!choice) return tl::unexpected(choice.error());
    const auto is_same = [&](const TunedProduct& one) { return one.problem == choice->problem; };
    if (std::any_of(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), is_same)) continue;
    TunedProduct one{.device = device, .product = product, .problem = choice->problem};
    for (const auto& candidate : choice->candidates) {
      if (candidate.configuration == choice->configuration && candidate.splits == choice->splits)
        one.dispatched = one.tiles.size();
      one.tiles.push_back({.tile = candidate.name()});
    }
    all.push_back(std::move(one));
  }
  return {};
}

/// Times one tile by a process that launches the product.
void time_tile(const TunedProduct& one, TileTime& tile, const wavesmith::Scratch& scratch, size_t number) {
  const Product& product = one.product;
  ProfiledCommand command{.devices = one.device.name, .sampled = true};
  command.words = {"--",      this_command(),           "kernels", "launch", "gemm", "--tile", tile.tile,
                   "--times", fmt::to_string(kLaunches)};
  for (const auto& [option, size] : {std::pair{"--m", product.m}, {"--n", product.n}, {"--k", product.k}})
    command.words.insert(command.words.end(), {option, fmt::to_string(size)});
  command.words.insert(command.words.end(), {"--dtype", product.dtype, "--layout", product.layout});
  const auto ran = profiled_run(command, scratch, number);
  if (!ran) {
    tile.refused = ran.error().text();
  } else if (!ran->profile || ran->profile->kernels.empty()) {
    tile.refused =
        ran->complaint.empty() ? fmt::format("it ended with exit code {}", ran->code) : ran->complaint;
  } else {
    double launches = 0;
    for (const timing::KernelProfile& kernel : ran->profile->kernels) {
      if (!kernel.has_time()) tile.refused = kernel.refused;
      tile.seconds += kernel.total_seconds();
      launches = std::max(launches, static_cast<double>(kernel.launches));  // parts take two kernels
    }
    tile.seconds = tile.refused.empty() ? tile.seconds / launches : 0;
  }
}

}  // namespace

std::optional<double> TunedProduct::gain() const {
  if (!best || !tiles[dispatched].refused.empty()) return std::nullopt;
  return tiles[dispatched].seconds / tiles[*best].seconds;
}

Result<std::vector<TunedProduct>> tune(const TuneRequest& request,
                                       const std::function<void(const std::string&)>& progress) {
  std::vector<TunedProduct> all;
  std::set<std::pair<std::string, uint64_t>> kinds;
  for (const TuneRequest::Device& device : request.devices) {
    if (!kinds.emplace(device.gpu->target, device.gpu->multiprocessors()).second)
      return fail(ErrorKind::BadInput,
                  fmt::format("two of the GPUs are {} with {} compute units, which a table cannot tell apart",
                              device.gpu->target, device.gpu->multiprocessors()),
                  {}, "tune them one by one, with a table each");
    if (auto planned = plan(request, device, all); !planned) return tl::unexpected(planned.error());
  }
  const wavesmith::Scratch scratch("tune");
  if (!scratch.made()) return fail(ErrorKind::NotFound, "no folder for temporary files can be made");
  std::vector<std::pair<TunedProduct*, TileTime*>> runs;
  for (TunedProduct& one : all)
    for (TileTime& tile : one.tiles) runs.emplace_back(&one, &tile);
  std::atomic<size_t> next = 0, done = 0;
  const auto loop = [&] {
    for (size_t i = next++; i < runs.size(); i = next++) {
      time_tile(*runs[i].first, *runs[i].second, scratch, i);
      progress(fmt::format("{} of {} tiles timed", ++done, runs.size()));
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(static_cast<size_t>(std::max(1, request.jobs)), runs.size()); ++i)
    threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
  for (TunedProduct& one : all)
    for (size_t i = 0; i < one.tiles.size(); ++i)
      if (one.tiles[i].refused.empty() && (!one.best || one.tiles[i].seconds < one.tiles[*one.best].seconds))
        one.best = i;
  return all;
}

std::string table_text(const std::vector<TunedProduct>& products) {
  std::string text = fmt::format(
      "# The fastest of the kernel library's tiles for these products, as `wavesmith kernels tune` found them. Each\n"
      "# tile's kernel was launched {} times under the cycle model (`wavesmith profile --sampled`); its time is the\n"
      "# mean. Dispatch takes these tiles where WAVESMITH_KERNELS_TUNED names this file, or where it lies as tuned.tsv\n"
      "# beside the code objects. GPUs:\n",
      kLaunches);
  const TunedProduct* last = nullptr;
  for (const TunedProduct& one : products)
    if (!last || last->device.gpu != one.device.gpu) {
      last = &one;
      text += fmt::format("#   {}: {} with {} compute units\n", one.device.name, one.device.gpu->target,
                          one.device.gpu->multiprocessors());
    }
  text += kernels::TunedGemms::columns() + "\n";
  for (const TunedProduct& one : products)
    if (one.best)
      text += kernels::TunedGemms::line({.target = one.device.gpu->target,
                                         .compute_units = static_cast<int>(one.device.gpu->multiprocessors()),
                                         .problem = one.problem,
                                         .tile = one.tiles[*one.best].tile,
                                         .microseconds = one.tiles[*one.best].seconds * 1e6}) +
              "\n";
  return text;
}

}  // namespace wavesmith::study
