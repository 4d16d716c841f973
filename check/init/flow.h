// How undefined bits go from an instruction's sources to its results.
#pragma once

#include <vector>

#include "check/init/plan.h"
#include "check/init/shadow.h"
#include "emulate/run/events.h"

namespace wavesmith::check::init {

/// Where the undefined bits of a result come from.
struct Taint {
  bool computed = false;
  uint32_t origin = kNeverWritten;
};

/// Who knows the origins of undefined values; what was never written gets its origin when it is first read.
class Origins {
 public:
  virtual ~Origins() = default;
  virtual uint32_t first_read(uint16_t r, uint32_t origin) = 0;
};

/// One instruction of a wave.
class Flow {
 public:
  Flow(WaveShadow& wave, const emulate::WaveView& view, Origins& origins)
      : wave_(wave), view_(view), origins_(origins), lanes_(static_cast<int>(view.lanes())) {}

  /// Bits that become undefined in EXEC: those of lanes that go on because of what nobody wrote.
  struct Exec {
    uint64_t undefined = 0;
    Taint taint;
  };
  /// Does all that the steps do to the wave's registers.
  Exec run(const std::vector<Step>& steps, const MatrixPlaces* matrix);

 private:
  /// What a value is, lane by lane; of a scalar in lane 0.
  struct Values {
    uint64_t value[kLanes], undefined[kLanes];
    Taint taint;
  };
  /// What becomes of a place in the lanes that are written.
  struct Result {
    const Place* place = nullptr;
    uint64_t active = 0;
    uint64_t undefined = 0;   ///< lanes of which all bits are
    bool bit_by_bit = false;  ///< then `bits` says it
    Taint taint = {};
    uint64_t bits[kLanes];
  };

  [[nodiscard]] uint64_t exec() const { return view_.exec(); }
  [[nodiscard]] uint64_t every() const { return lanes_ == 64 ? ~uint64_t{0} : 0xffffffffu; }
  [[nodiscard]] uint64_t undefined_lanes(const Place& source) const;
  [[nodiscard]] uint64_t moved(const Place& source, uint64_t lanes) const;
  [[nodiscard]] uint64_t mask_bits(const Place& place) const;
  Taint taint_of(const Place& source, uint64_t lanes);
  Taint taint_of(const std::vector<Place>& sources, uint64_t lanes);
  /// What a source holds; its taint is that of these lanes.
  void read(const Place& source, uint64_t lanes, Values& values);
  [[nodiscard]] uint64_t active_lanes(const Step& step) const;

  void run(const Step& step, std::vector<Result>& results);
  void halves(const Step& step, Result& result);
  /// The results of an expression, whose taint is that of the lanes that count.
  void evaluate(const Step& step, uint64_t lanes, std::vector<Result>& results, size_t first);
  void node(const Step& step, size_t id, uint64_t lanes, int count);
  void operation(const isa::Node& node, uint64_t lanes, Values& made, int count);
  void write(const Result& result, Exec& exec);
  void write_row(const Result& result);
  void shuffle(const Step& step);
  void fill(const Step& step, uint64_t active);
  void exchange(uint16_t a, uint16_t b, uint64_t exec, int distance);
  void copy_lane(uint16_t to, int lane, uint32_t bits, bool computed, uint32_t origin);
  void matrix(const Step& step, const MatrixPlaces* places);

  /// Of each node of the expression under evaluation.
  static std::vector<Values>& nodes();

  WaveShadow& wave_;
  const emulate::WaveView& view_;
  Origins& origins_;
  int lanes_;
};

}  // namespace wavesmith::check::init
