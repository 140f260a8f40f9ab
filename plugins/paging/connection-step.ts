// A list in pages as a step: planned from the document, bound to the arguments of a request, read, and written as JSON.

import {
  type BoundObjects,
  type BoundStep,
  type ListStep,
  type NodeRows,
  type NodeSelection,
  type NodeType,
  type Place,
  type PlanCosts,
  type PlannedArguments,
  type PlanPrinter,
  type PrintedStep,
  QuernError,
  type SelectedList,
  type SelectedMember,
  type StepBinder,
  type StepPlanner,
  type StepReader,
  type StepRows,
  type StepWriter,
  type Variables,
  type Work,
} from "../../core/plugin.ts";
import { type CursorList, cursorMark, writeCursor } from "./cursor.ts";
import { connectionName, edgeName } from "./definitions.ts";
import { cutOf, type ListPage, noPage, readPages } from "./pages.ts";

type Keyed = Pick<SelectedMember, "key" | "opening">;
type Member = Keyed &
  (
    | { readonly kind: "typename"; readonly text: string }
    | { readonly kind: "totalCount" }
    /** Index in `places`. */
    | { readonly kind: "nodes"; readonly place: number }
    | { readonly kind: "edges"; readonly members: readonly EdgeMember[] }
    | { readonly kind: "pageInfo"; readonly members: readonly PageInfoMember[] }
  );
type EdgeMember = Keyed &
  ({ readonly kind: "typename"; readonly text: string } | { readonly kind: "cursor" } | { readonly kind: "node"; readonly place: number });
interface PageInfoMember extends Keyed {
  readonly kind: string;
}

export function planConnection(type: NodeType, field: SelectedList, planner: StepPlanner): Work<ListStep> {
  return new ConnectionPlan(type, field, planner).step();
}

class ConnectionPlan {
  readonly #type: NodeType;
  readonly #field: SelectedList;
  readonly #planner: StepPlanner;
  readonly #places: NodeSelection[] = [];

  constructor(type: NodeType, field: SelectedList, planner: StepPlanner) {
    this.#type = type;
    this.#field = field;
    this.#planner = planner;
  }

