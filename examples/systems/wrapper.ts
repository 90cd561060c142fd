// A system under test for the gate: reads a call a line, writes a reply a line.
//
// Fill in the four functions; everything below them is the protocol. Types are erasable, so that
// node ≥ 22.18, bun and deno run the file as it is. Configure it with
//
//     system: {kind: command, run: [node, wrapper.ts]}

import { createInterface } from "node:readline";

type Document = { id: string; text: string; title?: string | null; session_id?: string | null };
type Query = { id: string; text: string; k: number; mode: string };
type Hit = { doc_id: string; score: number; rank: number };
type Call = { id: number; method: string; params: any };

const documents = new Map<string, Set<string>>();

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

// What this system is. `fingerprints` name whatever may change its results.
function capabilities() {
  return {
    name: "my-system",
    version: "1",
    modes: ["balanced"],
    fingerprints: { retriever: "word overlap" },
  };
}

function reset(): void {
  documents.clear();
}

function ingest(document: Document): void {
  documents.set(document.id, words(`${document.title ?? ""} ${document.text}`));
}

// At most query.k hits for query.text, best first. Replace this by your own retrieval.
function search(query: Query): { hits: Hit[] } {
  const asked = words(query.text);
  const scored = [...documents]
    .map(([name, known]) => ({ name, score: [...asked].filter((word) => known.has(word)).length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? 1 : -1))
    .slice(0, query.k);
  return { hits: scored.map(({ name, score }, at) => ({ doc_id: name, score, rank: at + 1 })) };
}

function handle(method: string, params: any): object {
  switch (method) {
    case "capabilities":
      return capabilities();
    case "reset":
      reset();
      return { documents: 0 };
    case "ingest":
      params.documents.forEach(ingest);
      return { documents: documents.size };
    case "search":
      return search(params);
    default:
      throw new Error(`${method} is not offered`);
  }
}

// Anything else on standard output would be taken for a reply: it belongs to the protocol alone.
console.log = console.error;

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const call: Call = JSON.parse(line);
  let reply: object;
  try {
    reply = { id: call.id, result: handle(call.method, call.params) };
  } catch (error) {
    reply = { id: call.id, error: { message: String(error) } };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
