// Types whose objects can be added many at a time, without the steps of a mutation: no plugin takes part in adding them, the storage guards their
// keys, and their links displace none. The contract of those who load data, such as `adapters/transfer`.

import type { GraphQLInputType } from "graphql";
import type { Change } from "../../contracts/change.ts";
import type { Key, LinkField, NodeType, ValueField } from "../../contracts/model.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { Transaction } from "../../contracts/storage/snapshot.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { unitsAlwaysAllowed, type ValueLimits } from "../../ground/value-limits.ts";
import { isGeometry } from "../../ground/values/compare.ts";
import type { Stored } from "../../ground/values/value.ts";
import { type WriteFacts, writeFacts } from "../../mutation/context/write-facts.ts";
import { isList } from "../../mutation/input/input-tree.ts";
import { storedInput } from "../../mutation/input/stored-input.ts";
import { readHolders } from "../../mutation/links/link-facts.ts";
import { type LinkIntent, planLinks } from "../../mutation/links/plan-links.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { inputReader } from "./input-reader.ts";

/**
 * An object type, with the fields whose values and links can be written plainly, and what the mutation `add` does with them. An object with other members, or for
 * which a function returns undefined, is for the mutation: it writes the object, or says what is wrong with it.
 *
 *     const type = plainType(deployment, "Package");
 *     const [object] = type?.coerce([{ name: "mill" }]) ?? [];
 */
export interface PlainType {
  readonly type: NodeType;
  /** By field name. */
  readonly values: ReadonlyMap<string, ValueField>;
  /** By field name, in the order of the names. */
  readonly links: ReadonlyMap<string, PlainLink>;
  /** By field name. */
  readonly keys: ReadonlyMap<string, Key>;
  /** The objects as the input of `add` coerces them, defaults included. Undefined: one of them does not fit. */
  coerce(objects: readonly unknown[]): readonly unknown[] | undefined;
  /**
   * The stored form of a coerced value; an empty list is one, and is not written. Undefined: it cannot be stored, or is so long that limits may refuse it.
   *
   * @param coerced not null
   */
  stored(field: ValueField, coerced: unknown): Stored | undefined;
  /**
   * The changes that make these links, in this order: each takes the place of those that its ends hold. Reads what the ends hold, and holds what it has read
   * until the commit.
   */
  linkChanges(links: readonly LinkIntent[], transaction: Transaction): Promise<readonly Change[]>;
}

/** A link to objects that one key identifies. */
export interface PlainLink {
  readonly field: LinkField;
  readonly target: PlainTarget;
  /** The node has one such link at most. */
  readonly single: boolean;
}

/** The other side of a link. */
export interface PlainTarget {
  readonly type: NodeType;
  readonly key: Key;
  /** By field name. Its links are not written plainly. */
  readonly values: ReadonlyMap<string, ValueField>;
  /** Names of fields that a new object must have; undefined: a link is among them. */
  readonly required: readonly string[] | undefined;
}

/** Whether plugins that have the hook take part in adding an object. */
const takesPart: { readonly [Name in keyof Hooks]-?: boolean } = {
  layout: false,
  api: false,
  compile: false,
  open: false,
  warnings: false,
  survey: false,
  headers: false,
  admit: true,
  request: true,
  caller: false,
  expiresAt: false,
  recheckAt: false,
  narrow: true,
  narrows: false,
  narrowsEverywhere: false,
  shown: false,
  masks: true,
  permissions: true,
  operand: true,
  values: true,
  changes: true,
  check: true,
  append: true,
  background: false,
  commit: true,
  close: false,
};
const partsOfAdd: ReadonlySet<string> = new Set(Object.entries(takesPart).flatMap(([name, part]) => (part ? [name] : [])));

/**
 * The type as it can be written plainly. Undefined: not at all, and `plainTypeProblem` says why.
 *
 * @param limits how long texts may be; absent: of any length
 */
export function plainType(deployment: Deployment, typeName: string, limits?: ValueLimits): PlainType | undefined {
  const type = deployment.model.nodeTypes.get(typeName);
  const input = type && inputOfAdd(type, deployment);
  if (type === undefined || input === undefined || plainTypeProblem(deployment, typeName) !== undefined) return undefined;
  const facts = writeFacts.of(deployment);
  const longestText = limits ? unitsAlwaysAllowed(limits) : Number.POSITIVE_INFINITY;
  return {
    type,
    values: plainValues(type, facts),
    links: plainLinks(type, { facts, deployment }),
    keys: new Map(type.keys.map((key) => [key.field.name, key])),
    coerce: (objects) => coercedBy(inputReader(input), objects),
    stored: (field, coerced) => storedPlainly(field, coerced, { facts, longestText }),
    async linkChanges(links, transaction) {
      const { holder, read } = await readHolders(links, { transaction, edges: facts.edges, isNew: () => false });
      const changes = planLinks(links, holder, facts.edges);
      if (changes.length > 0) await transaction.hold(read);
      return changes;
    },
  };
}

/**
 * Why objects of the type cannot be written plainly: a sentence for who loads data. Undefined: they can.
 *
 *     plainTypeProblem(deployment, "Package"); // 'The plugin "default" takes part in adding objects, with its hook values.'
 */
