// The list of families. Adding one is adding a line here.
#pragma once

#include "isa/salu/bits.h"
#include "isa/salu/compare.h"
#include "isa/salu/exec.h"
#include "isa/memory/load_store.h"
#include "isa/memory/scalar_memory.h"
#include "isa/salu/integer.h"
#include "isa/salu/logic.h"
#include "isa/salu/move.h"
#include "isa/valu/bitfield.h"
#include "isa/valu/bytes.h"
#include "isa/valu/compare.h"
#include "isa/valu/float32.h"
#include "isa/valu/integer16.h"
#include "isa/valu/integer32.h"
#include "isa/valu/integer64.h"
