// Turns an export into two files in the scratch folder: nodes by uid, and links between them. Memory holds a part of them at a time.

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Uid } from "../../../core/storage.ts";
import { ExternalSorter, LineWriter } from "../sort/external-sorter.ts";
import { type Finding, Findings } from "../source/findings.ts";
import type { Statement } from "../source/statement.ts";
import { NodeGathering } from "./gather-nodes.ts";
import { joinLinks } from "./join-links.ts";
import { settleKeys } from "./settle-keys.ts";
import { StatementSorting } from "./sort-statements.ts";
import type { Target } from "./target.ts";

export interface AnalysisOptions {
  readonly target: Target;
  /** The scratch folder, which is there. */
  readonly folder: string;
  readonly namespace: number;
  /** Reads the statements of all files, and adds what it cannot read to `findings`. */
  readonly statements: (findings: Findings) => AsyncIterable<readonly Statement[]>;
  /** Called now and then. */
  readonly progress: (step: string, done: number) => void;
}

/** The outcome; plain JSON. */
export interface Analysis {
  /** Nodes by type. */
  readonly nodes: Readonly<Record<string, number>>;
  readonly nodeCount: number;
  readonly links: number;
  readonly statements: number;
  readonly highestUid: Uid;
  readonly faults: number;
  readonly findings: readonly Finding[];
}

/** Names of the files that an analysis leaves. */
export const analysisFiles = { nodes: "nodes.lines", lostKeys: "lost-keys.lines", links: "links.lines" } as const;

export async function analyse(options: AnalysisOptions): Promise<Analysis> {
  const runs = join(options.folder, "runs");
  await rm(runs, { recursive: true, force: true });
  await mkdir(runs, { recursive: true });
  const sorter = (name: string) => new ExternalSorter({ folder: runs, name });
  const findings = new Findings();
  const path = (name: string) => join(options.folder, name);
  const { target } = options;

  const statements = sorter("statements");
  const sorting = new StatementSorting({ target, namespace: options.namespace, findings, sorter: statements });
  for await (const group of options.statements(findings)) {
    for (const statement of group) {
      const full = sorting.add(statement);
      if (full !== undefined) await full;
    }
    options.progress("reading", sorting.statements);
  }

  const [links, keys] = [sorter("links"), sorter("keys")];
  const nodes = new LineWriter(path(analysisFiles.nodes));
  const gathering = new NodeGathering({ target, findings, nodes, links, keys });
  let lines = 0;
  for await (const line of statements.lines()) {
    await gathering.add(line);
    lines += 1;
    if (lines % 10_000 === 0) options.progress("gathering nodes", lines);
  }
  await gathering.close();
  await nodes.close();

  options.progress("checking keys", 0);
  const lost = sorter("lost");
  await settleKeys({ target, findings, keys, lost });
  await writeSorted(path(analysisFiles.lostKeys), lost);

  options.progress("joining links", 0);
  const settled = new LineWriter(path(analysisFiles.links));
  const linkCount = await joinLinks({ target, findings, nodesPath: path(analysisFiles.nodes), links, sorter, settled });
  await settled.close();
  await rm(runs, { recursive: true, force: true });
  return {
    nodes: Object.fromEntries([...gathering.counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    nodeCount: [...gathering.counts.values()].reduce((sum, count) => sum + count, 0),
    links: linkCount,
    statements: sorting.statements,
    highestUid: sorting.highestUid,
    faults: findings.faults,
    findings: findings.list(),
  };
}

async function writeSorted(path: string, sorter: ExternalSorter): Promise<void> {
  const writer = new LineWriter(path);
  for await (const line of sorter.lines()) {
    const full = writer.add(line);
    if (full !== undefined) await full;
  }
  await writer.close();
}
