"""Fusionscope: every GitHub Copilot Fusion turn, leg by leg."""

__version__ = "0.1.0"
