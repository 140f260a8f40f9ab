// One level of a plan: what the objects behind a field show, by concrete type, and everything that has to be read for it.

import { type FieldNode, type GraphQLField, GraphQLString, isInterfaceType, isObjectType } from "graphql";
import type { LinkField, NodeType, UnionType, ValueField } from "../../contracts/model.ts";
import type { TypeName } from "../../ground/values/value.ts";
import type { Api, OutputField } from "../../schema/api/api.ts";
import { type Cascade, cascadeOf, requires } from "./cascade.ts";
import { type CollectContext, type CollectedField, collectFields } from "./collect-fields.ts";
import { concreteTypes } from "./concrete-types.ts";
import { noArguments, planArguments } from "./plan-arguments.ts";
import { planConnection } from "./plan-connection.ts";
import { planGroups } from "./plan-groups.ts";
import { nodesOf, opening, planGeo, planJson, planMeasures, selectedField } from "./plan-parts.ts";
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
}

export interface LevelRequest {
  readonly target: NodeType | UnionType;
  readonly nodes: readonly FieldNode[];
  readonly arguments: PlannedArguments;
  readonly inherited: Cascade;
}

export function planLevel(context: PlanContext, request: LevelRequest): Level {
  const types = concreteTypes(request.target);
  const cascade = cascadeOf(request.nodes, request.target, request.inherited, context.variables);
  const draft = new LevelDraft(context, request.target, types, cascade);
  const shapes = new Map(types.map((type): [TypeName, Shape] => [type.stored, { type, members: draft.membersOf(type, request.nodes) }]));
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
    cascade: draft.requirements(links),
    arguments: request.arguments,
    constant: request.arguments.constant && dynamic.every(Boolean),
  });
}

