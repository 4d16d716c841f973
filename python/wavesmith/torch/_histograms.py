"""Given results of operators that count (`native/order/histograms.cc`)."""

from __future__ import annotations

from wavesmith.torch._outputs import given_results

given_results("histc")
given_results("histogram.bin_ct", "hist", "bin_edges", overload="bin_ct_out")
given_results("histogram.bins_tensor", "hist", "bin_edges", overload="bins_tensor_out")
