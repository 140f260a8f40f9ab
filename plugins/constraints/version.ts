// `@version`: a number that counts the states of an object, so that a client can change the state that it has read, and no other.

import {
  type Change,
  type ChangesContext,
  type FieldFilter,
  type FieldName,
  type ModelContext,
  QuernError,
  type Sees,
  type Set as SetChange,
  type Stored,
  sameStored,
  type TypeName,
  type Uid,
  type ValueField,
} from "../../core/plugin.ts";
import { isSearched, numberFilter } from "./number-filter.ts";

const greatest = 2 ** 31 - 1;

/** The version fields of interfaces and object types. */
export function readVersions({ uses, report, record }: ModelContext): readonly ValueField[] {
  const versions = new Map<string, ValueField>();
  for (const { field, node, inherited } of uses("version")) {
    if (!field) continue;
    const place = `Type ${field.owner.name}; Field ${field.name}:`;
    const other = versions.get(field.owner.name);
    if (field.role !== "value" || field.kind !== "int" || field.type.list) {
      if (!inherited) report(`${place} @version is for Int fields.`, node);
    } else if (other) {
      report(`${place} the field ${other.name} counts the versions of ${field.owner.name} already.`, node, "Remove one of the two directives.");
    } else {
      versions.set(field.owner.name, field);
      record.exposure(field, { input: false });
      record.optionalOnAdd(field);
    }
  }
  return [...versions.values()];
}

/** A version can be compared also without `@search`. */
export function versionFilters(versions: readonly ValueField[]): readonly FieldFilter[] {
  return versions.filter((field) => !isSearched(field)).map((field) => numberFilter(field));
}

/** The hook `changes`: a new object has version 1, and each change of its values adds one. */
export function countVersions(versions: readonly ValueField[]): (context: ChangesContext) => Promise<readonly Change[] | undefined> {
  let known: ReadonlyMap<TypeName, FieldName> | undefined;
  return async ({ changes, transaction, sees }) => {
    // Storage names are final when the schema is served.
    known ??= new Map(versions.flatMap(({ owner, stored }) => (owner.kind === "object" ? [[owner.stored, stored]] : [])));
    if (!changes.some((change) => isCounted(change, known ?? new Map()))) return undefined;
    return new Versions(known, await valuesBefore(changes, known, { transaction, sees })).count(changes);
  };
}

function isCounted(change: Change, versions: ReadonlyMap<TypeName, FieldName>): change is Extract<Change, { readonly type: TypeName }> {
  return (change.kind === "create" || change.kind === "set") && versions.has(change.type);
}

interface Before {
  readonly value: (uid: Uid, field: FieldName) => Stored | undefined;
  /** To a caller who may not read it, a value that is set is another one: otherwise the version would tell a guess of it from others. */
  readonly isSeen: (change: SetChange, field: FieldName) => boolean;
}

/** The values of what `changes` set, and the versions, in one read for each type. */
async function valuesBefore(
  changes: readonly Change[],
  versions: ReadonlyMap<TypeName, FieldName>,
  { transaction, sees }: Pick<ChangesContext, "transaction" | "sees">,
): Promise<Before> {
  const seen = new Map<TypeName, Sees>();
  const values = new Map<string, Stored | undefined>();
  for (const [type, version] of versions) {
    const sets = changes.filter((change): change is SetChange => change.kind === "set" && change.type === type);
    if (sets.length === 0) continue;
    const written = [...new Set(sets.flatMap((set) => Object.keys(set.fields)))];
    const fields = [...new Set([version, ...written])];
    seen.set(type, await sees(sets, written));
    const batch = await transaction.load({ uids: [...new Set(sets.map(({ uid }) => uid))], types: [type], fields });
    for (const [row, uid] of batch.uids.entries()) for (const [i, field] of fields.entries()) values.set(`${uid} ${field}`, batch.columns[i]?.[row]);
  }
  return { value: (uid, field) => values.get(`${uid} ${field}`), isSeen: ({ uid, type }, field) => seen.get(type)?.(uid, field) === true };
}

class Versions {
  readonly #versions: ReadonlyMap<TypeName, FieldName>;
  readonly #before: Before;
  /** Nodes whose version this write has set. */
  readonly #counted = new Set<Uid>();

  constructor(versions: ReadonlyMap<TypeName, FieldName>, before: Before) {
    this.#versions = versions;
    this.#before = before;
  }

  count(changes: readonly Change[]): readonly Change[] {
    return changes.map((change) => {
      if (change.kind !== "create" && change.kind !== "set") return change;
      const field = this.#versions.get(change.type);
      if (field === undefined) return change;
      if (change.kind === "create") {
        this.#counted.add(change.uid);
        return { ...change, fields: { ...change.fields, [field]: 1 } };
      }
      if (this.#counted.has(change.uid) || !this.#changes(change)) return change;
      this.#counted.add(change.uid);
      return { ...change, fields: { ...change.fields, [field]: this.#next(change.uid, field) } };
    });
  }

  #changes(change: SetChange): boolean {
    const { value: before, isSeen } = this.#before;
    return Object.entries(change.fields).some(
      ([field, value]) => !isSeen(change, field) || !sameStored(before(change.uid, field), value ?? undefined),
    );
  }

  /** An object from before the directive has no version, which counts as 0. */
  #next(uid: Uid, field: FieldName): number {
    const next = Number(this.#before.value(uid, field) ?? 0) + 1;
    if (next > greatest) throw new QuernError("OUT_OF_RANGE", `${field} has counted to ${greatest}, the greatest Int`);
    return next;
  }
}
