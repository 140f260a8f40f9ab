// One level of a plan: what the objects behind a field show, by concrete type, and everything that has to be read for it.

import { type FieldNode, type GraphQLField, GraphQLString, isInterfaceType, isObjectType } from "graphql";
import type { LinkField, NodeType, UnionType, ValueField } from "../../contracts/model.ts";
import type { FieldName, TypeName } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import type { Api, OutputField } from "../../schema/api/api.ts";
import { type Cascade, cascadeOf, requires, requiresMeasures } from "./cascade.ts";
import { type CollectContext, type CollectedField, collectFields } from "./collect-fields.ts";
import { concreteTypes } from "./concrete-types.ts";
import { noArguments, planArguments } from "./plan-arguments.ts";
import { planConnection } from "./plan-connection.ts";
import { planGroups } from "./plan-groups.ts";
import { nodesOf, opening, planGeo, planJson, planMeasures, selectedField } from "./plan-parts.ts";
import type { PlannedParts, SelectionCount } from "./planned-parts.ts";
import type {
  AggregateStep,
  ComputedStep,
  ConnectionStep,
  GroupStep,
  JsonSelection,
  Level,
  LinkStep,
  Member,
  PlannedArguments,
  Requirement,
  RequirementCase,
  Shape,
} from "./selection.ts";

export interface PlanContext extends CollectContext {
  readonly api: Api;
  readonly parts: PlannedParts;
  readonly count: SelectionCount;
}

export interface LevelRequest {
  readonly target: NodeType | UnionType;
  readonly nodes: readonly FieldNode[];
  readonly arguments: PlannedArguments;
  readonly inherited: Cascade;
}

export function* planLevel(context: PlanContext, request: LevelRequest): Work<Level> {
  const types = concreteTypes(request.target);
  const cascade = cascadeOf(request.nodes, request.target, request.inherited, context.variables);
  const draft = new LevelDraft(context, request.target, types, cascade);
  const shapes = new Map<TypeName, Shape>();
  for (const type of types) shapes.set(type.stored, { type, members: yield* draft.membersOf(type, request.nodes) });
  const { links, aggregates, connections, groups, computed } = draft.steps();
  const dynamic = [
    ...links.map((each) => each.level.constant),
    ...aggregates.map((each) => each.arguments.constant),
    ...connections.map(({ connection }) => connection.arguments.constant && connection.places.every((place) => place.constant)),
    ...groups.map((each) => each.groups.arguments.constant && each.groups.links.every(({ level }) => level.constant)),
    ...computed.map((each) => each.arguments.constant),
  ];
  return Object.freeze({
    target: request.target,
    types,
    shapes,
    width: Math.max(1, ...[...shapes.values()].map(({ members }) => members.length)),
    columns: draft.columns,
    links,
    aggregates,
    connections,
    groups,
    computed,
    cascade: draft.requirements(links, aggregates),
    arguments: request.arguments,
    constant: request.arguments.constant && dynamic.every(Boolean),
  });
}

/** The objects of a link by which nodes are grouped. */
export function planKeyLevel(context: PlanContext, { target }: LinkField, nodes: readonly FieldNode[]): Work<Level> {
  return planLevel(context, { target, nodes, arguments: noArguments, inherited: "none" });
}

/** A step while the concrete types that share it are still being found. */
type Draft<Step> = { step: Omit<Step, "types" | "everyType">; types: Set<TypeName> };

/** Collects what the types of one level need; what two types select alike is read once. */
class LevelDraft {
  readonly columns: string[] = [];
  readonly #context: PlanContext;
  /** Name of the declared type. */
  readonly #target: string;
  readonly #types: readonly NodeType[];
  readonly #cascade: Cascade;
  readonly #links: Draft<LinkStep>[] = [];
  readonly #aggregates: Draft<AggregateStep>[] = [];
  readonly #connections: Draft<ConnectionStep>[] = [];
  readonly #groups: Draft<GroupStep>[] = [];
  readonly #computed: Draft<ComputedStep>[] = [];
  readonly #places = new Map<string, number>();
  readonly #required = new Set<string>();

  constructor(context: PlanContext, { name }: LevelRequest["target"], types: readonly NodeType[], cascade: Cascade) {
    this.#context = context;
    this.#target = name;
    this.#types = types;
    this.#cascade = cascade;
  }