  *step(): Work<ListStep> {
    const { nodes, arguments: given, link } = this.#field;
    const members: Member[] = [];
    for (const field of this.#planner.fields(connectionName(this.#type), nodes)) members.push(yield* this.#member(field));
    // Filter and order are those of the nodes, also where none is shown.
    if (this.#places.length === 0) yield* this.#place([]);
    return new ConnectionStep({ arguments: given, of: link?.stored ?? this.#type.name, places: this.#places, members });
  }

  *#member({ key, opening, name, nodes }: SelectedMember): Work<Member> {
    const base = { key, opening };
    switch (name) {
      case "totalCount":
        return { ...base, kind: "totalCount" };
      case "nodes":
        return { ...base, kind: "nodes", place: yield* this.#place(nodes) };
      case "edges":
        return { ...base, kind: "edges", members: yield* this.#edge(nodes) };
      case "pageInfo":
        return { ...base, kind: "pageInfo", members: this.#planner.fields("PageInfo", nodes).map((each) => ({ ...each, kind: each.name })) };
      default:
        return { ...base, kind: "typename", text: JSON.stringify(connectionName(this.#type)) };
    }
  }

  *#edge(nodes: SelectedList["nodes"]): Work<readonly EdgeMember[]> {
    const found: EdgeMember[] = [];
    for (const { key, opening, name, nodes: selected } of this.#planner.fields(edgeName(this.#type), nodes)) {
      const base = { key, opening };
      if (name === "cursor") found.push({ ...base, kind: "cursor" });
      else if (name === "node") found.push({ ...base, kind: "node", place: yield* this.#place(selected) });
      else found.push({ ...base, kind: "typename", text: JSON.stringify(edgeName(this.#type)) });
    }
    return found;
  }

  *#place(nodes: SelectedList["nodes"]): Work<number> {
    const objects = { target: this.#type, nodes, arguments: listOnly(this.#field.arguments), cascadeOf: this.#field.nodes };
    return this.#places.push(yield* this.#planner.objects(objects)) - 1;
  }
}

/** The page is cut by cursors: the nodes have only filter and order. */
function listOnly(given: PlannedArguments): PlannedArguments {
  return {
    constant: given.constant,
    text: given.text,
    values: (variables) => {
      const { filter, order } = given.values(variables);
      return { ...(filter === undefined ? {} : { filter }), ...(order === undefined ? {} : { order }) };
    },
  };
}

class ConnectionStep implements ListStep {
  readonly arguments: PlannedArguments;
  readonly members: readonly Member[];
  readonly #of: string;
  /** The nodes of one page, by the place that selects them; at least one. All have the same filter and order. */
  readonly selections: readonly NodeSelection[];

  constructor(parts: {
    readonly arguments: PlannedArguments;
    readonly of: string;
    readonly places: readonly NodeSelection[];
    readonly members: readonly Member[];
  }) {
    this.arguments = parts.arguments;
    this.#of = parts.of;
    this.selections = parts.places;
    this.members = parts.members;
  }

  *bind(binder: StepBinder): Work<BoundStep> {
    const places: BoundObjects[] = [];
    for (const place of this.selections) places.push(yield* binder.objects(place));
    return new BoundConnection(this, places, this.arguments.values(binder.variables));
  }

  print(printer: PlanPrinter): PrintedStep {
    return { what: `a page of ${this.#of}`, below: this.selections.flatMap((place) => printer.objects(place)) };
  }

  cost({ isRoot }: PlanCosts): number {
    return isRoot ? 1 : 0;
  }
}

class BoundConnection implements BoundStep {
  readonly #step: ConnectionStep;
  readonly #places: readonly BoundObjects[];
  readonly #given: Variables;

  constructor(step: ConnectionStep, places: readonly BoundObjects[], given: Variables) {
    this.#step = step;
    this.#places = places;
    this.#given = given;
  }

  *read(reader: StepReader): Work<StepRows> {
    const { members } = this.#step;
    const lists = reader.lists(this.#places);
    const list: CursorList = { mark: cursorMark(lists.name), kinds: lists.kinds };
    const cut = cutOf(this.#given, list);
    if (lists.isEmpty || lists.count === 0) return new PageRows({ members, list, pages: [], totals: [], places: [] });
    // Storage may answer a count from a counter, without reading a node; the budget counts it as one read.
    reader.budget.spend(1);
    const pages = yield* readPages(lists, cut, { next: this.#shows("hasNextPage"), previous: this.#shows("hasPreviousPage") });
    const totals = members.some(({ kind }) => kind === "totalCount") ? yield* lists.totals() : [];
    const uids = [...new Set(pages.flatMap(({ rows }) => rows.map(({ uid }) => uid)))];
    const places: NodeRows[] = [];
    for (const place of this.#places) places.push(yield* reader.loadPassing(place, uids));
    return new PageRows({ members, list, pages, totals, places });
  }

  #shows(info: string): boolean {
    return this.#step.members.some((member) => member.kind === "pageInfo" && member.members.some(({ kind }) => kind === info));
  }
}

interface Read {
  readonly members: readonly Member[];
  readonly list: CursorList;
  /** By source; without one the list is empty. */
  readonly pages: readonly ListPage[];
  readonly totals: readonly number[];
  /** Aligned with the places of the step. */
  readonly places: readonly NodeRows[];
}

class PageRows implements StepRows {
  readonly #read: Read;

  constructor(read: Read) {
    this.#read = read;
  }

  write(source: number, writer: StepWriter): string | undefined {
    const page = this.#read.pages[source] ?? noPage;
    let text = "";
    for (const member of this.#read.members) {
      const value = writer.at(member.key, () => this.#member(member, { page, source }, writer));
      if (value === undefined) return undefined;
      text += member.opening + value;
      writer.written(text.length);
    }
    return text === "" ? "{}" : `${text}}`;
  }

  #member(member: Member, { page, source }: { readonly page: ListPage; readonly source: number }, writer: StepWriter): string | undefined {
    switch (member.kind) {
      case "typename":
        return member.text;
      case "totalCount":
        return String(this.#read.totals[source] ?? 0);
      case "pageInfo":
        return pageInfoText(member.members, page, this.#read.list);
      case "nodes":
        return listText(page, writer, (row) => this.#node(member.place, row, writer));
      case "edges":
        return listText(page, writer, (row) => this.#edge(member.members, row, writer));
    }
  }

  #edge(members: readonly EdgeMember[], row: Place, writer: StepWriter): string | undefined {
    let text = "";
    for (const each of members) {
      const value =
        each.kind === "cursor"
          ? JSON.stringify(writeCursor(row, this.#read.list))
          : each.kind === "node"
            ? writer.at(each.key, () => this.#node(each.place, row, writer))
            : each.text;
      if (value === undefined) return undefined;
      text += each.opening + value;
    }
    return text === "" ? "{}" : `${text}}`;
  }

  #node(place: number, { uid }: Place, writer: StepWriter): string | undefined {
    const nodes = this.#read.places[place];
    const row = nodes?.rowOf(uid);
    if (!nodes || row === undefined) throw new QuernError("INTERNAL", "A node of a page was not read.");
    return writer.object(nodes, row);
  }
}

function listText({ rows }: ListPage, writer: StepWriter, write: (row: Place) => string | undefined): string | undefined {
  let text = "[";
  for (const [i, row] of rows.entries()) {
    const item = writer.at(i, () => write(row));
    if (item === undefined) return undefined;
    text += i === 0 ? item : `,${item}`;
    writer.written(text.length);
  }
  return `${text}]`;
}

function pageInfoText(members: readonly PageInfoMember[], { rows, hasNext, hasPrevious }: ListPage, list: CursorList): string {
  const cursorOf = (row: Place | undefined): string => (row ? JSON.stringify(writeCursor(row, list)) : "null");
  const values: Readonly<Record<string, () => string>> = {
    hasNextPage: () => String(hasNext),
    hasPreviousPage: () => String(hasPrevious),
    startCursor: () => cursorOf(rows[0]),
    endCursor: () => cursorOf(rows.at(-1)),
  };
  const text = members.map(({ opening, kind }) => opening + (values[kind]?.() ?? '"PageInfo"')).join("");
  return text === "" ? "{}" : `${text}}`;
}
