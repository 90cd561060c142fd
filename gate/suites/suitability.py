"""Whether a system can be asked what a suite wants to ask, and what it states about itself."""

from gate.core.longmemeval.run import retrieval_config_hash
from gate.core.records.system import Capabilities
from gate.errors import ConfigError


def refuse_unknown_mode(said: Capabilities, mode: str) -> None:
    """ConfigError, naming the modes there are, when the system has not this one."""
    if mode not in said.modes:
        raise ConfigError(
            f"the system {said.name!a} has no mode {mode!a}",
            remedy=f"choose one of {', '.join(said.modes)}",
        )


def own_fingerprints(said: Capabilities | None) -> dict[str, str]:
    """What a system says of itself, with its name and version; nothing when it has said nothing."""
    if said is None:
        return {}
    version = {} if said.version is None else {"system_version": said.version}
    return {**said.fingerprints, "system": said.name, **version}


def configuration(said: Capabilities | None, mode: str) -> dict[str, str]:
    """The same for a ledger, with one hash over all of it and the mode."""
    if said is None:
        return {}
    return {**own_fingerprints(said), "retrieval_config_hash": retrieval_config_hash(said, mode)}
