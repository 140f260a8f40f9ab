// What only the data show: types of nodes, where links lead, languages, kinds of geometries. From a sample, in bounded memory.

import type { Uid } from "../../../core/storage.ts";
import type { ExportSource } from "../source/export-folder.ts";
import { Findings } from "../source/findings.ts";
import { readStatements } from "../source/read-statements.ts";
import type { Statement } from "../source/statement.ts";

/** Facts about one predicate. */
export interface PredicateSample {
  /** Types of nodes that have it. */
  readonly subjects: ReadonlySet<string>;
  /** Types of nodes that it leads to. */
  readonly targets: ReadonlySet<string>;
  readonly languages: ReadonlySet<string>;
  /** `Point`, `Polygon` or `MultiPolygon`. */
  readonly geometries: ReadonlySet<string>;
}

export interface DataSample {
  readonly predicates: ReadonlyMap<string, PredicateSample>;
  /** Sets of types that nodes have together. */
  readonly typeSets: readonly ReadonlySet<string>[];
}

const maxNodes = 200;
const maxNames = 10_000;
const maxLanguages = 50;

interface Sampled {
  readonly subjects: Set<Uid>;
  readonly targets: Set<Uid>;
  readonly languages: Set<string>;
  readonly geometries: Set<string>;
}

/** Reads the data twice: the nodes around each predicate, then the types of those nodes. */
export async function sampleData(source: ExportSource, namespace: number, progress: (bytes: number, total: number) => void): Promise<DataSample> {
  const sampled = new Map<string, Sampled>();
  for await (const statement of statementsOf(source, namespace, progress)) sample(sampled, statement);
  const wanted = new Set([...sampled.values()].flatMap(({ subjects, targets }) => [...subjects, ...targets]));
  const types = new Map<Uid, Set<string>>();
  for await (const { subject, predicate, object } of statementsOf(source, namespace, progress)) {
    if (predicate !== "dgraph.type" || object.kind !== "literal" || !wanted.has(subject)) continue;
    types.set(subject, (types.get(subject) ?? new Set()).add(object.text));
  }
  const typesOf = (uids: ReadonlySet<Uid>) => new Set([...uids].flatMap((uid) => [...(types.get(uid) ?? [])]));
  const predicates = new Map(
    [...sampled].map(([name, { subjects, targets, ...rest }]) => [name, { ...rest, subjects: typesOf(subjects), targets: typesOf(targets) }]),
  );
  const sets = new Map([...types.values()].map((set) => [[...set].sort().join("\0"), set] as const));
  return { predicates, typeSets: [...sets.values()] };
}

async function* statementsOf(source: ExportSource, namespace: number, progress: (bytes: number, total: number) => void): AsyncGenerator<Statement> {
  for await (const group of readStatements(source, new Findings(), { progress })) {
    for (const statement of group) if (statement.namespace === namespace) yield statement;
  }
}

function sample(sampled: Map<string, Sampled>, { subject, predicate, language, object }: Statement): void {
  const known = sampled.get(predicate);
  if (known === undefined && sampled.size >= maxNames) return;
  const found = known ?? { subjects: new Set(), targets: new Set(), languages: new Set(), geometries: new Set() };
  sampled.set(predicate, found);
  if (found.subjects.size < maxNodes) found.subjects.add(subject);
  if (object.kind === "link") {
    if (found.targets.size < maxNodes) found.targets.add(object.to);
    return;
  }
  if (language !== undefined && found.languages.size < maxLanguages) found.languages.add(language);
  const geometry = /^\{'type':'(\w+)'/.exec(object.text)?.[1];
  if (geometry !== undefined) found.geometries.add(geometry);
}
