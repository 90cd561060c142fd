"""A system under test for the gate: reads a call a line, writes a reply a line.

Fill in the four functions; everything below them is the protocol. Configure it with

    system: {kind: command, run: [python3, wrapper.py]}
"""

import json
import re
import sys

documents = {}


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def capabilities():
    """What this system is. `fingerprints` name whatever may change its results."""
    return {"name": "my-system", "version": "1", "modes": ["balanced"], "fingerprints": {"retriever": "word overlap"}}


def reset():
    documents.clear()


def ingest(document):
    """Take in one document: `id` and `text`, perhaps `title`, `session_id`, `date`, `metadata`."""
    documents[document["id"]] = words(f"{document.get('title') or ''} {document['text']}")


def search(query):
    """At most query["k"] hits for query["text"], best first. Replace this by your own retrieval."""
    asked = words(query["text"])
    scored = sorted(((len(asked & known), name) for name, known in documents.items()), reverse=True)
    found = [(score, name) for score, name in scored if score > 0][: query["k"]]
    return {"hits": [{"doc_id": name, "score": score, "rank": rank} for rank, (score, name) in enumerate(found, 1)]}


def handle(method, params):
    if method == "capabilities":
        return capabilities()
    if method == "reset":
        reset()
        return {"documents": 0}
    if method == "ingest":
        for document in params["documents"]:
            ingest(document)
        return {"documents": len(documents)}
    if method == "search":
        return search(params)
    raise ValueError(f"{method} is not offered")


def main():
    # Anything a library prints would be taken for a reply: standard output belongs to the protocol alone.
    replies, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        call = json.loads(line)
        try:
            reply = {"id": call["id"], "result": handle(call["method"], call["params"])}
        except Exception as error:
            reply = {"id": call["id"], "error": {"message": f"{type(error).__name__}: {error}"}}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