  *membersOf(type: NodeType, nodes: readonly FieldNode[]): Work<readonly Member[]> {
    const output = this.#context.api.outputs.get(type.name);
    const fields = output?.kind === "node" ? output.fields : new Map<string, OutputField>();
    const definitions = fieldDefinitions(this.#context, type.name);
    const members: Member[] = [];
    for (const field of collectFields(this.#context, type.name, nodes)) {
      if (members.length % stepMembers === 0) yield;
      const base = { key: field.key, opening: opening(members.length, field.key), node: field.node };
      const shown = fields.get(field.name);
      if (field.name === "__typename") members.push({ ...base, kind: "typename", text: JSON.stringify(type.name) });
      else if (shown) members.push(yield* this.#member(base, { type, field, shown, definition: definitions?.[field.name] }));
    }
    return members;
  }

  /** With `types` complete. */
  steps(): Pick<Level, "links" | "aggregates" | "connections" | "groups" | "computed"> {
    const complete = <Step>({ step, types }: Draft<Step>) => ({ ...step, types, everyType: types.size === this.#types.length });
    return {
      links: this.#links.map(complete<LinkStep>),
      aggregates: this.#aggregates.map(complete<AggregateStep>),
      connections: this.#connections.map(complete<ConnectionStep>),
      groups: this.#groups.map(complete<GroupStep>),
      computed: this.#computed.map(complete<ComputedStep>),
    };
  }

  /** A field that only some types select counts as missing on the others. */
  requirements(links: readonly LinkStep[], aggregates: readonly AggregateStep[]): readonly Requirement[] {
    const values = [...this.#required].map((field): Requirement => [{ types: undefined, needs: { kind: "value", field } }]);
    const byKey = new Map<string, RequirementCase[]>();
    const need = (key: string, { everyType, types }: Pick<LinkStep, "everyType" | "types">, needs: RequirementCase["needs"]) =>
      byKey.set(key, [...(byKey.get(key) ?? []), { types: everyType ? undefined : [...types], needs }]);
    for (const [link, step] of links.entries()) {
      if (requires(this.#cascade, step.field.stored)) need(`${step.label} ${step.field.stored}`, step, { kind: "link", link });
    }
    for (const [aggregate, step] of aggregates.entries()) {
      if (!requiresMeasures(this.#cascade, step.field.stored)) continue;
      for (const field of measuredFields(step)) need(`${step.label} ${step.field.stored} ${field}`, step, { kind: "measure", aggregate, field });
    }
    return [...values, ...byKey.values()];
  }

  *#member(base: Pick<Member, "key" | "opening" | "node">, request: MemberRequest): Work<Member> {
    const { shown } = request;
    if (shown.kind === "aggregate") return { ...base, kind: "aggregate", aggregate: this.#aggregate(request, shown) };
    if (shown.kind === "connection") return { ...base, kind: "connection", connection: yield* this.#connection(request, shown) };
    if (shown.kind === "groups") return { ...base, kind: "groups", groups: yield* this.#group(request, shown) };
    if (shown.kind === "computed") return { ...base, kind: "computed", json: this.#json(request), computed: this.#compute(request, shown) };
    const { field } = shown;
    switch (field.role) {
      case "id":
        return { ...base, kind: "id" };
      case "value":
        if (requires(this.#cascade, field.stored)) this.#required.add(field.stored);
        return { ...base, kind: "value", field, column: this.#column(field.stored), geo: this.#geo(field, request.field) };
      case "link":
        return { ...base, kind: "link", field, link: yield* this.#link(request, field) };
      case "computed":
        // Its plugin offers no way to compute it: nothing is there.
        return { ...base, kind: "typename", text: "null" };
    }
  }

  #geo(field: ValueField, collected: CollectedField) {
    return field.kind === "geo" ? planGeo(this.#context, field.type.name, collected.nodes) : undefined;
  }

  #json({ field, definition }: MemberRequest): JsonSelection {
    return planJson(this.#context, definition?.type ?? GraphQLString, nodesOf(field));
  }

  *#link({ type, field, definition }: MemberRequest, link: LinkStep["field"]): Work<number> {
    const identity = `link ${this.#identity(field)} ${link.stored}`;
    return (
      this.#known(this.#links, identity, type) ?? this.#add(this.#links, { identity, type, step: yield* this.#linkStep(field, definition, link) })
    );
  }

  *#linkStep(field: CollectedField, definition: Definition, link: LinkField): Work<Draft<LinkStep>["step"]> {
    const many = link.type.list;
    const column = many || (field.node.arguments ?? []).length > 0 ? undefined : this.#column(link.stored);
    const request = { target: link.target, nodes: field.nodes, arguments: planArguments(definition, field.node), inherited: this.#cascade };
    const level = yield* this.#context.parts.level(this.#partOf(field, link), this.#context.count, () => planLevel(this.#context, request));
    return { field: link, many, column, level, label: labelOf(field) };
  }

  #aggregate({ type, field, definition }: MemberRequest, { of }: Extract<OutputField, { kind: "aggregate" }>): number {
    const identity = `aggregate ${this.#identity(field)} ${of.stored}`;
    const known = this.#known(this.#aggregates, identity, type);
    if (known !== undefined) return known;
    const measures = planMeasures(this.#context, aggregateName(definition), field.nodes);
    const step = { field: of, arguments: planArguments(definition, field.node), measures, label: labelOf(field) };
    return this.#add(this.#aggregates, { identity, type, step });
  }

  *#connection({ type, field, definition }: MemberRequest, { of, target }: Extract<OutputField, { kind: "connection" }>): Work<number> {
    const identity = `connection ${this.#identity(field)} ${of.stored}`;
    const known = this.#known(this.#connections, identity, type);
    if (known !== undefined) return known;
    const { parts, count } = this.#context;
    const request = { target, nodes: field.nodes, arguments: planArguments(definition, field.node), inherited: this.#cascade };
    const connection = yield* parts.connection(this.#partOf(field, of), count, () =>
      planConnection(this.#context, request, (place) => planLevel(this.#context, place)),
    );
    return this.#add(this.#connections, { identity, type, step: { field: of, connection, label: labelOf(field) } });
  }

  *#group({ type, field, definition }: MemberRequest, { of, target }: Extract<OutputField, { kind: "groups" }>): Work<number> {
    const identity = `groups ${this.#identity(field)} ${of.stored}`;
    const known = this.#known(this.#groups, identity, type);
    if (known !== undefined) return known;
    const { parts, count } = this.#context;
    const request = { target, nodes: field.nodes, arguments: planArguments(definition, field.node) };
    const groups = yield* parts.groups(this.#partOf(field, of), count, () =>
      planGroups(this.#context, request, (link, nodes) => planKeyLevel(this.#context, link, nodes)),
    );
    return this.#add(this.#groups, { identity, type, step: { field: of, groups, label: labelOf(field) } });
  }

  #compute({ type, field, definition }: MemberRequest, { computed }: Extract<OutputField, { kind: "computed" }>): number {
    const identity = `computed ${this.#identity(field)} ${computed.field.owner.name}`;
    const known = this.#known(this.#computed, identity, type);
    if (known !== undefined) return known;
    const output = { parentType: this.#target, type: definition?.type ?? GraphQLString };
    const step = {
      computed,
      needs: computed.needs.map((name) => this.#column(name)),
      arguments: planArguments(definition, field.node),
      selected: selectedField(this.#context, field, output),
    };
    return this.#add(this.#computed, { identity, type, step });
  }

  /** Index of the step with this identity, which `type` selects too; undefined: it is new. */
  #known<Step>(drafts: readonly Draft<Step>[], identity: string, type: NodeType): number | undefined {
    const place = this.#places.get(identity);
    if (place !== undefined) drafts[place]?.types.add(type.stored);
    return place;
  }

  #add<Step>(drafts: Draft<Step>[], { identity, type, step }: { identity: string; type: NodeType; step: Draft<Step>["step"] }): number {
    const place = drafts.push({ step, types: new Set([type.stored]) }) - 1;
    this.#places.set(identity, place);
    return place;
  }

  /** Fields of two types are one step when the same places in the document ask for them under the same key. */
  #identity({ key, nodes }: CollectedField): string {
    return `${key} ${this.#context.parts.identityOf(nodes)}`;
  }

  /** What decides the nodes of `link` and what they show. The places in the document decide the arguments. */
  #partOf({ nodes }: CollectedField, link: LinkField): string {
    const cascade = typeof this.#cascade === "string" ? this.#cascade : `of ${[...this.#cascade].join(" ")}`;
    return `${link.stored} ${this.#context.parts.identityOf(nodes)} ${cascade}`;
  }

  #column(name: string): number {
    const place = this.columns.indexOf(name);
    return place >= 0 ? place : this.columns.push(name) - 1;
  }
}

function measuredFields({ measures }: AggregateStep): ReadonlySet<FieldName> {
  return new Set(measures.measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field])));
}

interface MemberRequest {
  readonly type: NodeType;
  readonly field: CollectedField;
  readonly shown: OutputField;
  readonly definition: Definition;
}

type Definition = GraphQLField<unknown, unknown> | undefined;

/** `crew: boats` for people. */
function labelOf({ key, name }: CollectedField): string {
  return key === name ? name : `${key}: ${name}`;
}

/** Members of one type that are planned in one step. */
const stepMembers = 128;

function fieldDefinitions(context: PlanContext, typeName: string): Readonly<Record<string, GraphQLField<unknown, unknown>>> | undefined {
  const type = context.schema.getType(typeName);
  return isObjectType(type) || isInterfaceType(type) ? type.getFields() : undefined;
}

function aggregateName(definition: Definition): string {
  return definition ? String(definition.type).replaceAll(/[[\]!]/g, "") : "";
}
