from gate.core.records.system import Capabilities
from gate.suites.suitability import own_fingerprints


def test_what_a_system_has_not_said_is_not_stated() -> None:
    assert own_fingerprints(None) == {}
    assert own_fingerprints(Capabilities(name="mine")) == {"system": "mine"}
    said = Capabilities(name="mine", version="2", fingerprints={"embedder": "e5"})
    assert own_fingerprints(said) == {"embedder": "e5", "system": "mine", "system_version": "2"}
