// Fourth step of an import: joins links with the types of their targets, and the two statements of one link.

import { formatUid } from "../../../core/storage.ts";
import { type ExternalSorter, type LineWriter, runLines } from "../sort/external-sorter.ts";
import type { Findings } from "../source/findings.ts";
import { numberAt, numberKey, uidAt, uidKey, widths, writeLink } from "./records.ts";
import type { Target, TargetEnd } from "./target.ts";

export interface JoiningOptions {
  readonly target: Target;
  readonly findings: Findings;
  /** The file of the nodes, by uid. */
  readonly nodesPath: string;
  /** `to from fromType end` */
  readonly links: ExternalSorter;
  /** Makes a sorter for a further step. */
  readonly sorter: (name: string) => ExternalSorter;
  /** Receives the links. */
  readonly settled: LineWriter;
}

/** @returns the number of links */
export async function joinLinks(options: JoiningOptions): Promise<number> {
  const pairs = options.sorter("pairs");
  await joinTargets(options, pairs);
  return await settlePairs(options, pairs);
}

/** Reads links and nodes side by side: both ascend by uid. */
async function joinTargets({ target, findings, nodesPath, links }: JoiningOptions, pairs: ExternalSorter): Promise<void> {
  const nodes = runLines(nodesPath);
  let node = await nodes.next();
  for await (const line of links.lines()) {
    const to = uidAt(line, 0);
    while (node.done !== true && uidAt(node.value, 0) < to) node = await nodes.next();
    const end = target.endList[numberAt(line, 2 * widths.uid + widths.number)];
    if (end === undefined) continue;
    const from = uidAt(line, widths.uid);
    const sample = { uid: from, value: formatUid(to) };
    if (node.done === true || uidAt(node.value, 0) !== to) {
      findings.add("dangling", end.end.name, sample);
      continue;
    }
    const fromType = numberAt(line, 2 * widths.uid);
    const toType = numberAt(node.value, widths.uid);
    if (!end.end.partners.includes(target.typeList[toType]?.name ?? "")) {
      findings.add("misplaced", end.end.name, { uid: from, value: `${formatUid(to)}, a ${target.typeList[toType]?.name}` });
      continue;
    }
    const full = pairs.add(pairLine({ end, from, fromType, to, toType }));
    if (full !== undefined) await full;
  }
  await nodes.return(undefined);
}

/** A link as the edge has it: `a` at its first side, `b` at the other. Of an edge with one side, the lower uid comes first. */
interface Pair {
  readonly edge: number;
  readonly a: number;
  readonly aType: number;
  readonly b: number;
  readonly bType: number;
  /** Which of the two states it: 0 is `a`, 1 is `b`. */
  readonly statedBy: 0 | 1;
}

interface Directed {
  readonly end: TargetEnd;
  readonly from: number;
  readonly fromType: number;
  readonly to: number;
  readonly toType: number;
}

function pairLine({ end, from, fromType, to, toType }: Directed): string {
  const isFirst = end.edge.sides.length === 1 ? from <= to : end.side === 0;
  const [a, b] = isFirst ? [from, to] : [to, from];
  const [aType, bType] = isFirst ? [fromType, toType] : [toType, fromType];
  return `${numberKey(end.edgeIndex)}${uidKey(a)}${uidKey(b)}${numberKey(aType)}${numberKey(bType)}${isFirst ? 0 : 1}`;
}

/** Edge and both nodes. */
const pairWidth = widths.number + 2 * widths.uid;

function readPair(line: string): Pair {
  const types = pairWidth;
  return {
    edge: numberAt(line, 0),
    a: uidAt(line, widths.number),
    b: uidAt(line, widths.number + widths.uid),
    aType: numberAt(line, types),
    bType: numberAt(line, types + widths.number),
    statedBy: line[types + 2 * widths.number] === "0" ? 0 : 1,
  };
}

/**
 * Unites the two statements of a link, and lets each node with a single end choose one partner. A link stays when both its nodes keep it.
 */
async function settlePairs(options: JoiningOptions, pairs: ExternalSorter): Promise<number> {
  const wishes = options.sorter("wishes");
  const votes = options.sorter("votes");
  for await (const [line, stated] of united(pairs)) {
    const ends = endsOf(options.target, readPair(line));
    if (ends === undefined) continue;
    reportOneSided(options.findings, readPair(line), { ends, stated });
    const single = ends.filter((each) => each.end !== undefined && !each.end.end.many);
    for (const { end, node, partner, side } of single) {
      const own = stated.has(side) ? 0 : 1;
      const full = wishes.add(`${numberKey(end?.index ?? 0)}${uidKey(node)}${own}${uidKey(partner)}${line.slice(0, pairWidth)}`);
      if (full !== undefined) await full;
    }
    const full = votes.add(`${line.slice(0, pairWidth)}0${single.length}${line.slice(pairWidth)}`);
    if (full !== undefined) await full;
  }
  await choosePartners(options, wishes, votes);
  return await countVotes(options, votes);
}

