"""The C++ side of the package (python/native)."""

from typing import Any, TypeAlias, TypedDict

from wavesmith._predict._prediction import ParameterKind

NumberValue: TypeAlias = str | int | float | bool | list[int] | None

class GpuDict(TypedDict):
    id: str
    numbers: dict[str, tuple[NumberValue, str, str, str]]

class KernelDict(TypedDict):
    name: str
    readable: str
    arguments: list[tuple[str, str, str, int, int]]
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    lds_bytes: int
    scratch_bytes: int
    kernarg_bytes: int
    wave_size: int
    max_workgroup: int

def gpus() -> list[GpuDict]: ...
def machine(devices: str) -> list[GpuDict]: ...
def describe(devices: str) -> str: ...
def environment(devices: str, libraries: str) -> dict[str, str]: ...
def libraries(devices: str, folder: str) -> tuple[list[str], list[str]]: ...
def read_code(code: bytes, gpu: str | None = None) -> tuple[str, list[KernelDict]]: ...
def means(asked: str, name: str) -> bool: ...
def predict(
    operation: str,
    gpu: str,
    set: list[str],
    parameters: dict[str, str],
    clock: float,
    timing: str,
    warm: bool,
) -> str: ...
def explain(
    path: str,
    contents: bytes | None,
    kernel: str,
    gpu: str,
    workgroup: int,
    dynamic_lds: int,
    served_by: str,
    flags: list[str],
) -> str: ...
def operations() -> list[tuple[str, str, list[tuple[str, str, ParameterKind, str, list[str]]]]]: ...

class Hip:
    def __init__(self, library: str) -> None: ...
    def device(self) -> int: ...
    def set_device(self, device: int) -> None: ...
    def load(self, code: bytes) -> int: ...
    def unload(self, module: int) -> None: ...
    def function(self, module: int, kernel: str) -> int: ...
    def allocate(self, size: int) -> int: ...
    def allocate_shared(self, size: int) -> int: ...
    def reach(self, peer: int) -> None: ...
    def free(self, pointer: int) -> None: ...
    def copy_in(self, to: int, from_: int, size: int) -> None: ...
    def copy_out(self, to: int, from_: int, size: int) -> None: ...
    def launch(
        self,
        function: int,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
        values: list[bytes],
    ) -> None: ...
    def synchronize(self) -> None: ...
    def order(self, first: int, second: int) -> None: ...

#: Address (0: there is none), type ("bf16"), and the strides of rows, columns and batches in elements.
Matrix: TypeAlias = tuple[int, str, int, int, int]

#: Address, type, row stride in elements.
Rows: TypeAlias = tuple[int, str, int]
#: Address and type.
Vector: TypeAlias = tuple[int, str]
#: Address, "unscaled", "given", "matrix", "row", "block" or "mx", columns of a block, row stride and column stride in
#: elements.
Scales: TypeAlias = tuple[int, str, int, int, int]
#: Address, type, token stride, head stride in elements.
Heads: TypeAlias = tuple[int, str, int, int]

#: Address, batch stride, row stride, head stride in elements.
Attended: TypeAlias = tuple[int, int, int, int]

class Gemm: ...

def gemm_description(
    sizes: tuple[int, int, int, int],
    alpha: float,
    beta: float,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
    activation: str,
    bias: int,
    bias_type: str,
    bias_per_row: bool,
    scales: tuple[int, int, int, bool, bool],
    block_scales: tuple[tuple[Scales, int], tuple[Scales, int]],
    weights: tuple[str, int],
    group_offsets: int,
    a_rows: tuple[int, int],
    gated: bool,
    groups_along_k: bool,
) -> Gemm: ...

#: Address, type, strides of blocks, positions and heads in elements, address of scales (0: there are none), and whether
#: there is one per head.
Paged: TypeAlias = tuple[int, str, int, int, int, int, bool | tuple[int, int, int]]

class Decode: ...

def decode_description(
    sizes: tuple[int, int, int, int, int],
    type: str,
    q: Attended,
    o: Attended,
    k: Paged,
    v: Paged,
    table: tuple[int, int, int, int],
    contexts: tuple[int, int],
    scale: float,
    softcap: float,
    window_left: int,
    alibi_slopes: tuple[int, int],
    sinks: int,
    lse: tuple[int, int, int],
) -> Decode: ...

