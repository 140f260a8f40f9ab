// Applies the facts that plugins record to the model immediately, inheriting types included.

import { type ConstDirectiveNode, type ConstValueNode, type FieldDefinitionNode, Kind, type NameNode, type TypeNode } from "graphql";
import type { Exposure, Field, IdField, Key, LinkField, NodeType, ValueField } from "../../contracts/model.ts";
import type { Recorder } from "../../contracts/plugin/model-context.ts";
import { defaultStoredName } from "./build.ts";
import { defaultExposure, type FieldDraft, hidden, type LinkDraft, type ModelDraft, NodeTypeDraft, plainValue, type ValueDraft } from "./draft.ts";
import type { KnownNames } from "./former-names.ts";

export class ModelRecorder implements Recorder {
  readonly #model: ModelDraft;
  readonly #former: KnownNames | undefined;
  /** Fields with a recorded stored name: renaming their type does not change it. */
  readonly #named = new Set<FieldDraft>();
  /** Types with a recorded stored name. */
  readonly #namedTypes = new Set<NodeTypeDraft>();
  readonly #keyed = new Set<Field>();
  /** Fields that keys are unique within. */
  readonly #scopes = new Set<Field>();
  /** Fields whose values plugins supply. */
  readonly #computed = new Set<Field>();
  /** Types and fields with a stored name from an earlier schema, not from the text. */
  readonly #kept = new Set<FieldDraft | NodeTypeDraft>();
  readonly #exposures = new Map<FieldDraft, Partial<Exposure>>();

  constructor(model: ModelDraft, former?: KnownNames) {
    this.#model = model;
    this.#former = former;
  }

  storedType(type: NodeType, name: string): void {
    const draft = this.#type(type);
    this.#kept.delete(draft);
    this.#nameType(draft, name);
  }

