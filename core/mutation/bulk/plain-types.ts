// Types whose objects can be written many at a time, without the steps of a mutation: no plugin takes part in adding them, the storage guards their
// keys, and their links displace none.

import type { Key, LinkField, NodeType, ValueField } from "../../contracts/model.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { type WriteFacts, writeFacts } from "../write-facts.ts";

/** An object type, with the fields whose values and links can be written plainly. */
export interface PlainType {
  readonly type: NodeType;
  readonly facts: WriteFacts;
  /** UTF-16 units: a mutation judges longer texts. */
  readonly longestText: number;
  /** By field name. */
  readonly values: ReadonlyMap<string, ValueField>;
  /** By field name, in the order of the names. */
  readonly links: ReadonlyMap<string, PlainLink>;
  /** By field name. */
  readonly keys: ReadonlyMap<string, Key>;
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

/** The type as it can be written plainly; undefined: not at all. */
export function plainType(type: NodeType, deployment: Deployment, longestText = Number.POSITIVE_INFINITY): PlainType | undefined {
  if (
    type.kind !== "object" ||
    deployment.hooks.some(({ hooks }) => isPartOfAdd(hooks)) ||
    !type.keys.every((key) => isGuarded(key, type, deployment))
  )
    return undefined;
  const facts = writeFacts.of(deployment);
  const links = new Map<string, PlainLink>();
  for (const field of facts.of(type).links) {
    const link = plainLink(field, type, { facts, deployment });
    if (link !== undefined) links.set(field.name, link);
  }
  return { type, facts, longestText, values: plainValues(type, facts), links, keys: new Map(type.keys.map((key) => [key.field.name, key])) };
}

function isPartOfAdd(hooks: Hooks): boolean {
  return Object.entries(hooks).some(([name, hook]) => hook !== undefined && partsOfAdd.has(name));
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

function plainLink(field: LinkField, owner: NodeType, { facts, deployment }: Schema): PlainLink | undefined {
  const { target } = field;
  if (target.kind !== "object") return undefined;
  const [key, ...others] = target.keys;
  if (key === undefined || others.length > 0 || !isGuarded(key, target, deployment)) return undefined;
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
