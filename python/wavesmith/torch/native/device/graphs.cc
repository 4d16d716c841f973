// Graphs: what a stream was given between capture_begin and capture_end, given again by replay.
#include <atomic>
#include <optional>
#include <string>

#include <ATen/core/GraphImplInterface.h>

#include "device/generator.h"
#include "device/streams.h"
#include "memory/allocator.h"

namespace wavesmith::device {
namespace {

int mode_of(at::GraphCaptureMode mode) {
  switch (mode) {
    case at::GraphCaptureMode::ThreadLocal:
      return kCaptureThreadLocal;
    case at::GraphCaptureMode::Relaxed:
      return kCaptureRelaxed;
    default:
      return kCaptureGlobal;
  }
}

class Graph final : public at::GraphImplInterface {
 public:
  explicit Graph(const at::GraphImplArgs& args) : keep_(args.keep_graph) {}
  ~Graph() override { forget(); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void capture_begin(c10::MempoolId_t pool, at::GraphCaptureMode mode) override {
    TORCH_CHECK(!stream_.has_value() && graph_ == nullptr && executable_ == nullptr,
                "this graph has been captured already: reset() it, or make another one");
    const auto stream = current_stream(-1);
    TORCH_CHECK(stream.id() != 0,
                "a graph is captured on a stream of its own: with torch.Stream(device=...) around it");
    static std::atomic<c10::CaptureId_t> next{0};
    pool_ = pool == c10::MempoolId_t{0, 0} ? c10::MempoolId_t{++next, 0} : pool;
    begin_pool(pool_, stream);
    has_pool_ = true;
    if (const int error = hipStreamBeginCapture(native(stream), mode_of(mode)); error != kSuccess) {
      end_pool(pool_);
      check(error, "hipStreamBeginCapture");
    }
    stream_ = stream;
    draws_.begin(native(stream));
  }

  void capture_end() override {
    TORCH_CHECK(stream_.has_value(), "capture_end() without capture_begin()");
    const auto stream = *stream_;
    stream_.reset();
    draws_.end();
    TORCH_CHECK(current_stream(stream.device_index()) == stream,
                "capture_end() on another stream than capture_begin()");
    const int error = hipStreamEndCapture(native(stream), &graph_);
    end_pool(pool_);
    check(error, "hipStreamEndCapture");
    device_ = stream.device_index();
    if (!keep_) {
      instantiate();
      if (!debug_) drop_graph();
    }
  }

  void instantiate() override {
    TORCH_CHECK(graph_ != nullptr, "instantiate() without a captured graph");
    const OnDevice on(device_);
    if (executable_ != nullptr) check(hipGraphExecDestroy(executable_), "hipGraphExecDestroy");
    executable_ = nullptr;
    check(hipGraphInstantiateWithFlags(&executable_, graph_, 0), "hipGraphInstantiateWithFlags");
  }

  void replay() override {
    if (executable_ == nullptr) instantiate();
    const OnDevice on(device_);
    const auto stream = native(current_stream(device_));
    draws_.replay(stream);
    check(hipGraphLaunch(executable_, stream), "hipGraphLaunch");
  }

  void reset() override { forget(); }
  c10::MempoolId_t pool() const override {
    TORCH_CHECK(has_pool_, "pool() of a graph that has not been captured");
    return pool_;
  }

  void enable_debug_mode() override { debug_ = true; }
  void debug_dump(const std::string& path) override {
    TORCH_CHECK(graph_ != nullptr,
                "debug_dump() needs keep_graph=True, or enable_debug_mode() before the capture");
    check(hipGraphDebugDotPrint(graph_, path.c_str(), 0), "hipGraphDebugDotPrint");
    if (!keep_) drop_graph();
  }

 private:
  void drop_graph() {
    if (graph_ != nullptr) hipGraphDestroy(graph_);
    graph_ = nullptr;
  }
  void forget() {
    if (stream_.has_value()) {
      hipStreamEndCapture(native(*stream_), &graph_);
      draws_.end();
      end_pool(pool_);
      stream_.reset();
    }
    if (executable_ != nullptr) hipGraphExecDestroy(executable_);  // waits for it
    executable_ = nullptr;
    drop_graph();
    draws_.forget();
    if (has_pool_) release_pool(pool_);
    has_pool_ = false;
  }

  const bool keep_;
  bool debug_ = false, has_pool_ = false;
  c10::MempoolId_t pool_{0, 0};
  std::optional<c10::Stream> stream_;  // while it is captured
  c10::DeviceIndex device_ = 0;
  hipGraph_t graph_ = nullptr;
  hipGraphExec_t executable_ = nullptr;
  GraphDraws draws_;
};

const bool graphs_registered = [] {
  at::GraphImplRegistry()->Register(
      c10::DeviceTypeName(kDevice, /*lower_case=*/false),
      [](const at::GraphImplArgs& args) -> std::unique_ptr<at::GraphImplInterface> {
        return std::make_unique<Graph>(args);
      });
  return true;
}();

}  // namespace
}  // namespace wavesmith::device
