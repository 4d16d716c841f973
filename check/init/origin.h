// Where undefined values come from, and what is told of those that decide something.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "check/findings.h"
#include "check/init/flow.h"
#include "check/launch.h"

namespace wavesmith::check::init {

struct Origin {
  enum class Kind : uint8_t { Register, Lds, Private, Global };
  Kind kind = Kind::Register;
  uint64_t where = 0;                   ///< a register's number, an offset or an address
  const emulate::Site* site = nullptr;  ///< that read it first
  uint32_t wave = 0;
  uint64_t lanes = 0;
};

/// How a value that nobody wrote matters.
enum class Use : uint8_t { Branch, Address, Output, PartOfOutput, HandedOver };

/// Those of a workgroup, by number; 0 is none. An instruction has one for each register that it reads, and
/// one for what it loads.
class OriginTable {
 public:
  uint32_t add(const Origin& origin);
  [[nodiscard]] const Origin& at(uint32_t number) const { return origins_[number]; }

 private:
  std::vector<Origin> origins_{1};
  std::map<std::tuple<const emulate::Site*, Origin::Kind, uint64_t>, uint32_t> known_;
};

/// Who uses the value.
struct User {
  const emulate::Site& site;
  Extent3 workgroup;
  uint32_t wave;
  uint64_t lanes;
  uint64_t event;  ///< in its workgroup
};

/// Takes a finding: its key, its order and what makes it (Findings::add).
using Add =
    std::function<void(const Findings::Key&, const Findings::Order&, const std::function<Finding()>&)>;
void report(const Add& add, const Launch& launch, Use use, const User& user, const Origin& origin);

}  // namespace wavesmith::check::init