class Kernels:
    def __init__(self, hip: Hip, library: str) -> None: ...
    def gemm_tiles(self, a: str, b: str) -> list[str]: ...
    def gemm_check(self, gemm: Gemm) -> str: ...
    def gemm_workspace(self, gemm: Gemm, tile: str | None) -> int: ...
    def gemm(self, gemm: Gemm, tile: str | None, workspace: int, bytes: int, stream: int) -> None: ...
    def norm(
        self,
        sizes: tuple[int, int],
        x: Rows,
        y: Rows,
        residual: Rows,
        sum: Rows,
        weight: Vector,
        bias: Vector,
        weight_offset: float,
        epsilon: float,
        centred: bool,
        scales: Scales,
        stream: int,
    ) -> None: ...
    def attention(
        self,
        sizes: tuple[int, int, int, int, int, int],
        type: str,
        q: Attended,
        k: Attended,
        v: Attended,
        o: Attended,
        scale: float,
        softcap: float,
        causal: bool,
        window: tuple[int, int],
        alibi_slopes: tuple[int, int],
        packed: tuple[int, int, int, int],
        lse: tuple[int, int, int],
        sinks: int,
        dropout: tuple[float, int, int],
        stream: int,
    ) -> None: ...
    def attention_dropout(
        self, dropout: tuple[float, int, int], heads: int, row: tuple[int, int, int], keys: int
    ) -> tuple[bytes, float]: ...
    def decode_workspace(self, decode: Decode) -> int: ...
    def decode(self, decode: Decode, workspace: int, bytes: int, stream: int) -> None: ...
    def cache(
        self,
        sizes: tuple[int, int, int, int, int],
        k: Heads,
        v: Heads,
        k_cache: Paged,
        v_cache: Paged,
        slots: int,
        stream: int,
    ) -> None: ...
    def all_reduce_buffer(self, sizes: tuple[int, int], ranks: int, type: str) -> int: ...
    def all_reduce(
        self,
        sizes: tuple[int, int],
        rank: int,
        type: str,
        x: int,
        residual: int,
        sum: int,
        y: int,
        weight: int,
        weight_offset: float,
        epsilon: float,
        buffers: list[int],
        bytes: int,
        stream: int,
    ) -> None: ...
    def softmax(self, sizes: tuple[int, int], x: Rows, y: Rows, scale: float, logarithm: bool, stream: int) -> None: ...
    def router(
        self,
        sizes: tuple[int, int, int],
        logits: Rows,
        scores: str,
        renormalised: bool,
        factor: float,
        bias: int,
        groups: tuple[int, int, str],
        weights: int,
        ids: int,
        stream: int,
    ) -> None: ...
    def gate(
        self, sizes: tuple[int, int], gate: Rows, up: Rows, y: Rows, activation: str, scales: Scales, stream: int
    ) -> None: ...
    def elementwise(
        self,
        sizes: tuple[int, int],
        operation: str,
        factors: tuple[float, float],
        x: Rows,
        z: Rows,
        z_column_stride: int,
        y: Rows,
        stream: int,
    ) -> None: ...
    def reduce_workspace(self, sizes: tuple[int, int], reduction: str, over: str, x: Rows, y: Rows) -> int: ...
    def reduce(
        self,
        sizes: tuple[int, int],
        reduction: str,
        over: str,
        x: Rows,
        y: Rows,
        workspace: int,
        bytes: int,
        stream: int,
    ) -> None: ...
    def sort_experts_workspace(
        self, sizes: tuple[int, int, int, int], at: tuple[int, int, int, int, int, int, int]
    ) -> int: ...
    def sort_experts(
        self,
        sizes: tuple[int, int, int, int],
        at: tuple[int, int, int, int, int, int, int],
        workspace: int,
        bytes: int,
        stream: int,
    ) -> None: ...
    def combine(
        self,
        sizes: tuple[int, int, int, int],
        x: Rows,
        addend: Rows,
        y: Rows,
        places: int,
        weights: int,
        stream: int,
    ) -> None: ...
    def transpose(self, sizes: tuple[int, int, int], x: Matrix, y: Matrix, stream: int) -> None: ...
    def quantise(self, sizes: tuple[int, int], x: Rows, y: Rows, scales: Scales, stream: int) -> None: ...
    def dequantise(self, sizes: tuple[int, int], x: Rows, y: Rows, scales: Scales, stream: int) -> None: ...
    def rope(
        self,
        sizes: tuple[int, int, int, int],
        x: Heads,
        y: Heads,
        cosines: Rows,
        sines: Rows,
        positions: tuple[int, int],
        first_position: int,
        interleaved: bool,
        stream: int,
    ) -> None: ...

#: Address, type ("bf16"), shape, strides in elements, DLPack's device type and number of the device.
Described: TypeAlias = tuple[int, str, tuple[int, ...], tuple[int, ...], int, int]

def array_of(array: object) -> Described: ...
def writable_array_of(array: object) -> Described: ...
def new_array(hip: Hip, shape: tuple[int, ...], type: str, device: int) -> Any: ...
