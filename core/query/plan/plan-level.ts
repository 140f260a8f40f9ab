// One level of a plan: what the objects behind a field show, by concrete type, and everything that has to be read for it.

import { type FieldNode, type GraphQLField, GraphQLString, isInterfaceType, isObjectType } from "graphql";
import type { LinkField, NodeType, UnionType, ValueField } from "../../contracts/model.ts";
import type { ListKind, ListStep, NodeSelection, ObjectsRequest, SelectedMember, StepPlanner } from "../../contracts/plugin/level-step.ts";
import type { TypeName } from "../../ground/values/value.ts";
import type { Work } from "../../ground/work.ts";
import type { Api, OutputField } from "../../schema/api/api.ts";
import { concreteTypes } from "../level/concrete-types.ts";
import { Level, type PlacedStep, type Requirement, type RequirementCase, type StepNeed } from "../level/level.ts";
import type { PlannedArguments } from "../level/selection.ts";
import type { Member, Shape } from "../level/shapes.ts";
import { shownColumns } from "../level/shown-columns.ts";
import { AggregateStep } from "../steps/aggregate.ts";
import { ComputedStep } from "../steps/computed.ts";
import { LinkStep } from "../steps/link.ts";
import { type Cascade, cascadeOf, requires, requiresMeasures } from "./cascade.ts";
import { type CollectContext, type CollectedField, collectFields } from "./collect-fields.ts";
import { noArguments, planArguments } from "./plan-arguments.ts";
import { nodesOf, opening, planGeo, planJson, planMeasures, selectedField } from "./plan-parts.ts";
import type { PlannedParts, SelectionCount } from "./planned-parts.ts";

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
  const steps = draft.steps();
  return new Level({
    target: request.target,
    types,
    shapes,
    columns: draft.columns,
    shown: shownColumns(draft.columns, context.api.shown),
    steps,
    cascade: draft.requirements(steps),
    arguments: request.arguments,
  });
}

/** A step while the concrete types that share it are still being found. */
interface Draft {
  readonly step: ListStep;
  readonly label: string;
  readonly link: LinkField | undefined;
  readonly types: Set<TypeName>;
  /** What `@cascade` asks of it. */
  readonly needs: readonly StepNeed[];
}

/** Collects what the types of one level need; what two types select alike is read once. */
class LevelDraft {
  readonly columns: string[] = [];
  readonly #context: PlanContext;
  /** Name of the declared type. */
  readonly #target: string;
  readonly #types: readonly NodeType[];
  readonly #cascade: Cascade;
  readonly #drafts: Draft[] = [];
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
  steps(): readonly PlacedStep[] {
    return this.#drafts.map(({ step, label, link, types }) => ({ step, label, link, types, everyType: types.size === this.#types.length }));
  }

