// A level: objects that are read together, as a document selects them and with the values of one request. One level becomes one batch.

import type { LinkField, NodeType, UnionType } from "../../contracts/model.ts";
import type { BoundObjects, BoundStep, BoundTarget, ListStep, NodeSelection, PlannedArguments } from "../../contracts/plugin/level-step.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import type { Order, Page } from "../../contracts/storage/requests.ts";
import type { EndName, FieldName, Json, Stored, TypeName, Uid } from "../../ground/values/value.ts";
import type { Api } from "../../schema/api/api.ts";
import type { Masks } from "./masks.ts";
import type { Shape } from "./shapes.ts";
import type { ShownColumn } from "./shown-columns.ts";
import type { CompiledOrder, SortKey } from "./sort-key.ts";

/** What a level consists of. */
export interface LevelParts {
  readonly target: NodeType | UnionType;
  /** The concrete types its nodes may be of. */
  readonly types: readonly NodeType[];
  /** What an object of each type shows, by stored name. */
  readonly shapes: ReadonlyMap<TypeName, Shape>;
  /** Stored fields and single ends, each once. */
  readonly columns: readonly (FieldName | EndName)[];
  /** Columns that callers get otherwise than they are stored; undefined: none. */
  readonly shown: readonly ShownColumn[] | undefined;
  readonly steps: readonly PlacedStep[];
  /** What `@cascade` asks every object to have; outer list: all of them, inner list: by the object's type. */
  readonly cascade: readonly Requirement[];
  readonly arguments: PlannedArguments;
}

/** Objects read together: everything is asked for all of them at once. */
export class Level implements LevelParts, NodeSelection {
  readonly target: LevelParts["target"];
  readonly types: LevelParts["types"];
  readonly shapes: LevelParts["shapes"];
  readonly columns: LevelParts["columns"];
  readonly shown: LevelParts["shown"];
  readonly steps: LevelParts["steps"];
  readonly cascade: LevelParts["cascade"];
  readonly arguments: PlannedArguments;
  /** Members of the widest shape: how much work one object is. */
  readonly width: number;
  /** No variable in the arguments here or below. */
  readonly constant: boolean;
  /** It is answered from the snapshot alone, without code of plugins for each object. */
  readonly isStored: boolean;
  /** What requests with the same document found out about it. */
  readonly known: KnownOfLevel = { bound: undefined, order: undefined };

  constructor({ target, types, shapes, columns, shown, steps, cascade, arguments: given }: LevelParts) {
    this.target = target;
    this.types = types;
    this.shapes = shapes;
    this.columns = columns;
    this.shown = shown;
    this.steps = steps;
    this.cascade = cascade;
    this.arguments = given;
    this.width = Math.max(1, ...[...shapes.values()].map(({ members }) => members.length));
    const below = steps.flatMap(({ step }) => step.selections);
    this.constant =
      given.constant && steps.every(({ step }) => step.arguments.constant) && below.every((each) => each instanceof Level && each.constant);
    this.isStored = steps.every(({ step }) => step.computed === undefined) && below.every((each) => each instanceof Level && each.isStored);
  }
}

/** Changes with the requests. */
export interface KnownOfLevel {
  /** For callers who all see the same, where no variable decides. */
  bound: { readonly deployment: object; readonly level: BoundLevel } | undefined;
  /** Of the last request: most documents have it as a literal, which is the same object in every request. */
  order: { readonly given: unknown; readonly api: Api; readonly compiled: CompiledOrder } | undefined;
}

/** A field that is read by itself, at its place in a level. */
export interface PlacedStep {
  readonly step: ListStep;
  /** `crew: boats` for people. */
  readonly label: string;
  /** The link that it is read from; undefined: from the objects themselves. */
  readonly link: LinkField | undefined;
  /** Concrete types of the objects that select it so. */
  readonly types: ReadonlySet<TypeName>;
  /** All types of the level select it. */
  readonly everyType: boolean;
}

export type Requirement = readonly RequirementCase[];
/** Objects of `types` (undefined: of any) need the value, or what a step asks for. */
export interface RequirementCase {
  readonly types: readonly TypeName[] | undefined;
  readonly needs: { readonly kind: "value"; readonly field: FieldName } | { readonly kind: "step"; readonly step: number; readonly need: StepNeed };
}

/** What `@cascade` asks of a step. */
export interface StepNeed {
  /** The same for steps of several types that count as one field. */
  readonly name: string;
  /** For people. */
  readonly text: string;
  holds(bound: BoundStep, masks: Masks | undefined): Predicate;
}

// ---- bound ----------------------------------------------------------------------------------------------------------------

/** The nodes of some types that a filter lets through and that the caller may see. */
export class Target implements BoundTarget {
  /** Stored names of the types looked at; none of them when the caller is denied all. */
  readonly types: readonly TypeName[];
  /** Filter and narrowing in one. */
  readonly where: Predicate;
  readonly isDenied: boolean;
  readonly isWhole: boolean;
  /** Fields that the caller may not see everywhere; undefined: there are none. */
  readonly masks: Masks | undefined;

  constructor({ types, where, isDenied, isWhole, masks }: Pick<Target, "types" | "where" | "isDenied" | "isWhole" | "masks">) {
    this.types = types;
    this.where = where;
    this.isDenied = isDenied;
    this.isWhole = isWhole;
    this.masks = masks;
  }

  hides(stored: FieldName | EndName): boolean {
    return this.masks?.has(stored) ?? false;
  }
}

/** What is bound of a level beside its target. */
export interface BoundParts {
  readonly level: Level;
  readonly order: Order;
  /** All keys of the order, when some are behind links; `order` is empty then. */
  readonly related: readonly SortKey[] | undefined;
  readonly page: Page | undefined;
  /** Aligned with the level's. */
  readonly steps: readonly BoundStep[];
  /** Values of computed fields that came with the nodes of the level. */
  readonly given?: GivenValues | undefined;
  /** By row: values that computed fields get instead of stored ones. */
  readonly represented?: readonly (ReadonlyMap<FieldName, Stored | undefined> | undefined)[] | undefined;
}

/** By name of a computed field, then by node. */
export type GivenValues = ReadonlyMap<string, ReadonlyMap<Uid, Json>>;

export class BoundLevel extends Target implements BoundParts, BoundObjects {
  readonly level: Level;
  readonly order: Order;
  readonly related: BoundParts["related"];
  readonly page: Page | undefined;
  readonly steps: BoundParts["steps"];
  readonly given: BoundParts["given"];
  readonly represented: BoundParts["represented"];

  constructor(target: Target, parts: BoundParts) {
    super(target);
    this.level = parts.level;
    this.order = parts.order;
    this.related = parts.related;
    this.page = parts.page;
    this.steps = parts.steps;
    this.given = parts.given;
    this.represented = parts.represented;
  }

  get selection(): Level {
    return this.level;
  }

  /** It has no nodes. */
  get isEmpty(): boolean {
    return this.types.length === 0 || this.where.kind === "none";
  }

  /** The same with other parts. */
  with(parts: Partial<Pick<BoundLevel, "where" | "page" | "given" | "represented">>): BoundLevel {
    return new BoundLevel(new Target({ ...this, where: parts.where ?? this.where, masks: this.masks }), { ...this, ...parts });
  }
}
