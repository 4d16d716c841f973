// A report as one self-contained HTML file: no script, nothing from the network, pictures as inline SVG. The
// same page gives the same bytes. It is well-formed XML too, so that any tool can check it.
#pragma once

#include <string>

#include "report/page.h"

namespace wavesmith::report {

std::string html(const Page& page);

}  // namespace wavesmith::report
