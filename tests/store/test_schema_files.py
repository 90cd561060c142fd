"""Where the schemas come from."""

from pathlib import Path

import jsonschema
import pytest

from gate.errors import UsageError
from gate.store.schema_files import load, names

REPOSITORY = Path(__file__).parents[2]


def test_every_schema_of_the_repository_is_known_by_its_name() -> None:
    published = {
        path.name.removesuffix(".schema.json") for path in (REPOSITORY / "schemas").glob("*.schema.json")
    }

    assert set(names()) == published
    assert list(names()) == sorted(names())


@pytest.mark.parametrize("name", names())
def test_every_schema_is_a_valid_2020_12_schema_that_says_what_it_is(name: str) -> None:
    schema = load(name)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"]
    assert schema["title"]
    assert schema["description"]


def test_a_name_that_does_not_exist_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no schema `confg\.v1`; did you mean `config\.v1`\?") as caught:
        load("confg.v1")

    assert "`config.v1`" in caught.value.remedy


@pytest.mark.parametrize("name", ["../pyproject", "", "config.v1.schema.json/..", "zzz"])
def test_a_name_is_never_a_path(name: str) -> None:
    with pytest.raises(UsageError):
        load(name)
