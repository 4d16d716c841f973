// The list of families. Adding one is adding a line here.
#pragma once

#include "isa/salu/integer.h"
#include "isa/valu/compare.h"
#include "isa/valu/float32.h"
#include "isa/valu/integer32.h"
