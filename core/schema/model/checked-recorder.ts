// A recorder that refuses facts which cannot hold: the deploy fails where a plugin records them, and names the plugin and the place.

import type { ASTNode } from "graphql";
import type { Exposure, Field, LinkField, NodeType, UnionType } from "../../contracts/model.ts";
import type { Recorder } from "../../contracts/plugin/model-context.ts";
import { QuernError } from "../../ground/errors.ts";
import { isObject } from "../../ground/is-object.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { valueKinds } from "../../ground/values/kinds.ts";
import type { ValueKind } from "../../ground/values/value.ts";
import { locationOf } from "../document/locations.ts";
import { hidden, type ModelDraft } from "./draft.ts";

export interface Recording {
  readonly plugin: string;
  /** As far as it is recorded. */
  readonly model: ModelDraft;
}

type Refuse = (problem: string, at?: ASTNode) => never;

/** Passes facts that can hold to another recorder. @throws QuernError `CONFIG_INVALID` for others, and for all when `model` has returned */
export class CheckedRecorder implements Recorder {
  readonly #recorder: Recorder;
  readonly #plugin: string;
  readonly #model: ModelDraft;
  #isClosed = false;

  constructor(recorder: Recorder, { plugin, model }: Recording) {
    this.#recorder = recorder;
    this.#plugin = plugin;
    this.#model = model;
  }

  /** The plugin's `model` has returned. */
  close(): void {
    this.#isClosed = true;
  }

  storedType(type: NodeType, name: string): void {
    const refuse = this.#refuse("storedType");
    this.#type(type, refuse);
    assertText(name, "a storage name", refuse);
    this.#recorder.storedType(type, name);
  }

  storedField(field: Field, name: string): void {
    const refuse = this.#refuse("storedField");
    const { role, definition } = this.#field(field, refuse);
    assertText(name, "a storage name", refuse);
    if (role === "id") refuse(`${placeOf(field)} is an ID, which has no storage name.`, definition);
    this.#recorder.storedField(field, name);
  }

  renamedType(type: NodeType, former: string): void {
    const refuse = this.#refuse("renamedType");
    this.#type(type, refuse);
    assertText(former, "a former name", refuse);
    this.#recorder.renamedType(type, former);
  }

  renamedField(field: Field, former: string, of?: string): void {
    const refuse = this.#refuse("renamedField");
    this.#field(field, refuse);
    assertText(former, "a former name", refuse);
    if (of !== undefined) assertText(of, "the former name of a type", refuse);
    this.#recorder.renamedField(field, former, of);
  }

  key(field: Field, scope: "type" | "interface", within?: readonly Field[]): void {
    const refuse = this.#refuse("key");
    const found = this.#field(field, refuse);
    assertWord(scope, ["type", "interface"], "scope", refuse);
    if (found.type.list) refuse(`${placeOf(found)} is a list, and a key is one value.`, found.definition);
    if (found.role === "value" && ["geo", "vector", "password"].includes(found.kind))
      refuse(`${placeOf(found)} is a ${found.type.name}, of which no two are compared as keys.`, found.definition);
    for (const part of within ?? []) this.#field(part, refuse);
    this.#recorder.key(field, scope, within);
  }

  givenId(field: Parameters<Recorder["givenId"]>[0]): void {
    const refuse = this.#refuse("givenId");
    const found = this.#field(field, refuse);
    if (found.role !== "id") refuse(`${placeOf(found)} is no field of type ID.`, found.definition);
    this.#recorder.givenId(field);
  }

