from gate.core.records.system import Capabilities
from gate.suites.suitability import configuration, own_fingerprints


def test_what_a_system_has_not_said_is_not_stated() -> None:
    assert own_fingerprints(None) == {}
    assert own_fingerprints(Capabilities(name="mine")) == {"system": "mine"}
    said = Capabilities(name="mine", version="2", fingerprints={"embedder": "e5"})
    assert own_fingerprints(said) == {"embedder": "e5", "system": "mine", "system_version": "2"}


def test_a_configuration_has_one_hash_that_changes_with_the_mode_and_with_what_is_said() -> None:
    said = Capabilities(name="mine", fingerprints={"embedder": "e5"})
    other = Capabilities(name="mine", fingerprints={"embedder": "e6"})
    hashes = [
        configuration(*each)["retrieval_config_hash"] for each in ((said, "a"), (said, "b"), (other, "a"))
    ]
    assert len(set(hashes)) == 3
    own = Capabilities(name="mine", fingerprints={"retrieval_config_hash": "its own"})
    assert configuration(own, "a")["retrieval_config_hash"] == "its own"
    assert configuration(None, "a") == {}