  renamedType(type: NodeType, former: string): void {
    const stored = this.#former?.storedType(former);
    const draft = this.#type(type);
    if (stored === undefined || this.#hasGivenName(draft)) return;
    const own = [...draft.fields.values()].filter((field) => field.origin === draft && !this.#hasGivenName(field));
    // The remembered names of its fields belong to the type that had this name before.
    for (const field of own.flatMap((each) => this.#withInherited(each))) {
      this.#named.delete(field);
      this.#kept.delete(field);
    }
    for (const other of this.#model.nodeTypes.values()) {
      if (other !== draft && other.stored === stored && !this.#hasGivenName(other)) this.keepType(other, this.#freshName(other.name));
    }
    this.keepType(draft, stored);
    for (const field of own) {
      const known = this.#former?.keptField(former, field.name);
      if (known !== undefined) this.keepField(field, known);
    }
  }

  renamedField(field: Field, former: string, of: string = field.origin.name): void {
    const stored = this.#former?.storedField(of, former);
    if (stored === undefined) return;
    const own = this.#withInherited(field);
    for (const other of [...this.#model.nodeTypes.values()].flatMap(declaredFields)) {
      if (!("stored" in other) || other.stored !== stored || own.includes(other) || this.#hasGivenName(other)) continue;
      this.keepField(other, this.#freshName(defaultStoredName(this.#type(other.origin), other.name)));
    }
    this.keepField(field, stored);
  }

  /** Call this last. A type or field with a default name gets a fresh one if something renamed holds that name. */
  resolveNameConflicts(): void {
    const types = [...this.#model.nodeTypes.values()];
    const takenTypes = new Set(types.filter((type) => this.#kept.has(type)).map(({ stored }) => stored));
    for (const type of types) {
      if (takenTypes.has(type.stored) && !this.#namedTypes.has(type)) this.keepType(type, this.#freshName(type.name));
    }
    const fields = types.flatMap(declaredFields).filter((field) => "stored" in field);
    const takenFields = new Set(fields.filter((field) => this.#kept.has(field)).map(({ stored }) => stored));
    for (const field of fields) {
      if (takenFields.has(field.stored) && !this.#named.has(field)) this.keepField(field, this.#freshName(field.stored));
    }
  }

  /** A stored name for something whose name a renamed type or field takes over; a later rename may still replace it. */
  #freshName(name: string): string {
    const types = [...this.#model.nodeTypes.values()];
    const inUse = new Set([...types, ...types.flatMap((type) => [...type.fields.values()])].map((thing) => ("stored" in thing ? thing.stored : "")));
    let fresh = name;
    for (let n = 2; inUse.has(fresh) || this.#former?.isTaken(fresh); n++) fresh = `${name}#${n}`;
    return fresh;
  }

  /** Sets a stored name that comes from an earlier schema, not from the text. */
  keepType(type: NodeType, name: string): void {
    const draft = this.#type(type);
    this.#kept.add(draft);
    this.#nameType(draft, name);
  }

  /** The same for a field, unless the text determines its name. */
  keepField(field: Field, name: string): void {
    for (const draft of this.#withInherited(field)) {
      if (!("stored" in draft) || this.#hasGivenName(draft)) continue;
      draft.stored = name;
      this.#named.add(draft);
      this.#kept.add(draft);
    }
  }

  /** Whether the stored name comes from an earlier schema. */
  keeps(thing: NodeType | Field): boolean {
    const draft = "fields" in thing ? this.#type(thing) : this.#type(thing.owner).fields.get(thing.name);
    return draft !== undefined && this.#kept.has(draft);
  }

  #hasGivenName(draft: FieldDraft | NodeTypeDraft): boolean {
    const named = draft instanceof NodeTypeDraft ? this.#namedTypes.has(draft) : this.#named.has(draft);
    return named && !this.#kept.has(draft);
  }

  #nameType(draft: NodeTypeDraft, name: string): void {
    draft.stored = name;
    this.#namedTypes.add(draft);
    for (const copy of [draft, ...draft.members]) {
      for (const field of copy.fields.values()) {
        if (field.origin !== draft || this.#named.has(field) || !("stored" in field)) continue;
        field.stored = defaultStoredName(draft, field.name);
      }
    }
  }

  storedField(field: Field, name: string): void {
    for (const draft of this.#withInherited(field)) {
      if (!("stored" in draft)) continue;
      draft.stored = name;
      this.#named.add(draft);
      this.#kept.delete(draft);
    }
  }

  /** Fields that were recorded as keys but hold no value, for example because a later plugin computes them. */
  misplacedKeys(): readonly Field[] {
    const now = (fields: ReadonlySet<Field>) => [...fields].flatMap(({ owner, name }) => this.#type(owner).fields.get(name) ?? []);
    return [
      ...now(this.#keyed).filter(({ role }) => role !== "value"),
      ...now(this.#scopes).filter(({ role }) => role !== "value" && role !== "link"),
    ];
  }

  key(field: Field, scope: "type" | "interface", within: readonly Field[] = []): void {
    this.#keyed.add(field);
    for (const each of within) this.#scopes.add(each);
    for (const draft of this.#withInherited(field)) {
      if (draft.role !== "value") continue;
      const owner = this.#type(draft.owner);
      const across = scope === "interface" && draft.origin.kind === "interface" ? draft.origin : undefined;
      const key: Key = { field: draft, scope: (across ?? owner).members, across };
      const others = owner.keys.filter((each) => each.field !== draft);
      const othersWithin = owner.scopedKeys.filter((each) => each.field !== draft);
      owner.keys = within.length === 0 ? inFieldOrder(owner, [...others, key]) : others;
      owner.scopedKeys = within.length === 0 ? othersWithin : inFieldOrder(owner, [...othersWithin, { ...key, within: scopeIn(owner, within) }]);
    }
    const owner = this.#type(field.owner);
    if (owner.kind === "interface") this.#showLinksTo(owner);
  }

  givenId(field: IdField): void {
    for (const { name, owner, origin, definition, type } of this.#withInherited(field)) {
      const stored = defaultStoredName(this.#type(origin), name);
      const exposure = { ...hidden, output: true };
      const base = { name, owner, origin, definition, type, exposure };
      const draft: ValueDraft = { ...base, role: "value", kind: "string", stored, enum: undefined, ...plainValue };
      const holder = this.#type(owner);
      holder.fields.set(name, draft);
      holder.idField = undefined;
    }
  }

  inverse(field: LinkField, other: LinkField): void {
    for (const draft of this.#links(field)) draft.inverse = other;
    for (const draft of this.#links(other)) draft.inverse = field;
  }

  reverse(field: LinkField, forward: LinkField): void {
    for (const draft of this.#links(field)) draft.reverseOf = forward;
    this.exposure(field, { input: false });
  }

  exposure(field: Field, change: Partial<Exposure>): void {
    for (const draft of this.#withInherited(field)) {
      this.#exposures.set(draft, { ...this.#exposures.get(draft), ...change });
      draft.exposure = { ...draft.exposure, ...change };
    }
  }

  optionalOnAdd(field: ValueField): void {
    for (const draft of this.#values(field)) draft.optionalOnAdd = true;
  }

  /** Callers get other values of the field than the stored ones, so that nothing may compare it. */
  transformed(field: ValueField): void {
    // An interface offers what holds for all of its types.
    const above = interfacesOf(this.#type(field.owner)).flatMap(({ fields }) => fields.get(field.name) ?? []);
    for (const draft of [...this.#withInherited(field), ...above]) {
      if (draft.role !== "value") continue;
      draft.transformed = true;
      draft.exposure = { ...draft.exposure, order: false, aggregate: "none" };
    }
  }

  vector(field: ValueField): void {
    for (const draft of this.#values(field)) draft.kind = "vector";
  }

  collation(field: ValueField, tag: string): void {
    for (const draft of this.#values(field)) draft.collation = tag;
  }

  inputField(type: NodeType, field: Parameters<Recorder["inputField"]>[1]): void {
    const origin = this.#type(type);
    const definition = inputOnlyDefinition(field, type);
    for (const owner of origin.kind === "interface" ? [origin, ...origin.members] : [origin]) {
      const draft: ValueDraft = {
        role: "value",
        name: field.name,
        owner,
        origin,
        definition,
        type: { name: field.type ?? "String", list: false, nonNull: field.nonNull, itemNonNull: false },
        exposure: { ...hidden, input: true },
        kind: field.kind,
        stored: field.stored ?? defaultStoredName(origin, field.name),
        enum: undefined,
        ...plainValue,
      };
      owner.fields.set(field.name, draft);
      if (field.stored !== undefined) this.#named.add(draft);
    }
  }

  outputField(type: NodeType, { name, type: typeName }: Parameters<Recorder["outputField"]>[1]): void {
    const origin = this.#type(type);
    for (const owner of origin.kind === "interface" ? [origin, ...origin.members] : [origin]) {
      if (owner.fields.has(name)) continue;
      const definition: FieldDefinitionNode = {
        kind: Kind.FIELD_DEFINITION,
        name: nameNode(name),
        type: { kind: Kind.NAMED_TYPE, name: nameNode(typeName) },
      };
      const fieldType = { name: typeName, list: false, nonNull: false, itemNonNull: false };
      const exposure = { ...hidden, output: true, has: true };
      const draft: FieldDraft = { role: "computed", name, owner, origin, definition, type: fieldType, exposure };
      owner.fields.set(name, draft);
      this.#computed.add(draft);
      owner.definition = { ...owner.definition, fields: [...(owner.definition.fields ?? []), definition] };
    }
  }

  computed(field: Field): void {
    for (const { name, owner, origin, definition, type } of this.#withInherited(field)) {
      const draft: FieldDraft = { role: "computed", name, owner, origin, definition, type, exposure: hidden };
      draft.exposure = defaultExposure(draft);
      this.#type(owner).fields.set(name, draft);
      this.#computed.add(draft);
    }
  }

  /** Whether a plugin computes the field, which is one of the model as it is now. */
  isComputed(field: Field): boolean {
    return this.#computed.has(field);
  }

  enableOperation(type: NodeType, operation: string): void {
    this.#type(type).enable(operation);
  }

  disableOperation(type: NodeType, operation: string): void {
    this.#type(type).disable(operation);
  }

  directive(field: Field, name: string, args: Readonly<Record<string, string>>): void {
    const shown: ConstDirectiveNode = {
      kind: Kind.DIRECTIVE,
      name: nameNode(name),
      arguments: Object.entries(args).map(([key, value]) => ({ kind: Kind.ARGUMENT, name: nameNode(key), value: valueNode(value) })),
    };
    for (const draft of this.#withInherited(field)) {
      draft.definition = { ...draft.definition, directives: [...(draft.definition.directives ?? []), shown] };
    }
  }

  #type(type: NodeType): NodeTypeDraft {
    const draft = this.#model.nodeTypes.get(type.name);
    if (!draft) throw new TypeError(`Type ${type.name} is not part of the model that is being built.`);
    return draft;
  }

  /** The draft of the field, and for an interface field those of all types that inherit it. */
  #withInherited(field: Field): readonly FieldDraft[] {
    const owner = this.#type(field.owner);
    const own = owner.fields.get(field.name);
    if (!own) throw new TypeError(`Type ${owner.name} has no field ${field.name}.`);
    if (owner.kind === "object") return [own];
    const inherited = owner.members.flatMap((member) => {
      const copy = member.fields.get(field.name);
      return copy?.origin === owner ? [copy] : [];
    });
    return [own, ...inherited];
  }

  #links(field: LinkField): readonly LinkDraft[] {
    return this.#withInherited(field).filter((draft) => draft.role === "link");
  }

  #values(field: ValueField): readonly ValueDraft[] {
    return this.#withInherited(field).filter((draft) => draft.role === "value");
  }

  /** A link to an interface becomes writable when the interface has a key. */
  #showLinksTo(target: NodeTypeDraft): void {
    for (const type of this.#model.nodeTypes.values()) {
      for (const field of type.fields.values()) {
        if (field.role !== "link" || field.target !== target) continue;
        field.exposure = { ...defaultExposure(field), ...this.#exposures.get(field) };
      }
    }
  }
}

function interfacesOf(type: NodeTypeDraft): readonly NodeTypeDraft[] {
  return type.interfaces.flatMap((each) => [each, ...interfacesOf(each)]);
}

function declaredFields(type: NodeTypeDraft): readonly FieldDraft[] {
  return [...type.fields.values()].filter((field) => field.origin === type);
}

/** The fields of the same names, in a type that may inherit them. */
function scopeIn(type: NodeTypeDraft, within: readonly Field[]): readonly (ValueDraft | LinkDraft)[] {
  return within.map(({ name }) => {
    const field = type.fields.get(name);
    if (field?.role === "value" || field?.role === "link") return field;
    throw new TypeError(`Type ${type.name} has no stored field ${name} that a key could be unique within.`);
  });
}

function inFieldOrder<K extends Key>(type: NodeTypeDraft, keys: readonly K[]): readonly K[] {
  const order = [...type.fields.keys()];
  return [...keys].sort((a, b) => order.indexOf(a.field.name) - order.indexOf(b.field.name));
}

function inputOnlyDefinition(
  { name, nonNull, type: typeName = "String" }: { readonly name: string; readonly nonNull: boolean; readonly type?: string },
  type: NodeType,
): FieldDefinitionNode {
  const text: TypeNode = { kind: Kind.NAMED_TYPE, name: nameNode(typeName) };
  return {
    kind: Kind.FIELD_DEFINITION,
    name: { ...type.definition.name, value: name },
    type: nonNull ? { kind: Kind.NON_NULL_TYPE, type: text } : text,
  };
}

function nameNode(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

/** Names become enum values, other texts strings. */
function valueNode(value: string): ConstValueNode {
  const isName = /^[_A-Za-z][_0-9A-Za-z]*$/u.test(value) && !["true", "false", "null"].includes(value);
  return isName ? { kind: Kind.ENUM, value } : { kind: Kind.STRING, value };
}