  inverse(field: LinkField, other: LinkField): void {
    const refuse = this.#refuse("inverse");
    assertOpposite(this.#link(field, refuse), this.#link(other, refuse), refuse);
    this.#recorder.inverse(field, other);
  }

  reverse(field: LinkField, forward: LinkField): void {
    const refuse = this.#refuse("reverse");
    assertOpposite(this.#link(field, refuse), this.#link(forward, refuse), refuse);
    this.#recorder.reverse(field, forward);
  }

  exposure(field: Field, change: Partial<Exposure>): void {
    const refuse = this.#refuse("exposure");
    const { definition } = this.#field(field, refuse);
    if (!isObject(change)) refuse(`what it changes of ${placeOf(field)} must be an object.`, definition);
    for (const [name, value] of Object.entries(change)) {
      if (!(name in hidden)) refuse(`it changes "${name}" of ${placeOf(field)}, which is unknown${meant(name, Object.keys(hidden))}`, definition);
      if (name === "aggregate") assertWord(value, ["none", "range", "sum"], name, refuse);
      else if (typeof value !== "boolean") refuse(`${name} of ${placeOf(field)} must be true or false.`, definition);
    }
    this.#recorder.exposure(field, change);
  }

  optionalOnAdd(field: Parameters<Recorder["optionalOnAdd"]>[0]): void {
    const refuse = this.#refuse("optionalOnAdd");
    const found = this.#field(field, refuse);
    if (found.role !== "value") refuse(`${placeOf(found)} holds no values.`, found.definition);
    this.#recorder.optionalOnAdd(field);
  }

  vector(field: Parameters<Recorder["vector"]>[0]): void {
    const refuse = this.#refuse("vector");
    const found = this.#field(field, refuse);
    const isFloats = found.role === "value" && found.type.list && found.type.name === "Float";
    if (!isFloats) refuse(`${placeOf(found)} is a ${typeText(found)}, and a vector is a list of Float.`, found.definition);
    this.#recorder.vector(field);
  }

  collation(field: Parameters<Recorder["collation"]>[0], tag: string): void {
    const refuse = this.#refuse("collation");
    const found = this.#field(field, refuse);
    if (found.role !== "value" || found.kind !== "string") refuse(`${placeOf(found)} holds no texts.`, found.definition);
    assertLanguage(tag, refuse);
    this.#recorder.collation(field, tag);
  }

  inputField(type: NodeType, field: Parameters<Recorder["inputField"]>[1]): void {
    const refuse = this.#refuse("inputField");
    const { definition, members } = this.#type(type, refuse);
    if (!isObject(field)) refuse("it must be an object.", definition);
    assertName(field.name, refuse);
    assertWord(field.kind, textKinds, "kind", refuse);
    if (typeof field.nonNull !== "boolean") refuse(`nonNull of ${type.name}.${field.name} must be true or false.`, definition);
    if (field.stored !== undefined) assertText(field.stored, "a storage name", refuse);
    if (field.type !== undefined) assertName(field.type, refuse);
    for (const each of [definition, ...members.map((member) => member.definition)]) {
      const declared = each.fields?.find(({ name }) => name.value === field.name);
      if (declared) refuse(`${each.name.value} has a field ${field.name} already; give the new one another name.`, declared);
    }
    this.#recorder.inputField(type, field);
  }

  outputField(type: NodeType, field: Parameters<Recorder["outputField"]>[1]): void {
    const refuse = this.#refuse("outputField");
    const { definition } = this.#type(type, refuse);
    if (!isObject(field)) refuse("it must be an object.", definition);
    assertName(field.name, refuse);
    assertName(field.type, refuse);
    const there = this.#model.nodeTypes.get(type.name)?.fields.get(field.name);
    if (there && there.role !== "computed")
      refuse(`${type.name} has a field ${field.name} already; give the new one another name.`, there.definition);
    this.#recorder.outputField(type, field);
  }

  computed(field: Field): void {
    const refuse = this.#refuse("computed");
    const found = this.#field(field, refuse);
    if (found.role === "id") refuse(`${placeOf(found)} is an ID, which the storage gives.`, found.definition);
    this.#recorder.computed(field);
  }

  enableOperation(type: NodeType, operation: string): void {
    const refuse = this.#refuse("enableOperation");
    this.#type(type, refuse);
    assertText(operation, "an operation", refuse);
    this.#recorder.enableOperation(type, operation);
  }

  disableOperation(type: NodeType, operation: string): void {
    const refuse = this.#refuse("disableOperation");
    this.#type(type, refuse);
    assertText(operation, "an operation", refuse);
    this.#recorder.disableOperation(type, operation);
  }

  directive(field: Field, name: string, args: Readonly<Record<string, string>>): void {
    const refuse = this.#refuse("directive");
    const { definition } = this.#field(field, refuse);
    assertName(name, refuse);
    if (!isObject(args) || Object.values(args).some((value) => typeof value !== "string"))
      refuse(`the arguments of @${name} on ${placeOf(field)} must be texts by name.`, definition);
    this.#recorder.directive(field, name, args);
  }

  /** Refuses what the method is called with. */
  #refuse(method: keyof Recorder): Refuse {
    const refuse: Refuse = (problem, at) => {
      const location = at && locationOf(at);
      const place = location ? `${location.line}:${location.column} ` : "";
      throw new QuernError("CONFIG_INVALID", `${place}Plugin "${this.#plugin}", hook model, record.${method}: ${problem}`, {
        ...(location && { locations: [location] }),
      });
    };
    return this.#isClosed ? refuse("it is called when model has returned. Record all facts before.") : refuse;
  }

  #type(type: NodeType, refuse: Refuse): NodeType {
    const found = isObject(type) ? this.#model.nodeTypes.get(String(type.name)) : undefined;
    return found ?? refuse(`it is given ${isObject(type) ? `the type ${String(type.name)}, which is no stored type of the schema` : "no type"}.`);
  }

