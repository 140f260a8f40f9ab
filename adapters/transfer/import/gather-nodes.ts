// Second step of an import: makes nodes of the statements about them, and passes on their links and keys.

import { createHash } from "node:crypto";
import { parseDateTime, type Stored, type Uid, type Value, type ValueKind, writeJson } from "../../../core/storage.ts";
import type { ExternalSorter, LineWriter } from "../sort/external-sorter.ts";
import type { Findings } from "../source/findings.ts";
import { readValue } from "./read-value.ts";
import { numberKey, uidAt, uidKey, widths, writeNode } from "./records.ts";
import { marks, payloadAt } from "./sort-statements.ts";
import type { Target, TargetType } from "./target.ts";

export interface GatheringOptions {
  readonly target: Target;
  readonly findings: Findings;
  /** Nodes by uid. */
  readonly nodes: LineWriter;
  /** Links by target: `to from fromType end`. */
  readonly links: ExternalSorter;
  /** Keys by value: `key hash uid`. */
  readonly keys: ExternalSorter;
}

/** What the lines of one node have given so far. */
interface Gathered {
  readonly uid: Uid;
  readonly typeNames: string[];
  /** Undefined until the first line that is not a type, and for a node that is left out. */
  type: TargetType | undefined;
  isTyped: boolean;
  readonly fields: Map<number, Value | Value[]>;
  /** By end, the node that it leads to. */
  readonly partners: Map<number, Uid>;
}

/** Stands for several nodes. */
const severalPartners = 0;

export class NodeGathering {
  readonly #options: GatheringOptions;
  #open: Gathered | undefined;
  /** Nodes by type. */
  readonly counts = new Map<string, number>();
  links = 0;

  constructor(options: GatheringOptions) {
    this.#options = options;
  }

  /** The lines come sorted: a node's types, values, links. */
  async add(line: string): Promise<void> {
    const uid = uidAt(line, 0);
    if (this.#open?.uid !== uid) {
      await this.close();
      this.#open = { uid, typeNames: [], type: undefined, isTyped: false, fields: new Map(), partners: new Map() };
    }
    const payload = line.slice(payloadAt);
    const mark = line[widths.uid];
    if (mark === marks.type) this.#open.typeNames.push(payload);
    else {
      this.#settleType(this.#open);
      const space = payload.indexOf(" ");
      const index = Number(payload.slice(0, space));
      if (mark === marks.value) this.#addValue(this.#open, index, String(JSON.parse(payload.slice(space + 1))));
      else await this.#addLink(this.#open, index, Number.parseInt(payload.slice(space + 1), 16));
    }
  }

  /** Ends the last node. */
  async close(): Promise<void> {
    const node = this.#open;
    this.#open = undefined;
    if (node === undefined) return;
    this.#settleType(node);
    const { type } = node;
    if (type === undefined) return;
    this.counts.set(type.name, (this.counts.get(type.name) ?? 0) + 1);
    this.#findMissing(node, type);
    const full = this.#options.nodes.add(writeNode({ uid: node.uid, type: type.index, fields: node.fields }));
    if (full !== undefined) await full;
    await this.#addKeys(node, type);
  }

  /** The object type decides. Interfaces stand beside it. */
  #settleType(node: Gathered): void {
    if (node.isTyped) return;
    node.isTyped = true;
    const { target, findings } = this.#options;
    const types = [...new Set(node.typeNames)].sort().flatMap((name) => target.types.get(name) ?? []);
    [node.type] = types;
    if (types.length > 1) findings.add("types", types.map(({ name }) => name).join(", "), { uid: node.uid, value: node.typeNames.join(", ") });
    if (node.type !== undefined) return;
    const foreign = node.typeNames.filter((name) => !target.interfaces.has(name));
    if (foreign.length === 0) findings.add("untyped", node.typeNames.join(", ") || "no type", { uid: node.uid, value: node.typeNames.join(", ") });
    else
      findings.add(foreign.every((name) => name.startsWith("dgraph.")) ? "system" : "unknownType", foreign.join(", "), {
        uid: node.uid,
        value: foreign.join(", "),
      });
  }

  #addValue(node: Gathered, index: number, text: string): void {
    const { target, findings } = this.#options;
    const field = target.fieldList[index];
    if (field === undefined || node.type === undefined) return;
    const { uid } = node;
    if (!node.type.fields.has(field.name)) return void findings.add("uncovered", `${field.name} of ${node.type.name}`, { uid, value: text });
    const value = readValue(text, field);
    if (value === undefined) return void findings.add("value", field.name, { uid, value: text });
    const before = node.fields.get(index);
    if (!field.list) {
      if (before === undefined) node.fields.set(index, value);
      else findings.add("second", field.name, { uid, value: text });
    } else if (Array.isArray(before)) {
      if (!before.includes(value)) before.push(value);
    } else node.fields.set(index, [value]);
  }

  async #addLink(node: Gathered, index: number, to: Uid): Promise<void> {
    const { target, findings, links } = this.#options;
    const end = target.endList[index];
    if (end === undefined || node.type === undefined) return;
    if (!end.end.types.includes(node.type.name)) {
      return void findings.add("uncovered", `${end.end.name} of ${node.type.name}`, { uid: node.uid, value: `0x${to.toString(16)}` });
    }
    this.links += 1;
    node.partners.set(index, (node.partners.get(index) ?? to) === to ? to : severalPartners);
    const full = links.add(`${uidKey(to)}${uidKey(node.uid)}${numberKey(node.type.index)}${numberKey(index)}`);
    if (full !== undefined) await full;
  }

  #findMissing({ uid, fields, partners }: Gathered, type: TargetType): void {
    const { target, findings } = this.#options;
    for (const name of type.required) {
      const field = target.fields.get(name);
      const end = target.ends.get(name);
      const isThere = field !== undefined ? fields.has(field.index) : end === undefined || partners.has(end.index);
      if (!isThere) findings.add("missing", `${name} of ${type.name}`, { uid, value: "" });
    }
  }

  /** Of a key with links those count that the node states; the store judges what only other nodes state. */
  async #addKeys({ uid, fields, partners }: Gathered, type: TargetType): Promise<void> {
    const { target, keys } = this.#options;
    for (const { index, layout } of type.keys) {
      const values = layout.fields.map((name) => {
        const field = target.fields.get(name);
        return field === undefined ? undefined : keyText(fields.get(field.index), field.kind);
      });
      const linked = (layout.ends ?? []).map((name) => partners.get(target.ends.get(name)?.index ?? -1) ?? severalPartners);
      if (values.includes(undefined) || linked.includes(severalPartners)) continue;
      const hash = createHash("sha256")
        .update(writeJson([...values, ...linked]))
        .digest("hex")
        .slice(0, 40);
      const full = keys.add(`${numberKey(index)}${hash}${uidKey(uid)}`);
      if (full !== undefined) await full;
    }
  }
}

/** Two spellings of one instant are one value of a key. */
function keyText(value: Stored | undefined, kind: ValueKind): string | undefined {
  if (value === undefined) return undefined;
  const instant = kind === "dateTime" && typeof value === "string" ? parseDateTime(value) : undefined;
  return instant === undefined ? writeJson(value) : `${instant.seconds} ${instant.nanos}`;
}
