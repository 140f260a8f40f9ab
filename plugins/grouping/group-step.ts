// Groups as a step: planned from the document, bound to the arguments of a request, read, and written as JSON. Storage groups where everybody sees the
// same, else the nodes are grouped here as the caller sees them.

import type { FieldNode } from "graphql";
import {
  and,
  type Batch,
  type BoundObjects,
  type BoundStep,
  type BoundTarget,
  type Group,
  Grouping,
  type LinkField,
  type ListStep,
  type Measure,
  type NodeRows,
  type NodeSelection,
  nodesOfGroup,
  type PlanCosts,
  type PlannedArguments,
  type PlanPrinter,
  type PrintedStep,
  QuernError,
  run,
  type SelectedList,
  type SelectedMember,
  type StepBinder,
  type StepPlanner,
  type StepReader,
  type StepRows,
  type StepWriter,
  scanGroups,
  topInSteps,
  type Uid,
  type ValueField,
  type ValueKind,
  type Variables,
  type Work,
  wait,
} from "../../core/plugin.ts";
import { type GroupShape, placeOf, readGroupArguments } from "./arguments.ts";
import { type Grouped, groupName } from "./definitions.ts";

type Keyed = Pick<SelectedMember, "key" | "opening">;
type Member = Keyed &
  (
    | { readonly kind: "typename"; readonly text: string }
    | { readonly kind: "measure"; readonly measure: number; readonly valueKind: ValueKind; readonly node: FieldNode }
    | { readonly kind: "key"; readonly members: readonly KeyMember[] }
  );
type KeyMember = Keyed &
  (
    | { readonly kind: "typename"; readonly text: string }
    | { readonly kind: "value"; readonly field: ValueField }
    /** Index in `links`. */
    | { readonly kind: "link"; readonly field: LinkField; readonly link: number }
  );

/** The objects of a key that is a link, at one place that selects them. */
interface KeyObjects {
  readonly field: LinkField;
  readonly objects: NodeSelection;
}

/** Estimated nodes of a whole type. */
const manyNodes = 1_000;

export function* planGroups(
  { type }: Grouped,
  shape: GroupShape,
  { nodes, arguments: given, link }: SelectedList,
  planner: StepPlanner,
): Work<ListStep> {
  const measures: Measure[] = [];
  const links: KeyObjects[] = [];
  const members: Member[] = [];
  for (const { key, opening, name, node, nodes: selected } of planner.fields(groupName("Result", type), nodes)) {
    const base = { key, opening };
    const measure = shape.measures.get(name);
    if (name === "key") members.push({ ...base, kind: "key", members: yield* keyMembers(selected) });
    else if (measure) members.push({ ...base, kind: "measure", measure: placeOf(measure.measure, measures), valueKind: measure.kind, node });
    else members.push({ ...base, kind: "typename", text: JSON.stringify(groupName("Result", type)) });
  }
  return new GroupStep({ type, shape, of: link?.stored ?? type.name, arguments: given, members, measures, links });

  function* keyMembers(keys: readonly FieldNode[]): Work<readonly KeyMember[]> {
    const found: KeyMember[] = [];
    for (const { key, opening, name, nodes: selected } of planner.fields(groupName("Keys", type), keys)) {
      const base = { key, opening };
      const field = shape.keys.get(name);
      if (!field) found.push({ ...base, kind: "typename", text: JSON.stringify(groupName("Keys", type)) });
      else if (field.role === "value") found.push({ ...base, kind: "value", field });
      else {
        const objects = yield* planner.objects({ target: field.target, nodes: selected });
        found.push({ ...base, kind: "link", field, link: links.push({ field, objects }) - 1 });
      }
    }
    return found;
  }
}

interface Planned extends Pick<Grouped, "type"> {
  readonly shape: GroupShape;
  /** What is grouped, for people. */
  readonly of: string;
  readonly arguments: PlannedArguments;
  readonly members: readonly Member[];
  /** Distinct. */
  readonly measures: readonly Measure[];
  readonly links: readonly KeyObjects[];
}

class GroupStep implements ListStep {
  readonly planned: Planned;
  readonly arguments: PlannedArguments;

  constructor(planned: Planned) {
    this.planned = planned;
    this.arguments = planned.arguments;
  }

  get selections(): readonly NodeSelection[] {
    return this.planned.links.map(({ objects }) => objects);
  }

