"""Dense linear algebra: PyTorch's operators as calls of the kernel library's factorisations (`kernels/linalg`).

Sizes, strides and checks of an operator are those of PyTorch's own meta function.
"""

from wavesmith.torch._linalg import exponential, factors, least_squares, orthogonal, products, solutions, spectra

__all__ = ["exponential", "factors", "least_squares", "orthogonal", "products", "solutions", "spectra"]
