"""Resources that tests share; everything else is a factory or a fake, imported by name."""

from tests.postgres import database_url, postgres_url

__all__ = ["database_url", "postgres_url"]