  *bind(binder: StepBinder): Work<BoundStep> {
    const { type, shape, links } = this.planned;
    const given = this.arguments.values(binder.variables);
    const target = yield* binder.target({ type, filter: given.filter });
    const partners = new Map<string, BoundTarget>();
    for (const field of shape.keys.values()) {
      if (field.role !== "link") continue;
      const seen = yield* binder.target({ type: field.target, filter: undefined });
      if (!seen.isWhole) partners.set(field.stored, seen);
    }
    const objects: BoundObjects[] = [];
    for (const link of links) objects.push(yield* binder.objects(link.objects));
    return new BoundGroups(this.planned, { given, target, partners, objects });
  }

  print(printer: PlanPrinter): PrintedStep {
    const { of, links } = this.planned;
    const below = links.flatMap(({ field, objects }) => [
      `key ${field.name}: load ${printer.typesOf(objects)}`,
      ...printer.objects(objects).map((line) => printer.indent(line)),
    ]);
    return { what: `groups of ${of}`, below };
  }

  cost({ isRoot }: PlanCosts): number {
    return isRoot ? manyNodes : 1;
  }
}

interface Bound {
  readonly given: Variables;
  readonly target: BoundTarget;
  /** Of links by which nodes can be grouped: the partners that the caller may see, where these are not all. */
  readonly partners: ReadonlyMap<string, BoundTarget>;
  /** Aligned with the links of the step. */
  readonly objects: readonly BoundObjects[];
}

type ManyGroups = readonly (readonly Group[])[];
type Asked = Pick<Parameters<typeof scanGroups>[0], "by" | "measures">;

class BoundGroups implements BoundStep {
  readonly #planned: Planned;
  readonly #bound: Bound;

  constructor(planned: Planned, bound: Bound) {
    this.#planned = planned;
    this.#bound = bound;
  }

  /** @throws QuernError VALUE_INVALID for arguments that contradict each other */
  *read(reader: StepReader): Work<StepRows> {
    const { shape, measures, links, members } = this.#planned;
    const asked = readGroupArguments(this.#bound.given, shape, measures);
    const by = asked.by.map(({ field }) => field);
    const found = yield* this.#groups({ by: asked.by.map(({ field, unit }) => ({ field, unit })), measures: asked.measures }, reader);
    const lists: (readonly Group[])[] = [];
    for (const groups of found) {
      yield;
      lists.push(yield* topInSteps(groups, { passes: asked.passes, compare: asked.compare, page: { offset: asked.offset, first: asked.first } }));
    }
    reader.show(lists.reduce((sum, { length }) => sum + length, 0));
    const nodes: NodeRows[] = [];
    for (const [i, { field }] of links.entries()) {
      const objects = this.#bound.objects[i];
      if (objects) nodes.push(yield* reader.load(objects, keysAt(lists, by.indexOf(field.stored))));
    }
    return new GroupRows({ members, by, lists, nodes });
  }

  *#groups(asked: Asked, reader: StepReader): Work<ManyGroups> {
    const { types, where } = this.#bound.target;
    const { from, end } = reader.parents;
    if (types.length === 0 || where.kind === "none" || from?.length === 0) return (from ?? [0]).map(() => []);
    // Storage may count from an index, without reading a node; the budget counts it as one read.
    reader.budget.spend(1);
    return from && end !== undefined ? yield* this.#linked({ ...asked, from, end }, reader) : [yield* this.#all(asked, reader)];
  }

  *#all(asked: Asked, reader: StepReader): Work<readonly Group[]> {
    const { types, where } = this.#bound.target;
    const { snapshot, budget } = reader;
    const request = { over: { types, where }, ...asked };
    if (!this.#isHiding(asked)) {
      if (!snapshot.group) throw new QuernError("INTERNAL", "Groups were asked of a snapshot that cannot group.");
      return yield* wait(snapshot.group(request));
    }
    const shown = (batch: Batch, columns: readonly string[]) => run(this.#asSeen(batch, columns, reader), reader);
    return yield* wait(scanGroups(request, snapshot, { kindOf: (name) => reader.kindOf(name), budget, shown }));
  }