  #field(field: Field, refuse: Refuse): Field {
    if (!isObject(field) || !isObject(field.owner)) return refuse("it is given no field.");
    const found = this.#type(field.owner, refuse).fields.get(field.name);
    return found ?? refuse(`it is given ${placeOf(field)}, which is no field of the schema.`);
  }

  #link(field: LinkField, refuse: Refuse): LinkField {
    const found = this.#field(field, refuse);
    return found.role === "link" ? found : refuse(`${placeOf(found)} is no link, but a ${typeText(found)}.`, found.definition);
  }
}

/** What inputs give as a text, so that it is stored as it is. */
const textKinds: readonly ValueKind[] = ["string", "password", "dateTime"];

function assertText(value: unknown, what: string, refuse: Refuse): void {
  if (typeof value !== "string" || value === "") refuse(`${what} must be a text that is not empty.`);
}

function assertName(value: unknown, refuse: Refuse): void {
  if (typeof value !== "string" || !/^[_A-Za-z][_0-9A-Za-z]*$/u.test(value)) refuse(`${JSON.stringify(value)} is no name of GraphQL.`);
}

function assertWord(value: unknown, words: readonly string[], what: string, refuse: Refuse): void {
  const word = String(value);
  if (words.includes(word)) return;
  const known = what === "kind" && valueKinds.includes(word) ? "not possible here" : "unknown";
  refuse(`the ${what} "${word}" is ${known}; it must be one of ${words.join(", ")}${didYouMean(word, words) || "."}`);
}

function meant(name: string, names: readonly string[]): string {
  return didYouMean(name, names) || `; it takes ${names.join(", ")}.`;
}

function assertLanguage(tag: unknown, refuse: Refuse): void {
  try {
    Intl.getCanonicalLocales(String(tag));
  } catch {
    refuse(`${JSON.stringify(tag)} is no language tag of BCP 47.`);
  }
}

/** Each must lead to a type that has the other. */
function assertOpposite(field: LinkField, other: LinkField, refuse: Refuse): void {
  for (const [one, two] of [
    [field, other],
    [other, field],
  ] as const) {
    if (!leadsTo(one, two.owner)) refuse(`${placeOf(one)} leads to ${one.target.name}, which has no ${placeOf(two)}.`, one.definition);
  }
}

function leadsTo({ target }: LinkField, owner: NodeType): boolean {
  const members = membersOf(target);
  return owner.members.some((member) => members.has(member.name)) || target.name === owner.name;
}

function membersOf(target: NodeType | UnionType): ReadonlySet<string> {
  const types = target.kind === "union" ? target.members : [target];
  return new Set(types.flatMap(({ members }) => members.map(({ name }) => name)));
}

function placeOf({ owner, name }: Pick<Field, "owner" | "name">): string {
  return `${owner.name}.${name}`;
}

function typeText({ type: { name, list } }: Pick<Field, "type">): string {
  return list ? `list of ${name}` : name;
}
