"""What can go wrong, as exceptions. Every one is a `wavesmith.Error`."""

from __future__ import annotations


class Error(Exception):
    """Something that Wavesmith could not do. The text says what, where, and what to do about it."""


class InstallationError(Error):
    """A part of Wavesmith itself is missing."""


class UseError(Error):
    """`wavesmith.use` came too late, or asks for another GPU than this process already has."""
