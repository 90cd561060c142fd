"""Resources that tests share; everything else is a factory or a fake, imported by name."""

from hypothesis import settings

from tests.postgres import database_url, postgres_url

settings.register_profile("gate", deadline=None)  # a loaded machine is no failure
settings.load_profile("gate")

__all__ = ["database_url", "postgres_url"]
