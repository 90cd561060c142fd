"""Make the quickstart's cassette again: invented judges who score the takes of `brain/`. Nobody was asked.

    python examples/quickstart/make_panel.py

Needed when the takes, the rubric or the words around them change: a cassette answers the very same question only.
"""

import json
from pathlib import Path

from gate.core.chat import ChatRequest, Completion, Usage
from gate.core.judging.conclusion import Rules
from gate.core.judging.prompt import judge_prompt, reply_schema
from gate.core.judging.rubric import read_rubric
from gate.core.takes.corpus import Scope
from gate.core.takes.sampling import Sampling
from gate.providers.recorded import Recording, head
from gate.store.data_files import RUBRIC, data_file
from gate.takes.markdown import MarkdownTakes

HERE = Path(__file__).parent
JUDGES = {
    "invented:judge-one": ((8, 7, 8, 7, 8), "Say who calls it the best boatyard."),
    "invented:judge-two": ((8, 7, 7.5, 7, 7), "The brochure's claim is an opinion, not a fact."),
    "invented:judge-three": ((9, 7, 8, 7.5, 8), "Name the page of the trade register."),
}


class Judge:
    """Says the same about everything."""

    def __init__(self, scores, improvement):
        self._scores = scores
        self._improvement = improvement

    def complete(self, request):
        names = request.schema["properties"]["scores"]["required"]
        scores = {name: {"score": score, "feedback": "invented"} for name, score in zip(names, self._scores)}
        text = json.dumps({"scores": scores, "improvements": [self._improvement]})
        return Completion(text=text, finish="stop", usage=Usage(input_tokens=1500, output_tokens=150))


def main() -> None:
    """Write the cassette."""
    rules = Rules(rubric=read_rubric(data_file(RUBRIC), RUBRIC), cycles=1)
    takes = MarkdownTakes(HERE / "brain").sample(Scope(), Sampling(limit=100, seed=42)).takes
    prompt = judge_prompt(rules.rubric, takes)
    request = ChatRequest(
        system=prompt.system, prompt=prompt.text, max_tokens=2000, timeout=120, schema=reply_schema(rules.rubric)
    )
    lines = [head(tuple(JUDGES))]
    for name, (scores, improvement) in JUDGES.items():
        Recording(Judge(scores, improvement), name, lines.append).complete(request)
    (HERE / "panel.jsonl").write_bytes(b"".join(lines))


if __name__ == "__main__":
    main()
