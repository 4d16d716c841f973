#include "object/kernel.h"