  *#linked(asked: Asked & { readonly from: readonly Uid[]; readonly end: string }, reader: StepReader): Work<ManyGroups> {
    const { types, where } = this.#bound.target;
    const { from, end } = asked;
    const kindOf = (name: string) => reader.kindOf(name);
    const { columns } = new Grouping(asked, kindOf);
    const filter = where.kind === "all" ? {} : { where };
    const { starts, rows, nodes } = yield* wait(reader.snapshot.follow({ from, end, types, ...filter, fields: columns }));
    const batch = this.#isHiding(asked) ? yield* this.#asSeen(nodes, columns, reader) : nodes;
    const lists: (readonly Group[])[] = [];
    for (let source = 0; source < from.length; source++) {
      yield;
      const grouping = new Grouping(asked, kindOf);
      grouping.take(batch, rows.slice(starts[source], starts[source + 1]));
      reader.budget.spend(grouping.size * nodesOfGroup);
      lists.push(grouping.groups());
    }
    return lists;
  }

  /** Some value or partner that decides the groups is hidden from the caller. */
  #isHiding({ by, measures }: Asked): boolean {
    const { target, partners } = this.#bound;
    const measured = measures.flatMap((measure) => (measure.kind === "count" ? [] : [measure.field]));
    return [...by.map(({ field }) => field), ...measured].some((name) => target.hides(name) || partners.has(name));
  }

  /** The rows without hidden values, and without partners that the caller may not see: such nodes have none. */
  *#asSeen(batch: Batch, columns: readonly string[], reader: StepReader): Work<Batch> {
    const { target, partners } = this.#bound;
    const shown = yield* reader.shown(batch, target, columns);
    const seen: Batch["columns"][number][] = [];
    for (const [c, column] of shown.columns.entries()) {
      const partner = partners.get(columns[c] ?? "");
      const visible = partner && (yield* visiblePartners(column, partner, reader));
      seen.push(visible ? column.map((value) => (typeof value === "number" && visible.has(value) ? value : undefined)) : column);
    }
    return { ...shown, columns: seen };
  }
}

function* visiblePartners(column: Batch["columns"][number], { types, where }: BoundTarget, { snapshot }: StepReader): Work<ReadonlySet<Uid>> {
  const uids = [...new Set(column.filter((value) => typeof value === "number"))].sort((a, b) => a - b);
  if (types.length === 0 || uids.length === 0) return new Set();
  return new Set((yield* wait(snapshot.find({ types, where: and({ kind: "uids", uids }, where), fields: [] }))).uids);
}

/** The distinct nodes of one key. */
function keysAt(lists: ManyGroups, key: number): readonly Uid[] {
  return [...new Set(lists.flatMap((groups) => groups.flatMap(({ keys }) => (typeof keys[key] === "number" ? [keys[key]] : []))))];
}

interface Read {
  readonly members: readonly Member[];
  /** The names of the keys, in the order of `Group.keys`. */
  readonly by: readonly string[];
  /** By source. */
  readonly lists: ManyGroups;
  /** Aligned with the links of the step. Partners that fail what `@cascade` asks of them are not shown. */
  readonly nodes: readonly NodeRows[];
}

class GroupRows implements StepRows {
  readonly #read: Read;

  constructor(read: Read) {
    this.#read = read;
  }

  write(source: number, writer: StepWriter): string {
    let text = "[";
    for (const [i, group] of (this.#read.lists[source] ?? []).entries()) {
      text += `${i === 0 ? "" : ","}${writer.at(i, () => this.#group(group, writer)) ?? "null"}`;
      writer.written(text.length);
    }
    return `${text}]`;
  }

  #group(group: Group, writer: StepWriter): string {
    let text = "";
    for (const member of this.#read.members) text += member.opening + (writer.at(member.key, () => this.#member(member, group, writer)) ?? "null");
    return text === "" ? "{}" : `${text}}`;
  }

  #member(member: Member, group: Group, writer: StepWriter): string {
    if (member.kind === "typename") return member.text;
    if (member.kind === "measure") return writer.measure(group.measures[member.measure], member.valueKind, member.node);
    let text = "";
    for (const each of member.members) text += each.opening + (writer.at(each.key, () => this.#key(each, group, writer)) ?? "null");
    return text === "" ? "{}" : `${text}}`;
  }

  #key(member: KeyMember, { keys }: Group, writer: StepWriter): string | undefined {
    if (member.kind === "typename") return member.text;
    const key = keys[this.#read.by.indexOf(member.field.stored)];
    if (member.kind === "value") return writer.value(key, member.field);
    const nodes = this.#read.nodes[member.link];
    const row = typeof key === "number" ? nodes?.rowOf(key) : undefined;
    return nodes && row !== undefined ? writer.object(nodes, row) : undefined;
  }
}