export function plainTypeProblem(deployment: Deployment, typeName: string): string | undefined {
  const { model, hooks } = deployment;
  const type = model.nodeTypes.get(typeName);
  if (type === undefined) return `The schema has no type ${typeName}${didYouMean(typeName, [...model.nodeTypes.keys()]) || "."}`;
  if (type.kind !== "object") return `${typeName} is an interface. Load objects of the types that implement it.`;
  for (const each of hooks) {
    const taking = hookOfAdd(each.hooks);
    if (taking !== undefined) return `The plugin "${each.plugin}" takes part in adding objects, with its hook ${taking}.`;
  }
  const shared = type.keys.find((key) => !isGuarded(key, type, deployment));
  const [scoped] = type.scopedKeys;
  if (scoped !== undefined) return `The key ${typeName}.${scoped.field.name} is unique within other fields.`;
  if (shared !== undefined) return `The key ${typeName}.${shared.field.name} must be free in other types too.`;
  return inputOfAdd(type, deployment) === undefined ? `The API has no mutation add${typeName}.` : undefined;
}

function inputOfAdd({ name }: NodeType, { api }: Deployment): GraphQLInputType | undefined {
  const fields = api.schema.getMutationType()?.getFields();
  return fields?.[`add${name}`]?.args.find((argument) => argument.name === "input")?.type;
}

/** A scalar may throw anything for a value that it does not take. */
function coercedBy(read: (value: unknown) => unknown, objects: readonly unknown[]): readonly unknown[] | undefined {
  try {
    const coerced = read(objects);
    return Array.isArray(coerced) ? coerced : undefined;
  } catch {
    return undefined;
  }
}

interface StoringPlainly {
  readonly facts: WriteFacts;
  /** UTF-16 units: a mutation judges longer texts. */
  readonly longestText: number;
}

function storedPlainly(field: ValueField, coerced: unknown, { facts, longestText }: StoringPlainly): Stored | undefined {
  const read = storedInput(field, coerced, { searchable: facts.searchable(field.stored) });
  return "fault" in read || read.value === null || isLong(read.value, longestText) ? undefined : read.value;
}

/** An area may have many points. */
function isLong(stored: Stored, most: number): boolean {
  return isList(stored)
    ? stored.some((value) => isLong(value, most))
    : typeof stored === "string"
      ? stored.length > most
      : isGeometry(stored) && stored.type !== "Point";
}

/** The name of one that takes part in adding an object. */
function hookOfAdd(hooks: Hooks): string | undefined {
  return Object.entries(hooks).find(([name, hook]) => hook !== undefined && partsOfAdd.has(name))?.[0];
}

/** Whether the storage refuses a second node of the type with a value of the key. */
function isGuarded({ field, across }: Key, type: NodeType, { layout }: Deployment): boolean {
  return (
    across === undefined &&
    layout.keys.some(
      ({ fields, ends = [], types }) => fields.length === 1 && fields[0] === field.stored && ends.length === 0 && types.includes(type.stored),
    )
  );
}

function plainValues(type: NodeType, facts: WriteFacts): ReadonlyMap<string, ValueField> {
  return new Map(facts.of(type).values.flatMap((field) => (field.kind === "password" ? [] : [[field.name, field] as const])));
}

interface Schema {
  readonly facts: WriteFacts;
  readonly deployment: Deployment;
}

function plainLinks(type: NodeType, schema: Schema): ReadonlyMap<string, PlainLink> {
  const links = new Map<string, PlainLink>();
  for (const field of schema.facts.of(type).links) {
    const link = plainLink(field, type, schema);
    if (link !== undefined) links.set(field.name, link);
  }
  return links;
}

function plainLink(field: LinkField, owner: NodeType, { facts, deployment }: Schema): PlainLink | undefined {
  const { target } = field;
  if (target.kind !== "object") return undefined;
  const [key, ...others] = target.keys;
  if (key === undefined || others.length > 0 || target.scopedKeys.length > 0 || !isGuarded(key, target, deployment)) return undefined;
  const { edges } = facts;
  const taken = edges.singleEnds(field.stored, owner.stored, target.stored);
  // A link that fills an end of its target takes it from another node, and one that two fields state fills it twice.
  const single = taken.from.length > 0;
  if (taken.to.length > 0 || (single && (taken.from.some((end) => end !== field.stored) || isStatedTwice(field, owner, facts)))) return undefined;
  return { field, target: { type: target, key, values: plainValues(target, facts), required: requiredNames(target) }, single };
}

function isStatedTwice(field: LinkField, owner: NodeType, { edges, of }: WriteFacts): boolean {
  const { edge, reads } = edges.direction(field.stored);
  return reads === "both" || of(owner).links.some((other) => other !== field && edges.direction(other.stored).edge === edge);
}

/** What `missingField` asks of a new object below the top of an input. */
function requiredNames(type: NodeType): readonly string[] | undefined {
  const names: string[] = [];
  for (const field of type.fields.values()) {
    if (!field.type.nonNull || !field.exposure.input) continue;
    if (field.role === "link") return undefined;
    if (field.role === "value" && !field.optionalOnAdd) names.push(field.name);
  }
  return names;
}
