"""A pull-request gate for retrieval, memory and LLM systems."""

__version__ = "0.1.0"
