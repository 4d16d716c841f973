"""Given results of operators of order (`native/order`)."""

from __future__ import annotations

from wavesmith.torch._outputs import given_results

given_results("mode", "values", "indices")
given_results("_logcumsumexp")
given_results("searchsorted.Tensor", overload="Tensor_out")
given_results("searchsorted.Scalar", overload="Scalar_out")
given_results("bucketize.Tensor", overload="Tensor_out")
given_results("bucketize.Scalar", overload="Scalar_out")
