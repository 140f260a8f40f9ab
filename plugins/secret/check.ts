// `check<T>Password`: returns the node when the password is right, otherwise null without a reason.

import {
  and,
  type FindRequest,
  type IdField,
  type NodeType,
  type Predicate,
  parseUid,
  type RootAnswer,
  type RootContext,
  type RootField,
  type Value,
  type ValueField,
} from "../../core/plugin.ts";
import { longestBytes } from "./hash-passwords.ts";
import { passwordOf } from "./secret-fields.ts";

/** Compared with when there is no hash, so that an unknown node takes as long as a wrong password. */
const nobodysHash = "$2b$10$4xXyorQcIqPW78A1NZzaGeW8smsSO.WTWtpNUT1UBj98i9nj16hFa";

const noNode: RootAnswer = { nodes: [] };

/** Undefined for a type without ID and key, and when the operation `password` is disabled. */
export function passwordCheck(type: NodeType): RootField | undefined {
  const password = passwordOf(type);
  const names = namesOf(type);
  if (!password || names.length === 0 || !type.allows("password")) return undefined;
  const given = names
    .map((name) => `"Names the object." ${name.name}: ${name.type.name}${name.type.nonNull || names.length > 1 ? "!" : ""}`)
    .join(", ");
  return {
    operation: "query",
    signature: `check${type.name}Password(${given}, "The password to check." ${password.name}: String!): ${type.name}`,
    type,
    purpose: "password",
    run: (context) => check({ type, names, password }, context),
  };
}

/** All of them together: a key within other values has several parts. */
function namesOf({ idField, keys: [key], scopedKeys }: NodeType): readonly (IdField | ValueField)[] {
  if (idField?.role === "id") return [idField];
  if (key) return [key.field];
  const parts = scopedKeys.map(({ field, within }) => [field, ...within]).find((each) => each.every(({ role }) => role === "value")) ?? [];
  return parts.filter((part) => part.role === "value");
}

interface Check {
  readonly type: NodeType;
  /** What identifies the node: its ID, its first key, or the parts of a key within others. */
  readonly names: readonly (IdField | ValueField)[];
  readonly password: ValueField;
}

async function check({ type, names, password }: Check, { arguments: given, snapshot, mayRead }: RootContext): Promise<RootAnswer> {
  const candidate = given[password.name];
  const isReadable = [...names, password].every((field) => field.role === "id" || mayRead(field.stored));
  const where = isReadable ? namedBy(names, given) : undefined;
  if (typeof candidate !== "string" || !where) return noNode;
  const batch = await snapshot.find(request(type, where, password));
  const hash = batch.columns[0]?.[0];
  const [uid, ...others] = batch.uids;
  const { compare } = await import("bcrypt");
  const matches = await compare(candidate, typeof hash === "string" ? hash : nobodysHash);
  // bcrypt ignores the rest of a longer candidate.
  const right = matches && Buffer.byteLength(candidate) <= longestBytes;
  const isOne = uid !== undefined && others.length === 0 && typeof hash === "string";
  return right && isOne ? { nodes: [uid] } : noNode;
}

function request(type: NodeType, where: Predicate, password: ValueField): FindRequest {
  return { types: type.members.map((member) => member.stored), where, page: { first: 2 }, fields: [password.stored] };
}

function namedBy(names: Check["names"], given: Readonly<Record<string, unknown>>): Predicate | undefined {
  const conditions = names.flatMap((name) => named(name, given[name.name]) ?? []);
  return conditions.length < names.length ? undefined : and(...conditions);
}

function named(name: IdField | ValueField, given: unknown): Predicate | undefined {
  if (name.role === "id") {
    const uid = typeof given === "string" ? parseUid(given) : undefined;
    return uid === undefined ? undefined : { kind: "uids", uids: [uid] };
  }
  return isKey(given) ? { kind: "compare", field: name.stored, op: "eq", operands: [given] } : undefined;
}

function isKey(value: unknown): value is Extract<Value, string | number | bigint | boolean> {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
}
