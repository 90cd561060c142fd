from gate.providers.endpoint import Endpoint


def test_everything_that_is_sent_along_is_a_secret_but_for_short_words() -> None:
    endpoint = Endpoint(
        model="m", api_key="0123456789", headers={"x-tenant": "very-secret"}, query={"debug": "true"}
    )

    assert endpoint.secrets == ("0123456789", "very-secret")
    assert Endpoint(model="m").secrets == ()
