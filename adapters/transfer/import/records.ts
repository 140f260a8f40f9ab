// The lines of an import's scratch files. Each begins with what it is sorted by: uids and numbers of fixed width, in hexadecimal.

import { type FieldPatch, isVector, parseJson, type Stored, type Uid, type Value, type Vector, writeJson } from "../../../core/storage.ts";
import type { Target } from "./target.ts";

const uidWidth = 14;
const numberWidth = 6;

export function uidKey(uid: Uid): string {
  return uid.toString(16).padStart(uidWidth, "0");
}

export function numberKey(value: number): string {
  return value.toString(16).padStart(numberWidth, "0");
}

export function uidAt(line: string, at: number): Uid {
  return Number.parseInt(line.slice(at, at + uidWidth), 16);
}

export function numberAt(line: string, at: number): number {
  return Number.parseInt(line.slice(at, at + numberWidth), 16);
}

export const widths = { uid: uidWidth, number: numberWidth } as const;

/** A node with its values: uid, type, JSON of the values by number of field. */
export interface NodeRecord {
  readonly uid: Uid;
  readonly type: number;
  readonly fields: ReadonlyMap<number, Stored>;
}

export function writeNode({ uid, type, fields }: NodeRecord): string {
  return patchLine({ uid, type }, fields);
}

export function readNode(line: string, target: Target): NodeRecord {
  const entries = parseJson(line.slice(uidWidth + numberWidth)) as readonly (readonly [number, unknown])[];
  const fields = new Map(entries.map(([index, value]) => [index, storedOfJson(value, target.fieldList[index]?.kind)]));
  return { uid: uidAt(line, 0), type: numberAt(line, uidWidth), fields };
}

/** A node without its values. */
export function nodeKey(uid: Uid, type: number): string {
  return `${uidKey(uid)}${numberKey(type)}`;
}

/** Values to set and, by null, to clear. */
export function patchLine({ uid, type }: Pick<NodeRecord, "uid" | "type">, values: ReadonlyMap<number, Stored | null>): string {
  return `${nodeKey(uid, type)}${writeJson([...values].map(([index, value]) => [index, value === null ? null : jsonOfStored(value)]))}`;
}

export function readPatch(line: string, target: Target): { readonly uid: Uid; readonly type: number; readonly fields: FieldPatch } {
  const entries = parseJson(line.slice(uidWidth + numberWidth)) as readonly (readonly [number, unknown])[];
  const fields = entries.flatMap(([index, value]) => {
    const field = target.fieldList[index];
    return field === undefined ? [] : [[field.name, value === null ? null : storedOfJson(value, field.kind)] as const];
  });
  return { uid: uidAt(line, 0), type: numberAt(line, uidWidth), fields: Object.fromEntries(fields) };
}

/** A vector is a list in JSON. */
export function jsonOfStored(value: Stored): unknown {
  return !Array.isArray(value) && isVector(value as Value) ? [...(value as Vector)] : value;
}

/** JSON does not distinguish an int64 from a float, or a vector from a list. */
export function storedOfJson(value: unknown, kind: string | undefined): Stored {
  if (kind === "vector" && Array.isArray(value)) return Float32Array.from(value.map(Number));
  const one = (each: unknown): Value => {
    if (typeof each !== "number" && typeof each !== "bigint") return each as Value;
    return kind === "int64" ? BigInt(each) : kind === "float" ? Number(each) : each;
  };
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** A link between existing nodes, through an end of `from`. */
export interface LinkRecord {
  readonly end: number;
  readonly from: Uid;
  readonly fromType: number;
  readonly to: Uid;
  readonly toType: number;
}

export function writeLink({ end, from, fromType, to, toType }: LinkRecord): string {
  return `${numberKey(end)}${uidKey(from)}${uidKey(to)}${numberKey(fromType)}${numberKey(toType)}`;
}

export function readLink(line: string): LinkRecord {
  return {
    end: numberAt(line, 0),
    from: uidAt(line, numberWidth),
    to: uidAt(line, numberWidth + uidWidth),
    fromType: numberAt(line, numberWidth + 2 * uidWidth),
    toType: numberAt(line, 2 * numberWidth + 2 * uidWidth),
  };
}
