"""Circuits on PennyLane's lightning.amdgpu against its default.qubit, which computes with NumPy on the CPU."""

from __future__ import annotations

import numpy as np
import pennylane as qml
import pytest
from pennylane import numpy as pnp

WIRES = 6
#: What double precision leaves of a few hundred gates.
EXACT = 1e-13


@pytest.fixture
def generator() -> np.random.Generator:
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}")
    return np.random.default_rng(seed)


#: Gates by the numbers of their wires and of their parameters.
GATES = {
    (1, 0): [qml.Hadamard, qml.PauliX, qml.PauliY, qml.PauliZ, qml.S, qml.T, qml.SX],
    (1, 1): [qml.RX, qml.RY, qml.RZ, qml.PhaseShift],
    (1, 3): [qml.Rot],
    (2, 0): [qml.CNOT, qml.CY, qml.CZ, qml.SWAP],
    (2, 1): [
        qml.CRX,
        qml.CRY,
        qml.CRZ,
        qml.ControlledPhaseShift,
        qml.IsingXX,
        qml.IsingYY,
        qml.IsingZZ,
        qml.SingleExcitation,
    ],
    (3, 0): [qml.Toffoli, qml.CSWAP],
    (4, 1): [qml.DoubleExcitation],
}


def _any_gates(generator: np.random.Generator) -> list[qml.operation.Operation]:
    """Each gate once, on wires and with angles that chance chooses."""
    gates = [
        gate(*generator.uniform(-np.pi, np.pi, parameters), wires=generator.permutation(WIRES)[:wires].tolist())
        for (wires, parameters), kinds in GATES.items()
        for gate in kinds
    ]
    matrix = np.linalg.qr(generator.standard_normal((8, 8)) + 1j * generator.standard_normal((8, 8)))[0]
    gates.append(qml.QubitUnitary(matrix, wires=generator.permutation(WIRES)[:3].tolist()))
    return [gates[i] for i in generator.permutation(len(gates))]


def _on_both(circuit) -> tuple:
    """What the circuit gives on the emulated GPU and on the CPU."""
    return tuple(qml.QNode(circuit, qml.device(name, wires=WIRES))() for name in ("lightning.amdgpu", "default.qubit"))


@pytest.mark.representative
def test_expectation_values(generator: np.random.Generator) -> None:
    gates = _any_gates(generator)
    matrix = generator.standard_normal((4, 4)) + 1j * generator.standard_normal((4, 4))

    def circuit():
        for gate in gates:
            qml.apply(gate)
        return (
            [qml.expval(kind(wire)) for wire, kind in enumerate([qml.PauliX, qml.PauliY, qml.PauliZ, qml.Hadamard])]
            + [qml.expval(qml.PauliX(0) @ qml.PauliZ(3) @ qml.PauliY(5)), qml.var(qml.PauliZ(1))]
            + [qml.expval(qml.Hermitian(matrix + matrix.conj().T, wires=[4, 2]))]
            + [qml.expval(qml.Hamiltonian([0.3, -1.7], [qml.PauliZ(0) @ qml.PauliZ(1), qml.PauliX(2)]))]
        )

    ours, theirs = _on_both(circuit)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=EXACT)
    assert np.abs(theirs).max() > 0.01


def test_states_and_chances(generator: np.random.Generator) -> None:
    gates = _any_gates(generator)

    def circuit(result):
        for gate in gates:
            qml.apply(gate)
        return result()

    for result in (qml.state, qml.probs, lambda: qml.probs(wires=[4, 1])):
        ours, theirs = _on_both(lambda result=result: circuit(result))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=EXACT)


@pytest.mark.representative
def test_gradients_by_the_adjoint_method(generator: np.random.Generator) -> None:
    angles = pnp.array(generator.uniform(-np.pi, np.pi, (2, WIRES, 3)), requires_grad=True)

    def circuit(angles):
        qml.StronglyEntanglingLayers(angles, wires=range(WIRES))
        return qml.expval(qml.PauliZ(0) @ qml.PauliX(1))

    ours = qml.grad(qml.QNode(circuit, qml.device("lightning.amdgpu", wires=WIRES), diff_method="adjoint"))(angles)
    theirs = qml.grad(qml.QNode(circuit, qml.device("default.qubit", wires=WIRES), diff_method="backprop"))(angles)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=EXACT)


def test_single_precision(generator: np.random.Generator) -> None:
    gates = _any_gates(generator)
    device = qml.device("lightning.amdgpu", wires=WIRES, c_dtype=np.complex64)

    def circuit():
        for gate in gates:
            qml.apply(gate)
        return qml.state()

    ours = qml.QNode(circuit, device)()
    assert ours.dtype == np.complex64
    np.testing.assert_allclose(ours, qml.QNode(circuit, qml.device("default.qubit", wires=WIRES))(), rtol=0, atol=1e-5)


def test_a_wide_register(generator: np.random.Generator) -> None:
    """16 wires: the state has 65,536 amplitudes, so every gate takes many workgroups."""
    angles = generator.uniform(-np.pi, np.pi, 16)

    def circuit():
        for wire, angle in enumerate(angles):
            qml.RY(angle, wires=wire)
        return [qml.expval(qml.PauliZ(wire)) for wire in range(16)]

    ours = qml.QNode(circuit, qml.device("lightning.amdgpu", wires=16))()
    np.testing.assert_allclose(ours, np.cos(angles), rtol=0, atol=EXACT)


def test_samples_follow_the_chances(generator: np.random.Generator) -> None:
    @qml.set_shots(4000)
    @qml.qnode(qml.device("lightning.amdgpu", wires=2, seed=int(generator.integers(2**31))))
    def circuit(angle):
        qml.RX(angle, wires=0)
        qml.CNOT(wires=[0, 1])
        return qml.counts()

    counts = circuit(1.1)
    assert set(counts) <= {"00", "11"}
    chance = np.sin(1.1 / 2) ** 2
    assert abs(counts["11"] - 4000 * chance) < 6 * np.sqrt(4000 * chance * (1 - chance))
