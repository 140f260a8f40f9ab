// `@onDelete`: what becomes of the objects at the other side of a link when the object that holds the field is deleted.

import {
  addToGroup,
  type Change,
  type ChangesContext,
  type ChangesTransaction,
  type EndName,
  type LinkField,
  type ModelContext,
  type NodeRef,
  nextTurn,
  QuernError,
  type Remove,
  type SchemaWarning,
  TurnClock,
  type TypeName,
  type Uid,
} from "../../core/plugin.ts";

type Action = "DELETE" | "RESTRICT";

/** What one field of an object type asks for. */
export interface DeleteRule {
  readonly field: LinkField;
  readonly action: Action;
}

export interface DeleteRules {
  readonly rules: readonly DeleteRule[];
  readonly warnings: readonly SchemaWarning[];
}

export function readDeleteRules({ uses, report }: ModelContext): DeleteRules {
  const rules: DeleteRule[] = [];
  const warnings: SchemaWarning[] = [];
  for (const { field, args, node, inherited } of uses("onDelete")) {
    if (!field) continue;
    const place = `Type ${field.owner.name}; Field ${field.name}:`;
    if (field.role !== "link") {
      if (!inherited) report(`${place} @onDelete is for links.`, node);
      continue;
    }
    const action = args.linked;
    if (action !== "DELETE" && action !== "RESTRICT") continue;
    if (action === "DELETE" && !inherited && !field.type.list && field.inverse?.type.list) {
      const { owner, name } = field.inverse;
      const message = `${place} deleting one ${field.owner.name} deletes the ${field.type.name} that others link to as well. To delete them with it, write @onDelete(linked: DELETE) on ${owner.name}.${name}.`;
      warnings.push({ message, at: node });
    }
    if (field.owner.kind === "object") rules.push({ field, action });
  }
  return { rules, warnings };
}

/** The hooks `changes` and `check`. */
export function deleteHooks(rules: readonly DeleteRule[]): {
  readonly changes: (context: ChangesContext) => Promise<readonly Change[] | undefined>;
  readonly check: (context: ChangesContext) => Promise<void>;
} {
  /** What must be gone at the end, by transaction. */
  const restricting = new WeakMap<ChangesTransaction, Restrictions>();
  let known: ReadonlyMap<TypeName, readonly EndRule[]> | undefined;
  return {
    changes: async (context) => {
      // Storage names are final when the schema is served.
      known ??= byType(rules);
      const removed = context.changes.filter((change): change is Remove => change.kind === "remove");
      if (removed.length === 0) return undefined;
      const restrictions = restricting.get(context.transaction) ?? new Restrictions();
      restricting.set(context.transaction, restrictions);
      const more = await new Cascade(known, context, restrictions).run(removed);
      return more.length === 0 ? undefined : [...context.changes, ...more.map((each): Remove => ({ kind: "remove", ...each }))];
    },
    check: async ({ transaction }) => restricting.get(transaction)?.assertGone(transaction),
  };
}

interface EndRule {
  readonly end: EndName;
  readonly action: Action;
  /** `Author.posts` */
  readonly name: string;
}

function byType(rules: readonly DeleteRule[]): ReadonlyMap<TypeName, readonly EndRule[]> {
  const types = new Map<TypeName, EndRule[]>();
  for (const { field, action } of rules) {
    const { owner, name, stored } = field;
    addToGroup(types, owner.stored, { end: stored, action, name: `${owner.name}.${name}` });
  }
  return types;
}

/** Objects that forbid the deletion of others, unless they are deleted in the same mutation. */
class Restrictions {
  readonly #nodes = new Map<Uid, NodeRef & { readonly by: string }>();

  add(node: NodeRef, by: string): void {
    this.#nodes.set(node.uid, { ...node, by });
  }

  async assertGone(transaction: ChangesTransaction): Promise<void> {
    if (this.#nodes.size === 0) return;
    const nodes = [...this.#nodes.values()];
    const left = await transaction.load({ uids: nodes.map(({ uid }) => uid), types: [...new Set(nodes.map(({ type }) => type))], fields: [] });
    const [first] = left.uids;
    if (first === undefined) return;
    throw new QuernError("RESTRICTED", `${this.#nodes.get(first)?.by} still leads to an object, and @onDelete(linked: RESTRICT) keeps both`, {
      hint: "Delete or unlink the linked objects first. They may be hidden from you.",
    });
  }
}

class Cascade {
  readonly #rules: ReadonlyMap<TypeName, readonly EndRule[]>;
  readonly #context: ChangesContext;
  readonly #restrictions: Restrictions;
  readonly #seen = new Set<Uid>();
  readonly #more: NodeRef[] = [];
  readonly #clock = new TurnClock();

  constructor(rules: ReadonlyMap<TypeName, readonly EndRule[]>, context: ChangesContext, restrictions: Restrictions) {
    this.#rules = rules;
    this.#context = context;
    this.#restrictions = restrictions;
  }

  /** The objects that go with `removed`, on and on. */
  async run(removed: readonly NodeRef[]): Promise<readonly NodeRef[]> {
    for (const { uid } of removed) this.#seen.add(uid);
    let level = removed;
    while (level.length > 0) {
      if (this.#clock.isOver) {
        await nextTurn();
        this.#clock.restart();
      }
      level = await this.#next(level);
      this.#more.push(...level);
      this.#assertRoom(removed.length);
    }
    return this.#more;
  }

  async #next(level: readonly NodeRef[]): Promise<readonly NodeRef[]> {
    const next: NodeRef[] = [];
    for (const [type, rules] of this.#rules) {
      const from = level.filter((node) => node.type === type).map(({ uid }) => uid);
      if (from.length === 0) continue;
      for (const rule of rules) {
        const linked = await this.#linked(from, rule);
        if (rule.action === "RESTRICT") for (const node of linked) this.#restrictions.add(node, rule.name);
        else next.push(...(await this.#deletable(linked, rule)));
      }
    }
    return next;
  }

  async #linked(from: readonly Uid[], { end }: EndRule): Promise<readonly NodeRef[]> {
    const { transaction, room } = this.#context;
    const { nodes } = await transaction.follow({ from, end, fields: [], page: { first: room + 1 } });
    return nodes.uids.map((uid, i) => ({ uid, type: nodes.types[i] ?? "" }));
  }

  /** Those that are not on their way already. Each must pass the rules about deleting its type. */
  async #deletable(linked: readonly NodeRef[], { name }: EndRule): Promise<readonly NodeRef[]> {
    const fresh = linked.filter(({ uid }) => !this.#seen.has(uid));
    for (const { uid } of fresh) this.#seen.add(uid);
    const permits = await this.#context.permits("delete", fresh);
    if (fresh.every(({ uid }) => permits(uid))) return fresh;
    throw new QuernError("FORBIDDEN", `@onDelete(linked: DELETE) on ${name} leads to an object that this request may not delete`, {
      hint: "Nothing was deleted. The rules about deleting an object hold also when it goes with another one.",
    });
  }

  #assertRoom(removed: number): void {
    if (removed + this.#more.length <= this.#context.room) return;
    throw new QuernError(
      "LIMIT_REACHED",
      "The objects that @onDelete(linked: DELETE) takes along are more than one mutation may change (limits.maxChanges)",
      {
        hint: "Nothing was deleted. Delete the linked objects first, some at a time.",
      },
    );
  }
}
