// `@increment`: an update adds to the stored number inside its transaction, so that no concurrent addition is lost.

import {
  type ApiAdditions,
  type ModelContext,
  type NodeRef,
  type NodeType,
  QuernError,
  type Set as SetChange,
  type Stored,
  type Uid,
  type UpdateContext,
  type ValueField,
} from "../../core/plugin.ts";

const int64 = 2n ** 63n;

/** The fields of interfaces and object types that can be added to. */
export function readIncrements({ uses, report }: ModelContext): readonly ValueField[] {
  return uses("increment").flatMap(({ field, node, inherited }) => {
    if (!field) return [];
    if (field.role === "value" && ["int", "int64", "float"].includes(field.kind) && !field.type.list) return [field];
    if (!inherited) report(`Type ${field.owner.name}; Field ${field.name}: @increment is for single Int, Int64 and Float fields.`, node);
    return [];
  });
}

/** `UpdatePostInput.increment: PostIncrement` */
export function incrementMembers(increments: readonly ValueField[]): Pick<ApiAdditions, "definitions" | "updates"> {
  const types = [...new Set(increments.map(({ owner }) => owner))].filter((type) => type.allows("update"));
  const fieldsOf = (type: NodeType) => increments.filter(({ owner }) => owner === type);
  return {
    definitions: types.map((type) => incrementInput(type, fieldsOf(type))).join("\n"),
    updates: types.map((type) => ({
      type,
      signature: `"Adds to stored numbers." increment: ${type.name}Increment`,
      changes: (operand, context) => increased(amounts(operand, fieldsOf(type)), context),
    })),
  };
}

function incrementInput({ name }: NodeType, fields: readonly ValueField[]): string {
  const members = fields.map((field) => `  "Is added to \`${field.name}\`; a negative number is taken away."\n  ${field.name}: ${field.type.name}\n`);
  return `"Numbers to add."\ninput ${name}Increment {\n${members.join("")}}`;
}

interface Amount {
  readonly field: ValueField;
  readonly by: unknown;
}

/** Null adds nothing. */
function amounts(operand: unknown, fields: readonly ValueField[]): readonly Amount[] {
  if (typeof operand !== "object" || operand === null) return [];
  const given = new Map(Object.entries(operand));
  return fields.flatMap((field) => {
    const by = given.get(field.name);
    return by === undefined || by === null ? [] : [{ field, by }];
  });
}

async function increased(added: readonly Amount[], { nodes, transaction, sees }: UpdateContext): Promise<readonly SetChange[]> {
  if (added.length === 0) return [];
  const fields = added.map(({ field }) => field.stored);
  const isSeen = await sees(nodes, fields);
  for (const { field } of added) if (!nodes.every(({ uid }) => isSeen(uid, field.stored))) throw unread(field);
  const types = [...new Set(nodes.map(({ type }) => type))];
  const batch = await transaction.load({ uids: nodes.map(({ uid }) => uid), types, fields });
  const rows = new Map(batch.uids.map((uid, row) => [uid, row]));
  const present = (uid: Uid, column: number) => batch.columns[column]?.[rows.get(uid) ?? -1];
  return nodes.map(({ uid, type }: NodeRef) => ({
    kind: "set",
    uid,
    type,
    fields: Object.fromEntries(added.map(({ field, by }, i) => [field.stored, sum(field, present(uid, i), by)])),
  }));
}

/** An absent value counts as 0. */
function sum(field: ValueField, before: Stored | undefined, by: unknown): number | bigint {
  if (field.kind === "int64") {
    const result = whole(before ?? 0) + whole(by);
    if (result >= int64 || result < -int64) throw overflow(field, "Int64");
    return result;
  }
  const result = Number(before ?? 0) + Number(by);
  if (field.kind === "int" && result !== (result | 0)) throw overflow(field, "Int");
  if (!Number.isFinite(result)) throw overflow(field, "Float");
  return result === 0 ? 0 : result;
}

function whole(value: unknown): bigint {
  return typeof value === "bigint" ? value : BigInt(String(value));
}

/** A sum that is out of range would tell the number before it. */
function unread({ owner, name }: ValueField): QuernError {
  return new QuernError("FORBIDDEN", `${owner.name}.${name}: an increment needs the right to read the number of each object that it changes`, {
    hint: "Nothing was added to any object. Choose objects of which you may read the field.",
  });
}

function overflow({ owner, name }: ValueField, type: string): QuernError {
  return new QuernError("OUT_OF_RANGE", `${owner.name}.${name}: the sum is beyond the range of ${type}`, {
    hint: "Nothing was added to any object.",
  });
}
