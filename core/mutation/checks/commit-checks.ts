// What plugins put into a commit, checked once, after the last hook. Storage gets clean changes and checks none, so this is the last place.

import type { Change, Create, Link, Set as SetChange } from "../../contracts/change.ts";
import type { NodeRef, Transaction } from "../../contracts/storage/snapshot.ts";
import { Fact } from "../../ground/facts.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import { PluginFault, type PluginPlace } from "../../ground/plugin-fault.ts";
import { formatUid } from "../../ground/values/uid.ts";
import type { MaybePromise, TypeName, Uid } from "../../ground/values/value.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";
import { checkStoredKinds } from "./check-changes.ts";
import { filledEnds, lacksOf, type Required, requiredOf } from "./required-of-types.ts";

/** Uids that a hook may ask for at once. */
const mostUids = 1_000_000;

type CheckedDeployment = Pick<Deployment, "model" | "layout" | "hooks" | "facts">;

/** Which plugins take part in writing. */
interface Parts {
  /** Names of those that may change values or changes. */
  readonly writers: readonly string[];
  /** Whether some are shown the changes. */
  readonly shows: boolean;
}

/** Undefined where no plugin sees or changes what is written. */
const partsOf = new Fact<CheckedDeployment, Parts | undefined>(({ hooks: plugins }) => {
  if (!plugins.some(({ hooks }) => hooks.values ?? hooks.changes ?? hooks.check ?? hooks.append)) return undefined;
  return {
    writers: plugins.flatMap(({ plugin, hooks }) => (hooks.values || hooks.changes ? [plugin] : [])),
    shows: plugins.some(({ hooks }) => hooks.changes !== undefined || hooks.check !== undefined),
  };
});

/** What one mutation lets plugins change. A mutation without such plugins has none. */
export class CommitChecks {
  readonly #deployment: CheckedDeployment;
  readonly #parts: Parts;
  /** Uids that hooks have asked for, and that no node has yet. */
  readonly #free = new Set<Uid>();
  /** The changes of one write before the first hook. */
  #own: readonly Change[] = [];
  /** Of each change of one write that a hook has made: whose hook. */
  #makers = new Map<Change, string>();
  /** The last plugin that has replaced changes of this write. */
  #last: string | undefined;

  private constructor(deployment: CheckedDeployment, parts: Parts) {
    this.#deployment = deployment;
    this.#parts = parts;
  }

  /** Undefined where no plugin sees or changes what is written. */
  static of(deployment: CheckedDeployment): CommitChecks | undefined {
    const parts = partsOf.of(deployment);
    return parts && new CommitChecks(deployment, parts);
  }