/** Each link once, with the sides that state it. */
async function* united(pairs: ExternalSorter): AsyncGenerator<readonly [line: string, stated: ReadonlySet<number>]> {
  let last: string | undefined;
  let stated = new Set<number>();
  for await (const line of pairs.lines()) {
    if (last !== undefined && last.slice(0, pairWidth) !== line.slice(0, pairWidth)) {
      yield [last, stated];
      stated = new Set();
    }
    stated.add(readPair(line).statedBy);
    last = line;
  }
  if (last !== undefined) yield [last, stated];
}

interface PairEnd {
  readonly end: TargetEnd | undefined;
  readonly node: number;
  readonly partner: number;
  readonly side: 0 | 1;
}

/** Both ends of a link: of its first node and of its second. */
function endsOf(target: Target, { edge, a, aType, b, bType }: Pair): readonly PairEnd[] | undefined {
  const [first, second] = [target.typeList[aType]?.name, target.typeList[bType]?.name];
  const layout = target.edgeList[edge];
  if (layout === undefined || first === undefined || second === undefined) return undefined;
  const ends: readonly PairEnd[] = [
    { end: target.endAt(layout, 0, first, second), node: a, partner: b, side: 0 },
    { end: target.endAt(layout, layout.sides.length - 1, second, first), node: b, partner: a, side: 1 },
  ];
  // A link from a node to itself has one end where the edge has one side.
  return layout.sides.length === 1 && a === b ? ends.slice(0, 1) : ends;
}

function reportOneSided(
  findings: Findings,
  { a, b }: Pair,
  { ends, stated }: { readonly ends: readonly PairEnd[]; readonly stated: ReadonlySet<number> },
): void {
  const written = ends.filter(({ end }) => end?.isStated);
  if (written.length < 2 || a === b) return;
  for (const { end, node, partner, side } of written) {
    if (!stated.has(side)) findings.add("inverse", end?.end.name ?? "", { uid: node, value: formatUid(partner) });
  }
}

/** Of the links of a single end, the one that the node itself states comes first, then the one to the lowest uid. */
async function choosePartners({ target, findings }: JoiningOptions, wishes: ExternalSorter, votes: ExternalSorter): Promise<void> {
  const nodeWidth = widths.number + widths.uid;
  let before = "";
  for await (const line of wishes.lines()) {
    const node = line.slice(0, nodeWidth);
    if (node === before) {
      const partner = formatUid(uidAt(line, nodeWidth + 1));
      findings.add("partner", target.endList[numberAt(line, 0)]?.end.name ?? "", { uid: uidAt(line, widths.number), value: partner });
    } else {
      const full = votes.add(`${line.slice(nodeWidth + 1 + widths.uid)}1`);
      if (full !== undefined) await full;
    }
    before = node;
  }
}

/** A link comes first, with the number of votes that it needs; its votes follow. */
async function countVotes({ target, settled }: JoiningOptions, votes: ExternalSorter): Promise<number> {
  let link: string | undefined;
  let missing = 0;
  let count = 0;
  const settle = async (): Promise<void> => {
    if (link === undefined || missing > 0) return;
    const line = linkLine(target, link);
    if (line === undefined) return;
    count += 1;
    const full = settled.add(line);
    if (full !== undefined) await full;
  };
  for await (const line of votes.lines()) {
    if (line[pairWidth] === "1") missing -= 1;
    else {
      await settle();
      link = `${line.slice(0, pairWidth)}${line.slice(pairWidth + 2)}`;
      missing = Number(line[pairWidth + 1]);
    }
  }
  await settle();
  return count;
}

/** Written through the first end that is there. */
function linkLine(target: Target, line: string): string | undefined {
  const pair = readPair(line);
  const chosen = endsOf(target, pair)?.find(({ end }) => end !== undefined);
  if (chosen?.end === undefined) return undefined;
  const [fromType, toType] = chosen.side === 0 ? [pair.aType, pair.bType] : [pair.bType, pair.aType];
  return writeLink({ end: chosen.end.index, from: chosen.node, fromType, to: chosen.partner, toType });
}
