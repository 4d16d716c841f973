"""OpenMM's HIP platform against its Reference platform, which computes in double precision on the CPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import openmm
import pytest
from openmm import app, unit

FORCE = unit.kilojoule_per_mole / unit.nanometer
ENERGY = unit.kilojoule_per_mole

#: Of the energy, and of the median force, relative to their size. In "double", too, the platform's kernels read the
#: parameters of bonds and of Lennard-Jones terms as floats.
ALLOWED = {"single": 1e-4, "mixed": 1e-4, "double": 1e-5}


def _water() -> tuple[app.Topology, list, openmm.System]:
    """A box of water of 2 nm, its long-range forces by particle mesh Ewald."""
    field = app.ForceField("amber14/tip3p.xml")
    box = app.Modeller(app.Topology(), [] * unit.nanometer)
    box.addSolvent(field, boxSize=openmm.Vec3(2, 2, 2) * unit.nanometer)
    system = field.createSystem(
        box.topology,
        nonbondedMethod=app.PME,
        nonbondedCutoff=0.9 * unit.nanometer,
        constraints=None,
        rigidWater=False,
    )
    (nonbonded,) = [force for force in system.getForces() if isinstance(force, openmm.NonbondedForce)]
    nonbonded.setPMEParameters(3.5, 32, 32, 32)  # else each platform rounds the mesh in its own way
    return box.topology, box.positions, system


def _protein() -> tuple[app.Topology, list, openmm.System]:
    """OpenMM's own test molecule (Villin) without its water, in implicit solvent (GBSA, OBC2)."""
    pdb = app.PDBFile(str(Path(app.__file__).parent / "data" / "test.pdb"))
    molecule = app.Modeller(pdb.topology, pdb.positions)
    molecule.deleteWater()
    molecule.delete([ion for ion in molecule.topology.residues() if ion.name == "Cl"])
    field = app.ForceField("amber14-all.xml", "implicit/obc2.xml")
    system = field.createSystem(molecule.topology, nonbondedMethod=app.NoCutoff, constraints=None)
    return molecule.topology, molecule.positions, system


MODELS = {"water with PME": _water, "protein in implicit solvent": _protein}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> tuple:
    return MODELS[request.param]()


@pytest.fixture(scope="module")
def water() -> tuple:
    return _water()


def _context(model: tuple, platform: str, precision: str | None = None) -> openmm.Context:
    _, positions, system = model
    integrator = openmm.VerletIntegrator(0.5 * unit.femtoseconds)
    settings = {"Precision": precision} if precision else {}
    context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName(platform), settings)
    context.setPositions(positions)
    return context


def _forces_and_energy(context: openmm.Context) -> tuple[np.ndarray, float]:
    state = context.getState(getForces=True, getEnergy=True)
    return state.getForces(asNumpy=True).value_in_unit(FORCE), state.getPotentialEnergy().value_in_unit(ENERGY)


def _whole_energy(context: openmm.Context) -> tuple[float, float]:
    """The potential and the kinetic energy."""
    state = context.getState(getEnergy=True)
    return state.getPotentialEnergy().value_in_unit(ENERGY), state.getKineticEnergy().value_in_unit(ENERGY)


def _relative_errors(forces: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return np.linalg.norm(forces - expected, axis=1) / np.linalg.norm(expected, axis=1)


@pytest.mark.parametrize("precision", [pytest.param("single", marks=pytest.mark.representative), "mixed", "double"])
def test_forces_and_energy(model: tuple, precision: str) -> None:
    forces, energy = _forces_and_energy(_context(model, "HIP", precision))
    expected, expected_energy = _forces_and_energy(_context(model, "Reference"))
    median = np.median(_relative_errors(forces, expected))
    print(f"{len(forces)} atoms: median error of forces {median:.3g}, of energy {energy / expected_energy - 1:.3g}")
    assert median < ALLOWED[precision]
    assert energy == pytest.approx(expected_energy, rel=ALLOWED[precision])


def test_dynamics(water: tuple) -> None:
    """Fifty steps of Verlet's integrator end where Reference's do, and keep their energy."""
    velocities = np.random.default_rng(7).standard_normal((water[2].getNumParticles(), 3)) * 0.5
    ends = []
    for platform, precision in [("HIP", "mixed"), ("Reference", None)]:
        context = _context(water, platform, precision)
        context.setVelocities(velocities * unit.nanometer / unit.picosecond)
        before = _whole_energy(context)
        context.getIntegrator().step(50)
        after = _whole_energy(context)
        assert abs(sum(after) - sum(before)) < 0.02 * after[1], (before, after)
        positions = context.getState(getPositions=True).getPositions(asNumpy=True)
        ends.append(positions.value_in_unit(unit.nanometer))
    assert np.abs(ends[0] - ends[1]).max() < 1e-4


def test_minimisation(water: tuple) -> None:
    """The energy falls to what Reference finds at the same place."""
    context = _context(water, "HIP", "mixed")
    before = _forces_and_energy(context)[1]
    openmm.LocalEnergyMinimizer.minimize(context, 10, 20)
    after = _forces_and_energy(context)[1]
    assert after < before
    reference = _context(water, "Reference")
    reference.setPositions(context.getState(getPositions=True).getPositions())
    assert after == pytest.approx(_forces_and_energy(reference)[1], rel=1e-4)


def test_its_own_test_of_the_installation() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "openmm.testInstallation"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All differences are within tolerance" in done.stdout
    assert "Reference vs. HIP" in done.stdout