  /** The changes of one write as the first hook sees them: no hook can change them in place. */
  begin(changes: readonly Change[]): readonly Change[] {
    this.#own = changes;
    if (this.#makers.size > 0) this.#makers = new Map();
    this.#last = undefined;
    return this.#parts.shows ? fixed(changes) : changes;
  }

  /** What the hook of `plugin` has returned. @param own those that the hook was not given */
  replaced(made: readonly Change[], { own, plugin }: { readonly own: readonly Change[]; readonly plugin: string }): readonly Change[] {
    for (const change of own) this.#makers.set(change, plugin);
    this.#last = plugin;
    return fixed([...made]);
  }

  /** Allocates uids for nodes of a hook. */
  uids(transaction: Transaction, count: number): MaybePromise<readonly Uid[]> {
    if (!Number.isSafeInteger(count) || count < 0 || count > mostUids)
      throw new TypeError(`uids(${String(count)}): it must be a whole number from 0 to ${mostUids}`);
    return andThen(transaction.uids(count), (uids) => {
      for (const uid of uids) this.#free.add(uid);
      return uids;
    });
  }

  /** @throws PluginFault for changes that the store could not keep, or that nobody could read */
  check(written: readonly Change[], transaction: Transaction): MaybePromise<void> {
    const { writers } = this.#parts;
    if (writers.length > 0) checkStoredKinds(written, { plugins: writers, deployment: this.#deployment });
    if (this.#last === undefined) return;
    const created = this.#checkCreates(written);
    this.#checkRequired(written);
    return this.#checkNodes(written, created, transaction);
  }

  /** @throws PluginFault for nodes of an `append` hook whose uids it has not asked for */
  checkAppended(creates: readonly Create[], plugin: string): void {
    for (const create of creates) this.#takeUid(create, { plugin, hook: "append" });
  }

  #takeUid({ uid, type }: Create, place: PluginPlace): void {
    if (this.#free.delete(uid)) return;
    throw new PluginFault(
      place,
      `it creates a node of ${type} with the uid ${String(uid)}, which is not one that uids() has given it and that is still free.`,
    );
  }

  #placeOf(change: Change): PluginPlace {
    return { plugin: this.#makers.get(change) ?? this.#last ?? "", hook: "changes" };
  }

  /** The new nodes. */
  #checkCreates(written: readonly Change[]): ReadonlyMap<Uid, TypeName> {
    const own = new Map(creates(this.#own).map(({ uid, type }) => [uid, type]));
    const created = new Map<Uid, TypeName>();
    for (const create of creates(written)) {
      const place = this.#placeOf(create);
      if (created.has(create.uid)) throw new PluginFault(place, `it creates two nodes with the uid ${formatUid(create.uid)}.`);
      if (own.get(create.uid) !== create.type) this.#takeUid(create, place);
      created.set(create.uid, create.type);
    }
    return created;
  }

  /** What the mutation itself leaves out is its own affair: nested objects may stay incomplete. */
  #checkRequired(written: readonly Change[]): void {
    const required = requiredOf.of(this.#deployment);
    if (required.size === 0) return;
    const linked = filledEnds(written, required);
    let before: ReadonlyMap<string, readonly string[]> | undefined;
    for (const change of written) {
      if (change.kind !== "create" && change.kind !== "set") continue;
      const lacks = lacksOf(change, required, linked);
      if (lacks.length === 0) continue;
      before ??= this.#lackedBefore();
      const lacked = before.get(`${change.kind} ${change.uid}`);
      const lack = lacks.find((name) => !lacked?.includes(name));
      if (lack !== undefined) throw new PluginFault(this.#placeOf(change), lackText(change, lack, required));
    }
  }

  /** By kind and uid. */
  #lackedBefore(): ReadonlyMap<string, readonly string[]> {
    const required = requiredOf.of(this.#deployment);
    const linked = filledEnds(this.#own, required);
    const lacked = new Map<string, readonly string[]>();
    for (const change of this.#own) {
      if (change.kind === "create" || change.kind === "set") lacked.set(`${change.kind} ${change.uid}`, lacksOf(change, required, linked));
    }
    return lacked;
  }

  /** Looks up what hooks write to and link, in one read. */
  #checkNodes(written: readonly Change[], created: ReadonlyMap<Uid, TypeName>, transaction: Transaction): MaybePromise<void> {
    const dropped = new Set(creates(this.#own).flatMap(({ uid }) => (created.has(uid) ? [] : [uid])));
    const isOfHook = (change: Change) => (change.kind === "set" || change.kind === "link") && this.#makers.has(change);
    if (dropped.size === 0 && !written.some(isOfHook)) return;
    const known = new Map([...nodesOf(this.#own), ...created]);
    const sought: Sought[] = [];
    for (const change of written) {
      if (change.kind !== "set" && change.kind !== "link") continue;
      for (const node of endsOf(change)) {
        const isKnown = known.get(node.uid) === node.type && !dropped.has(node.uid);
        if (!isKnown && (this.#makers.has(change) || dropped.has(node.uid))) sought.push({ node, change });
      }
    }
    if (sought.length === 0) return;
    const uids = [...new Set(sought.map(({ node }) => node.uid))].sort((a, b) => a - b);
    const types = [...new Set(sought.map(({ node }) => node.type))];
    return andThen(transaction.load({ uids, types, fields: [] }), (batch) => {
      const there = new Map(batch.uids.map((uid, i) => [uid, batch.types[i]]));
      const absent = sought.find(({ node }) => there.get(node.uid) !== node.type);
      if (absent) throw new PluginFault(this.#placeOf(absent.change), absentText(absent));
    });
  }
}

interface Sought {
  readonly node: NodeRef;
  readonly change: SetChange | Link;
}

/** Freezes `changes` as deep as changes are, but for geometries. */
function fixed(changes: readonly Change[]): readonly Change[] {
  for (const change of changes) {
    if (change.kind === "create" || change.kind === "set") {
      for (const name in change.fields) if (Array.isArray(change.fields[name])) Object.freeze(change.fields[name]);
      Object.freeze(change.fields);
    }
    Object.freeze(change);
  }
  return Object.freeze(changes);
}

function creates(changes: readonly Change[]): readonly Create[] {
  return changes.filter((change) => change.kind === "create");
}

/** The nodes that the mutation itself has found. */
function nodesOf(changes: readonly Change[]): readonly (readonly [Uid, TypeName])[] {
  return changes.flatMap((change): readonly (readonly [Uid, TypeName])[] => {
    if (change.kind === "link" || change.kind === "unlink") {
      return [
        [change.from, change.fromType],
        [change.to, change.toType],
      ];
    }
    return change.kind === "create" ? [] : [[change.uid, change.type]];
  });
}

function endsOf(change: SetChange | Link): readonly NodeRef[] {
  if (change.kind === "set") return [change];
  return [
    { uid: change.from, type: change.fromType },
    { uid: change.to, type: change.toType },
  ];
}

function absentText({ node: { uid, type }, change }: Sought): string {
  const what = change.kind === "set" ? "sets values of" : `adds a link of ${change.end} with`;
  return `it ${what} ${formatUid(uid)}, and there is no node of ${type} with this uid.`;
}

function lackText({ kind, uid, type }: Create | SetChange, name: string, required: ReadonlyMap<TypeName, Required>): string {
  if (kind === "set") return `it clears ${name} of ${formatUid(uid)}, which is required.`;
  const isLink = required.get(type)?.links.some(({ end }) => end === name);
  return `it creates a node of ${type} without ${isLink ? "a link of " : ""}${name}, which is required.`;
}
