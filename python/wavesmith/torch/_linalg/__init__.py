"""Dense linear algebra that is called from Python; what factorises and solves is in `native/linalg`."""

from wavesmith.torch._linalg import eigenvalues, identity, products

__all__ = ["eigenvalues", "identity", "products"]
