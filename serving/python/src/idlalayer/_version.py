"""Version of the package: that of the Maven build, as PEP 440 writes it."""

__version__ = "0.1.0.dev0"
