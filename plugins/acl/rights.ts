// What groups may do with predicates, which are the storage names of fields and links.

import {
  addToGroup,
  type EndName,
  type FieldName,
  type Model,
  type NodeType,
  type Permissions,
  QuernError,
  type TypeName,
} from "../../core/plugin.ts";

/** Rights of a rule, as bits. */
export const right = { read: 4, write: 2, modify: 1 } as const;

/** Members may do everything. */
export const guardians = "guardians";

/** The predicate that says of which type a node is. Readable by everybody. */
export const typePredicate = "dgraph.type";

/** Rules that cover every predicate. */
const everyPredicate: ReadonlySet<string> = new Set(["dgraph.all", "service.all"]);

/** Rules by group: a permission for each predicate. */
export type RulesOf = (group: string) => ReadonlyMap<string, number> | undefined;

/** The combined rights of some groups. */
export class Rights {
  readonly #byPredicate = new Map<string, number>();
  #everywhere = 0;

  constructor(groups: readonly string[], rulesOf: RulesOf) {
    for (const group of groups) for (const [predicate, permission] of rulesOf(group) ?? []) this.#add(predicate, permission);
  }

  #add(predicate: string, permission: number): void {
    if (everyPredicate.has(predicate)) this.#everywhere |= permission;
    else this.#byPredicate.set(predicate, (this.#byPredicate.get(predicate) ?? 0) | permission);
  }

  /** Whether the groups have the right on one of the names under which rules may name a thing. */
  has(wanted: number, ...names: readonly string[]): boolean {
    const isOwn = names.some((name) => ((this.#byPredicate.get(name) ?? 0) & wanted) !== 0);
    // Predicates of the server itself are the guardians', except the type.
    return isOwn || ((this.#everywhere & wanted) !== 0 && names.every(isOrdinary));
  }
}

function isOrdinary(name: string): boolean {
  return name === typePredicate || !name.startsWith("dgraph.");
}

/** A rule may name a type for all of its predicates: the types of a schema by predicate, found at first use. */
export class TypesOfPredicates {
  readonly #model: Model;
  #byPredicate: ReadonlyMap<string, readonly string[]> | undefined;
  #byStoredName: ReadonlyMap<TypeName, string> | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  /** Names of the types that have the field or link. */
  of(name: FieldName | EndName): readonly string[] {
    this.#byPredicate ??= typesByPredicate(this.#model);
    return this.#byPredicate.get(name) ?? [];
  }

  /** The name of the type with this storage name. */
  nameOf(stored: TypeName): string {
    this.#byStoredName ??= new Map([...this.#model.nodeTypes.values()].map((type) => [type.stored, type.name]));
    return this.#byStoredName.get(stored) ?? stored;
  }
}

function typesByPredicate(model: Model): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const type of model.nodeTypes.values()) {
    for (const name of predicatesOf(type)) addToGroup(types, name, type.name);
  }
  return types;
}

function predicatesOf(type: NodeType): readonly string[] {
  return [...type.fields.values()].flatMap((field) => (field.role === "value" || field.role === "link" ? [field.stored] : []));
}

/** Permissions of a request by the rights of its caller. */
export function permissionsBy(rights: Rights, types: TypesOfPredicates): Permissions {
  const allows = (wanted: number, name: string) => rights.has(wanted, withoutLanguage(name), ...types.of(name));
  return {
    mayRead: (name) => allows(right.read, name),
    checkWrites({ types: written, names }) {
      const refused = new Set(names.filter((name) => !allows(right.write, name)).map(withoutLanguage));
      for (const type of written) if (!rights.has(right.write, typePredicate, types.nameOf(type))) refused.add(typePredicate);
      if (refused.size > 0) throw deniedPredicates("mutate", [...refused]);
    },
  };
}

/** `Person.name` of `Person.name@de`. */
function withoutLanguage(name: string): string {
  return name.split("@", 1)[0] ?? name;
}

export function deniedPredicates(what: "mutate" | "alter", names: readonly string[]): QuernError {
  const list = [...names].sort().join(" ");
  return new QuernError("FORBIDDEN", `You have no right to ${what}: ${list}.`, {
    compatible: `rpc error: code = PermissionDenied desc = unauthorized to ${what} following predicates: ${list} \n`,
  });
}
