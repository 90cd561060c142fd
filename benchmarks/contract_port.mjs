// The paired comparator of the contract as plain JavaScript: the peer of the benchmark and an oracle in the tests.
//
//   node contract_port.mjs BASELINE.ndjson CANDIDATE.ndjson METRIC[,METRIC…] [DRAWS] [SEED]
//
// Rows are joined by question_id, every question is its own cluster unless the baseline's row has a cluster_id.
// Prints one JSON array with an element per metric, in the order given; `milliseconds` is the statistics alone.

import { readFileSync } from "node:fs";

const INCREMENT = 1831565813;
const EXACT_UP_TO = 16;
const TOLERANCE = 1e-12;

function generator(seed) {
  let state = seed >>> 0; // from here on a double that is never masked again
  return () => {
    state += INCREMENT;
    let t = state | 0;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function readRows(path) {
  const rows = new Map();
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line.trim() === "") continue;
    const row = JSON.parse(line);
    rows.set(row.question_id, row);
  }
  return rows;
}

function join(baseline, candidate, metric) {
  const pairs = [];
  for (const [id, row] of baseline) {
    const before = Number(row[metric] ?? NaN);
    const after = Number(candidate.get(id)?.[metric] ?? NaN);
    if (Number.isFinite(before) && Number.isFinite(after)) {
      pairs.push({ cluster: row.cluster_id ?? id, baseline: before, candidate: after });
    }
  }
  return pairs;
}

function byCluster(pairs) {
  const clusters = new Map();
  for (const { cluster, baseline, candidate } of pairs) {
    const found = clusters.get(cluster) ?? { sum: 0, count: 0 };
    found.sum += candidate - baseline;
    found.count += 1;
    clusters.set(cluster, found);
  }
  return [...clusters.keys()].sort().map((key) => clusters.get(key));
}

function bootstrap(clusters, draws, uniform) {
  const replicates = new Array(draws);
  for (let i = 0; i < draws; i++) {
    let sum = 0;
    let count = 0;
    for (let j = 0; j < clusters.length; j++) {
      const picked = clusters[Math.floor(uniform() * clusters.length)];
      sum += picked.sum;
      count += picked.count;
    }
    replicates[i] = sum / count;
  }
  replicates.sort((a, b) => a - b);
  return [replicates[Math.floor(draws * 0.025)], replicates[Math.ceil(draws * 0.975) - 1]];
}

function signFlip(clusters, n, delta, draws, uniform) {
  const atLeast = Math.abs(delta) - TOLERANCE;
  const enumerated = clusters.length <= EXACT_UP_TO;
  const patterns = enumerated ? 2 ** clusters.length : draws;
  let extreme = 0;
  for (let i = 0; i < patterns; i++) {
    let total = 0;
    for (let j = 0; j < clusters.length; j++) {
      const negated = enumerated ? (i >> j) & 1 : uniform() < 0.5;
      total += negated ? -clusters[j].sum : clusters[j].sum;
    }
    if (Math.abs(total) / n >= atLeast) extreme += 1;
  }
  return enumerated ? extreme / patterns : (extreme + 1) / (draws + 1);
}

function compare(pairs, draws, seed) {
  const n = pairs.length;
  const mean = (side) => pairs.reduce((sum, pair) => sum + pair[side], 0) / n;
  const [baseline_mean, candidate_mean] = [mean("baseline"), mean("candidate")];
  const delta = candidate_mean - baseline_mean;
  const wins = pairs.filter((pair) => pair.candidate > pair.baseline).length;
  const losses = pairs.filter((pair) => pair.candidate < pair.baseline).length;
  const clusters = byCluster(pairs);
  let [lower95, upper95, p_value] = [0, 0, 1];
  if (wins + losses > 0 && clusters.length < 2) [lower95, upper95] = [-Infinity, Infinity];
  if (wins + losses > 0 && clusters.length >= 2) {
    const uniform = generator(seed);
    [lower95, upper95] = bootstrap(clusters, draws, uniform);
    p_value = signFlip(clusters, n, delta, draws, uniform);
  }
  const ties = n - wins - losses;
  return { n, clusters: clusters.length, baseline_mean, candidate_mean, delta, wins, losses, ties, lower95, upper95, p_value };
}

const [baselinePath, candidatePath, metrics, draws = "10000", seed = "42"] = process.argv.slice(2);
const baseline = readRows(baselinePath);
const candidate = readRows(candidatePath);
const report = metrics.split(",").map((metric) => {
  const pairs = join(baseline, candidate, metric);
  const started = performance.now();
  const statistics = compare(pairs, Number(draws), Number(seed));
  return { metric, ...statistics, milliseconds: performance.now() - started };
});
process.stdout.write(JSON.stringify(report));
