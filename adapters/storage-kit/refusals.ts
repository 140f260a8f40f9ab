// The errors of refused changes and refused migrations, with the same text in every storage.

import {
  type EndName,
  formatUid,
  type KeyLayout,
  type Layout,
  type MigrateOptions,
  QuernError,
  type Stored,
  type TypeName,
  type Uid,
} from "../../core/storage.ts";
import { layoutDifferences } from "./layout-differences.ts";
import { describeLayout, parseLayout } from "./layout-history.ts";

/** A node that wants what another node holds. */
export interface Taken {
  readonly uid: Uid;
  readonly holder: Uid;
  /** The type of the holder; undefined when it is unknown. */
  readonly type: TypeName | undefined;
}

type Values = readonly (Stored | undefined)[];

/** What a node holds of a key: values in the order of `KeyLayout.fields`, partners in the order of `KeyLayout.ends`. */
export interface KeyParts {
  readonly values: Values;
  readonly partners: readonly (Uid | undefined)[];
}

/** `KEY_TAKEN`. */
export function keyTaken(key: KeyLayout, parts: KeyParts, { uid, holder, type }: Taken): QuernError {
  const names = [...key.fields, ...(key.ends ?? [])];
  const shown = shownParts(parts).map((part, i) => `${names[i]} ${part}`);
  return new QuernError("KEY_TAKEN", `${shown.join(", ")} is taken by ${formatUid(holder)}`, {
    details: { key: key.name, fields: key.fields, ends: key.ends, values: parts.values, uid, holder, holderType: type },
  });
}

function shownParts({ values, partners }: KeyParts): string[] {
  return [...values.map(shownValue), ...partners.map((uid) => (uid === undefined ? "nothing" : formatUid(uid)))];
}

/** `END_TAKEN`: a single end that leads to another node already. */
export function endTaken(end: EndName, { uid, holder, type }: Taken): QuernError {
  return new QuernError("END_TAKEN", `${end} of ${formatUid(uid)} leads to ${formatUid(holder)} already`, {
    details: { end, uid, holder, holderType: type },
  });
}

/** `CONFLICT`: a create with a uid that is in use. */
export function uidTaken(uid: Uid): QuernError {
  return new QuernError("CONFLICT", `${formatUid(uid)} is in use already`, { details: { uid } });
}

/** `TOO_LARGE`: a transaction that changes more than `maxChanges` nodes. */
export function tooManyChanges(maxChanges: number): QuernError {
  return new QuernError("TOO_LARGE", `one mutation may change ${maxChanges.toLocaleString("en")} nodes at most`, {
    hint: "Split it, for example by a filter.",
  });
}

/** A migration that takes over the document of another server. */
export interface TakeOver {
  readonly layout: Layout;
  readonly document: string;
  readonly takeOver: MigrateOptions["takeOver"];
}

/**
 * Checks a migration that takes over what another server deployed.
 *
 * @throws QuernError `STALE_LAYOUT` when another document is deployed by now; `MIGRATION_REFUSED` when the layouts differ
 */
export function assertTakesOver(
  deployed: { readonly document: string | undefined; readonly layout: string },
  { takeOver, document, layout }: TakeOver,
): void {
  if (takeOver === undefined) return;
  if ((deployed.document ?? "") !== document) throw new QuernError("STALE_LAYOUT", "another server deployed another schema meanwhile");
  if (takeOver === "follow" && deployed.layout !== describeLayout(layout)) {
    const differences = layoutDifferences(parseLayout(deployed.layout), layout);
    throw new QuernError("MIGRATION_REFUSED", `another server deployed this schema with other plugins, or another version: ${differences}`, {
      hint: "Run the same version with the same plugins on all servers of a database. To replace the layout for all of them, start this server with --take-over (kernel.open({ replaceLayout: true })); the others then refuse writes.",
    });
  }
}

/**
 * Refuses a migration that has obstacles.
 *
 * @param obstacles sentences that say which data a new layout forbids; none: the migration may run
 * @throws QuernError `MIGRATION_REFUSED` with all of them
 */
export function assertNoObstacles(obstacles: readonly string[]): void {
  if (obstacles.length > 0) throw new QuernError("MIGRATION_REFUSED", obstacles.join("\n"), { details: { obstacles } });
}

/** A value as errors print it. */
export function shownValue(value: Stored | undefined): string {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

const listed = 10;

/** Nodes that hold the same of a key. */
export interface KeyGroup extends KeyParts {
  readonly uids: readonly Uid[];
}

/** A sentence about key values that several nodes hold. It names ten of them at most. */
export function keyViolation(key: KeyLayout, groups: readonly KeyGroup[]): string {
  const shown = groups.slice(0, listed).map((group) => `${shownParts(group).join(", ")} is held by ${several(group.uids)}`);
  return `${[...key.fields, ...(key.ends ?? [])].join(" and ")} must be unique, but ${shown.join("; ")}${rest(groups.length)}`;
}

/** A sentence about nodes whose single end would lead to several nodes. It names ten of them at most. */
export function endViolation(end: string, offenders: readonly { readonly uid: Uid; readonly partners: readonly Uid[] }[]): string {
  const shown = offenders.slice(0, listed).map(({ uid, partners }) => `${formatUid(uid)} leads to ${several(partners)}`);
  return `${end} leads to one node at most, but ${shown.join("; ")}${rest(offenders.length)}`;
}

function several(uids: readonly Uid[]): string {
  const shown = uids.slice(0, 3).map(formatUid).join(" and ");
  return uids.length > 3 ? `${shown} and ${uids.length - 3} more` : shown;
}

function rest(count: number): string {
  return count > listed ? `; and ${count - listed} more` : "";
}