  /** A field that only some types select counts as missing on the others. */
  requirements(steps: readonly PlacedStep[]): readonly Requirement[] {
    const values = [...this.#required].map((field): Requirement => [{ types: undefined, needs: { kind: "value", field } }]);
    const byName = new Map<string, RequirementCase[]>();
    for (const [step, { everyType, types }] of steps.entries()) {
      for (const need of this.#drafts[step]?.needs ?? []) {
        const cases = byName.get(need.name) ?? [];
        byName.set(need.name, cases);
        cases.push({ types: everyType ? undefined : [...types], needs: { kind: "step", step, need } });
      }
    }
    return [...values, ...byName.values()];
  }

  *#member(base: Pick<Member, "key" | "opening" | "node">, request: MemberRequest): Work<Member> {
    const { shown } = request;
    if (shown.kind === "aggregate") return { ...base, kind: "step", step: this.#aggregate(request, shown) };
    if (shown.kind === "list") return { ...base, kind: "step", step: yield* this.#list(request, shown) };
    if (shown.kind === "computed") return { ...base, kind: "step", step: this.#compute(request, shown) };
    const { field } = shown;
    switch (field.role) {
      case "id":
        return { ...base, kind: "id" };
      case "value":
        if (requires(this.#cascade, field.stored)) this.#required.add(field.stored);
        return { ...base, kind: "value", field, column: this.#column(field.stored), geo: this.#geo(field, request.field) };
      case "link":
        return { ...base, kind: "step", step: yield* this.#link(request, field) };
      case "computed":
        // Its plugin offers no way to compute it: nothing is there.
        return { ...base, kind: "typename", text: "null" };
    }
  }

  #geo(field: ValueField, collected: CollectedField) {
    return field.kind === "geo" ? planGeo(this.#context, field.type.name, collected.nodes) : undefined;
  }

  *#link({ type, field, definition }: MemberRequest, link: LinkField): Work<number> {
    const identity = `link ${this.#identity(field)} ${link.stored}`;
    const known = this.#known(identity, type);
    if (known !== undefined) return known;
    const column = link.type.list || (field.node.arguments ?? []).length > 0 ? undefined : this.#column(link.stored);
    const request = { target: link.target, nodes: field.nodes, arguments: planArguments(definition, field.node), inherited: this.#cascade };
    const level = yield* this.#context.parts.level(this.#partOf(field, link), this.#context.count, () => planLevel(this.#context, request));
    const step = new LinkStep({ field: link, column, level });
    const label = labelOf(field);
    return this.#add(identity, {
      step,
      label,
      link,
      types: new Set([type.stored]),
      needs: requires(this.#cascade, link.stored) ? [step.need(label)] : [],
    });
  }

  #aggregate({ type, field, definition }: MemberRequest, { of }: Extract<OutputField, { kind: "aggregate" }>): number {
    const identity = `aggregate ${this.#identity(field)} ${of.stored}`;
    const known = this.#known(identity, type);
    if (known !== undefined) return known;
    const measures = planMeasures(this.#context, aggregateName(definition), field.nodes);
    const step = new AggregateStep({ target: of.target, link: of, arguments: planArguments(definition, field.node), measures });
    const label = labelOf(field);
    const needs = requiresMeasures(this.#cascade, of.stored) ? step.needs(label, of.stored) : [];
    return this.#add(identity, { step, label, link: of, types: new Set([type.stored]), needs });
  }

  *#list({ type, field, definition }: MemberRequest, { of, list }: Extract<OutputField, { kind: "list" }>): Work<number> {
    const identity = `list ${this.#identity(field)} ${of.stored}`;
    const known = this.#known(identity, type);
    if (known !== undefined) return known;
    const { parts, count } = this.#context;
    const place = { list, link: of, nodes: field.nodes, arguments: planArguments(definition, field.node), inherited: this.#cascade };
    const step = yield* parts.step(this.#partOf(field, of), count, () => planList(this.#context, place));
    return this.#add(identity, { step, label: labelOf(field), link: of, types: new Set([type.stored]), needs: [] });
  }

  #compute({ type, field, definition }: MemberRequest, { computed }: Extract<OutputField, { kind: "computed" }>): number {
    const identity = `computed ${this.#identity(field)} ${computed.field.owner.name}`;
    const json = planJson(this.#context, definition?.type ?? GraphQLString, nodesOf(field));
    const known = this.#known(identity, type);
    const shared = known === undefined ? undefined : this.#drafts[known]?.step;
    if (known !== undefined && shared instanceof ComputedStep) {
      shared.json.set(type.stored, json);
      return known;
    }
    const output = { parentType: this.#target, type: definition?.type ?? GraphQLString };
    const step = new ComputedStep({
      computed,
      needs: computed.needs.map((name) => this.#column(name)),
      arguments: planArguments(definition, field.node),
      selected: selectedField(this.#context, field, output),
    });
    step.json.set(type.stored, json);
    return this.#add(identity, { step, label: computed.field.name, link: undefined, types: new Set([type.stored]), needs: [] });
  }

  /** Index of the step with this identity, which `type` selects too; undefined: it is new. */
  #known(identity: string, type: NodeType): number | undefined {
    const place = this.#places.get(identity);
    if (place !== undefined) this.#drafts[place]?.types.add(type.stored);
    return place;
  }

  #add(identity: string, draft: Draft): number {
    const place = this.#drafts.push(draft) - 1;
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

interface MemberRequest {
  readonly type: NodeType;
  readonly field: CollectedField;
  readonly shown: OutputField;
  readonly definition: Definition;
}

type Definition = GraphQLField<unknown, unknown> | undefined;

/** A place of a document that selects a list of a plugin's kind. */
export interface ListPlace {
  readonly list: ListKind;
  readonly link: LinkField | undefined;
  readonly nodes: readonly FieldNode[];
  readonly arguments: PlannedArguments;
  readonly inherited: Cascade;
}

export function planList(context: PlanContext, { list, inherited, ...place }: ListPlace): Work<ListStep> {
  return list.plan(place, new LevelPlanner(context, inherited));
}

class LevelPlanner implements StepPlanner {
  readonly #context: PlanContext;
  readonly #inherited: Cascade;

  constructor(context: PlanContext, inherited: Cascade) {
    this.#context = context;
    this.#inherited = inherited;
  }

  fields(typeName: string, nodes: readonly FieldNode[]): readonly SelectedMember[] {
    return collectFields(this.#context, typeName, nodes).map((field, i) => ({ ...field, opening: opening(i, field.key) }));
  }

  objects({ target, nodes, arguments: given = noArguments, cascadeOf: around }: ObjectsRequest): Work<NodeSelection> {
    const inherited = around ? cascadeOf(around, target, this.#inherited, this.#context.variables) : "none";
    return planLevel(this.#context, { target, nodes, arguments: given, inherited });
  }
}

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