/** The objects of a link by which nodes are grouped. */
export function planKeyLevel(context: PlanContext, { target }: LinkField, nodes: readonly FieldNode[]): Level {
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
  readonly #nodeIds = new Map<FieldNode, number>();

  constructor(context: PlanContext, { name }: LevelRequest["target"], types: readonly NodeType[], cascade: Cascade) {
    this.#context = context;
    this.#target = name;
    this.#types = types;
    this.#cascade = cascade;
  }

  membersOf(type: NodeType, nodes: readonly FieldNode[]): readonly Member[] {
    const output = this.#context.api.outputs.get(type.name);
    const fields = output?.kind === "node" ? output.fields : new Map<string, OutputField>();
    const definitions = fieldDefinitions(this.#context, type.name);
    const members: Member[] = [];
    for (const field of collectFields(this.#context, type.name, nodes)) {
      const base = { key: field.key, opening: opening(members.length, field.key), node: field.node };
      const shown = fields.get(field.name);
      if (field.name === "__typename") members.push({ ...base, kind: "typename", text: JSON.stringify(type.name) });
      else if (shown) members.push(this.#member(base, { type, field, shown, definition: definitions?.[field.name] }));
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
  requirements(links: readonly LinkStep[]): readonly Requirement[] {
    const values = [...this.#required].map((field): Requirement => [{ types: undefined, needs: { kind: "value", field } }]);
    const byKey = new Map<string, RequirementCase[]>();
    links.forEach((step, link) => {
      if (!requires(this.#cascade, step.field.stored)) return;
      const cases = byKey.get(`${step.label} ${step.field.stored}`) ?? [];
      cases.push({ types: step.everyType ? undefined : [...step.types], needs: { kind: "link", link } });
      byKey.set(`${step.label} ${step.field.stored}`, cases);
    });
    return [...values, ...byKey.values()];
  }

  #member(base: Pick<Member, "key" | "opening" | "node">, request: MemberRequest): Member {
    const { shown } = request;
    if (shown.kind === "aggregate") return { ...base, kind: "aggregate", aggregate: this.#aggregate(request, shown) };
    if (shown.kind === "connection") return { ...base, kind: "connection", connection: this.#connection(request, shown) };
    if (shown.kind === "groups") return { ...base, kind: "groups", groups: this.#group(request, shown) };
    if (shown.kind === "computed") return { ...base, kind: "computed", json: this.#json(request), computed: this.#compute(request, shown) };
    const { field } = shown;
    switch (field.role) {
      case "id":
        return { ...base, kind: "id" };
      case "value":
        if (requires(this.#cascade, field.stored)) this.#required.add(field.stored);
        return { ...base, kind: "value", field, column: this.#column(field.stored), geo: this.#geo(field, request.field) };
      case "link":
        return { ...base, kind: "link", field, link: this.#link(request, field) };
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

  #link({ type, field, definition }: MemberRequest, link: LinkStep["field"]): number {
    return this.#share(this.#links, `link ${this.#identity(field)} ${link.stored}`, type, () => {
      const many = link.type.list;
      const args = planArguments(definition, field.node);
      const level = planLevel(this.#context, { target: link.target, nodes: field.nodes, arguments: args, inherited: this.#cascade });
      const column = many || (field.node.arguments ?? []).length > 0 ? undefined : this.#column(link.stored);
      return { field: link, many, column, level, label: field.key === field.name ? field.name : `${field.key}: ${field.name}` };
    });
  }

  #aggregate({ type, field, definition }: MemberRequest, shown: Extract<OutputField, { kind: "aggregate" }>): number {
    return this.#share(this.#aggregates, `aggregate ${this.#identity(field)} ${shown.of.stored}`, type, () => ({
      field: shown.of,
      arguments: planArguments(definition, field.node),
      measures: planMeasures(this.#context, aggregateName(definition), field.nodes),
      label: field.key === field.name ? field.name : `${field.key}: ${field.name}`,
    }));
  }

  #connection({ type, field, definition }: MemberRequest, { of, target }: Extract<OutputField, { kind: "connection" }>): number {
    return this.#share(this.#connections, `connection ${this.#identity(field)} ${of.stored}`, type, () => {
      const request = { target, nodes: field.nodes, arguments: planArguments(definition, field.node), inherited: this.#cascade };
      return {
        field: of,
        connection: planConnection(this.#context, request, (place) => planLevel(this.#context, place)),
        label: field.key === field.name ? field.name : `${field.key}: ${field.name}`,
      };
    });
  }

  #group({ type, field, definition }: MemberRequest, { of, target }: Extract<OutputField, { kind: "groups" }>): number {
    return this.#share(this.#groups, `groups ${this.#identity(field)} ${of.stored}`, type, () => ({
      field: of,
      groups: planGroups(this.#context, { target, nodes: field.nodes, arguments: planArguments(definition, field.node) }, (link, nodes) =>
        planKeyLevel(this.#context, link, nodes),
      ),
      label: field.key === field.name ? field.name : `${field.key}: ${field.name}`,
    }));
  }

  #compute({ type, field, definition }: MemberRequest, shown: Extract<OutputField, { kind: "computed" }>): number {
    const { computed } = shown;
    const output = { parentType: this.#target, type: definition?.type ?? GraphQLString };
    return this.#share(this.#computed, `computed ${this.#identity(field)} ${computed.field.owner.name}`, type, () => ({
      computed,
      needs: computed.needs.map((name) => this.#column(name)),
      arguments: planArguments(definition, field.node),
      selected: selectedField(this.#context, field, output),
    }));
  }

  /** Index of the step named `identity`, made on first sight; `type` selects it. */
  #share<Step>(drafts: Draft<Step>[], identity: string, type: NodeType, make: () => Draft<Step>["step"]): number {
    const known = this.#places.get(identity) ?? drafts.push({ step: make(), types: new Set() }) - 1;
    this.#places.set(identity, known);
    drafts[known]?.types.add(type.stored);
    return known;
  }

  /** Fields of two types are one step when the same places in the document ask for them under the same key. */
  #identity(field: CollectedField): string {
    const ids = field.nodes.map((node) => {
      const id = this.#nodeIds.get(node) ?? this.#nodeIds.size;
      this.#nodeIds.set(node, id);
      return id;
    });
    return `${field.key} ${ids.join(",")}`;
  }

  #column(name: string): number {
    const place = this.columns.indexOf(name);
    return place >= 0 ? place : this.columns.push(name) - 1;
  }
}

interface MemberRequest {
  readonly type: NodeType;
  readonly field: CollectedField;
  readonly shown: OutputField;
  readonly definition: GraphQLField<unknown, unknown> | undefined;
}

function fieldDefinitions(context: PlanContext, typeName: string): Readonly<Record<string, GraphQLField<unknown, unknown>>> | undefined {
  const type = context.schema.getType(typeName);
  return isObjectType(type) || isInterfaceType(type) ? type.getFields() : undefined;
}

function aggregateName(definition: GraphQLField<unknown, unknown> | undefined): string {
  return definition ? String(definition.type).replaceAll(/[[\]!]/g, "") : "";
}
