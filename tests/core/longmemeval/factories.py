"""Questions and runs for tests: plain functions with keyword overrides."""

from gate.core.longmemeval.question import Question, question_of_object
from gate.core.longmemeval.run import Run
from gate.core.shards import Shard


def written(name: str = "q1", **members: object) -> dict[str, object]:
    """A question as files have it: three named sessions of which the first holds the answer."""
    sessions = [
        {"session_id": f"{name}-s{number}", "turns": [{"role": "user", "content": f"words of {number}"}]}
        for number in range(3)
    ]
    return {
        "question_id": name,
        "question_type": "multi-session",
        "question": f"private words of {name}?",
        "answer": "secret answer",
        "haystack_sessions": sessions,
        "haystack_dates": ["2024-01-01", "2024-01-02", "2024-01-03"],
        "answer_session_ids": [f"{name}-s0"],
        **members,
    }


def question(name: str = "q1", **members: object) -> Question:
    return question_of_object(written(name, **members), 1)


def run(
    *questions: str,
    show_text: bool = False,
    k: int = 5,
    fingerprints: dict[str, str] | None = None,
    shard: Shard = Shard(1, 1),  # noqa: B008 - frozen
    answers: bool = False,
    dataset_sha256: str = "d" * 64,
    limit: int | None = None,
) -> Run:
    return Run(
        dataset_sha256=dataset_sha256,
        dataset_questions=max(len(questions), 1),
        k=k,
        mode="balanced",
        system="scripted",
        system_version="1",
        fingerprints=fingerprints or {"embedder": "none"},
        retrieval_config_hash="e" * 64,
        answers=answers,
        show_text=show_text,
        seed=42,
        limit=limit,
        shard=shard,
        questions=questions or ("q1",),
    )
