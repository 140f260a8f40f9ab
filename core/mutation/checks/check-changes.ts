// Whether the changes that a plugin makes fit the layout: storage gets clean changes, and checks none.

import type { Change, Create, Link, Set as SetChange, Unlink } from "../../contracts/change.ts";
import type { FieldLayout } from "../../contracts/layout.ts";
import { Fact } from "../../ground/facts.ts";
import { isObject } from "../../ground/is-object.ts";
import { PluginFault, type PluginPlace } from "../../ground/plugin-fault.ts";
import { fitsKind } from "../../ground/values/convert.ts";
import { formatUid } from "../../ground/values/uid.ts";
import type { EndName, TypeName, Uid, Value, ValueKind } from "../../ground/values/value.ts";
import type { Deployment } from "../../schema/deployment/deployment.ts";

export interface Replaced {
  readonly plugin: string;
  /** Before the hook; what it passes on as it was is not looked at again. */
  readonly before: readonly Change[];
  readonly deployment: WithLayout;
}

/** Returns the changes that the hook has made itself. @throws PluginFault for one that storage could not take, or could not read again */
export function checkChanges(changes: readonly Change[], { plugin, before, deployment }: Replaced): readonly Change[] {
  const place = { plugin, hook: "changes" };
  if (!Array.isArray(changes)) throw new PluginFault(place, "it must return a list of changes, or undefined.");
  const given = new Set(before);
  const own = changes.filter((change) => !given.has(change));
  for (const change of own) checkChange(change, place, layoutFacts.of(deployment));
  return own;
}

export interface Appended {
  readonly plugin: string;
  readonly deployment: WithLayout;
  /** Whether the schema declares the stored type. */
  readonly isOfSchema: (type: TypeName) => boolean;
}

/** @throws PluginFault for anything but new nodes of hidden types: other changes would evade the hooks of other plugins */
export function checkAppended(changes: readonly Change[], { plugin, deployment, isOfSchema }: Appended): void {
  const place = { plugin, hook: "append" };
  if (!Array.isArray(changes)) throw new PluginFault(place, "it must return a list of nodes to create, or undefined.");
  for (const change of changes) {
    if (change?.kind !== "create") throw new PluginFault(place, "it may only create nodes.");
    if (isOfSchema(change.type)) throw new PluginFault(place, `it creates a node of ${change.type}, which is no hidden type.`);
    checkChange(change, place, layoutFacts.of(deployment));
  }
}

/** @throws PluginFault for a change that storage could not take, made by a hook that writes past the others */
export function checkWrites(changes: readonly Change[], place: PluginPlace, deployment: WithLayout): void {
  for (const change of changes) checkChange(change, place, layoutFacts.of(deployment));
}

export interface StoredKinds {
  /** The plugins that have changed values or changes. */
  readonly plugins: readonly string[];
  readonly deployment: WithLayout;
}

/**
 * A last look at all values, whoever made them: hooks may keep the lists and geometries that they were given.
 *
 * @throws PluginFault for a value of another kind than its field's, which nobody could read
 */
export function checkStoredKinds(changes: readonly Change[], { plugins, deployment }: StoredKinds): void {
  const { fields } = layoutFacts.of(deployment);
  for (const change of changes) {
    if (change.kind !== "create" && change.kind !== "set") continue;
    for (const name in change.fields) {
      const stored = change.fields[name];
      const field = fields.get(name);
      if (field === undefined || (stored === null && change.kind === "set") || arePlausible(field, stored)) continue;
      const place = { plugin: plugins.join(", "), hook: "values or changes" };
      throw new PluginFault(place, `${name} of ${formatUid(change.uid)} has a value that is no ${kindText(field)}.`);
    }
  }
}

interface LayoutFacts {
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
  readonly fields: ReadonlyMap<string, FieldLayout>;
  readonly ends: ReadonlyMap<EndName, EndTypes>;
}

interface EndTypes {
  readonly types: ReadonlySet<TypeName>;
  readonly partners: ReadonlySet<TypeName>;
}

type WithLayout = Pick<Deployment, "layout" | "facts">;

const layoutFacts = new Fact<WithLayout, LayoutFacts>(({ layout }) => ({
  types: new Map(layout.types.map(({ name, fields }) => [name, new Set(fields)])),
  fields: new Map(layout.fields.map((field) => [field.name, field])),
  ends: new Map(
    layout.edges.flatMap(({ sides }) =>
      sides.flatMap(({ ends }) => ends.map(({ name, types, partners }) => [name, { types: new Set(types), partners: new Set(partners) }])),
    ),
  ),
}));

function checkChange(change: Change, place: PluginPlace, facts: LayoutFacts): void {
  const refuse: Refuse = (problem) => {
    throw new PluginFault(place, problem);
  };
  switch (change?.kind) {
    case "link":
    case "unlink":
      checkLink(change, facts, refuse);
      break;
    case "remove":
      if (!facts.types.has(change.type)) refuse(`it removes a node of ${change.type}, which is no type.`);
      checkUid(change.uid, refuse);
      break;
    case "create":
    case "set":
      checkValues(change, facts, refuse);
      break;
    default:
      refuse("it returns a change of no known kind.");
  }
}

type Refuse = (problem: string) => never;

function checkUid(uid: Uid, refuse: Refuse): void {
  if (!Number.isSafeInteger(uid) || uid < 1) refuse(`it names a node by ${String(uid)}, which is no uid.`);
}

function checkLink({ kind, end, from, fromType, to, toType }: Link | Unlink, { ends }: LayoutFacts, refuse: Refuse): void {
  const { types, partners } = ends.get(end) ?? refuse(`it changes links of ${end}, which is no link.`);
  checkUid(from, refuse);
  checkUid(to, refuse);
  if (kind === "unlink") return;
  if (!types.has(fromType)) refuse(`it adds a link of ${end} to a node of ${fromType}, which has no such link.`);
  if (!partners.has(toType)) refuse(`it adds a link of ${end} that leads to a node of ${toType}, and it may not lead there.`);
}

function checkValues(change: Create | SetChange, { types, fields }: LayoutFacts, refuse: Refuse): void {
  const of = types.get(change.type) ?? refuse(`it writes a node of ${change.type}, which is no type.`);
  checkUid(change.uid, refuse);
  if (!isObject(change.fields)) refuse(`it writes a node of ${change.type} without fields.`);
  for (const [name, value] of Object.entries(change.fields)) {
    const field = fields.get(name);
    if (!field || !of.has(name)) refuse(`it writes ${name}, which is no field of ${change.type}.`);
    else if (field.derived) refuse(`it writes ${name}, which is derived from other fields.`);
    else if (!clears(change, field, value) && !fits(field, value)) refuse(`it writes a value to ${name} that is no ${kindText(field)}.`);
  }
}

function clears({ kind }: Create | SetChange, { list }: FieldLayout, value: unknown): boolean {
  return kind === "set" && (value === null || (list && Array.isArray(value) && value.length === 0));
}

function fits({ kind, list }: FieldLayout, value: unknown): boolean {
  const isFit = (each: unknown) => isValue(each) && isPlausible(kind, each) && fitsKind(kind, each);
  return list ? Array.isArray(value) && value.length > 0 && value.every(isFit) : isFit(value);
}

function isValue(value: unknown): value is Value {
  return value !== undefined && value !== null && !Array.isArray(value);
}

/** As `fits`, without a look into texts: those of the kernel are written as they must be, and those of hooks were looked at. */
function arePlausible({ kind, list }: FieldLayout, stored: unknown): boolean {
  return list ? Array.isArray(stored) && stored.every((each) => isPlausible(kind, each)) : isPlausible(kind, stored);
}

function isPlausible(kind: ValueKind, value: unknown): boolean {
  switch (kind) {
    case "string":
    case "password":
    case "dateTime":
      return typeof value === "string";
    case "int":
    case "float":
      return typeof value === "number";
    case "int64":
      return typeof value === "bigint";
    case "boolean":
      return typeof value === "boolean";
    case "geo":
      return isObject(value) && isSound(value.coordinates, depths[String(value.type)] ?? 0);
    case "vector":
      return value instanceof Float32Array;
  }
}

/** How deep the numbers of a geometry are. */
const depths: Readonly<Record<string, number>> = { Point: 1, Polygon: 3, MultiPolygon: 4 };

function isSound(coordinates: unknown, depth: number): boolean {
  if (depth === 0 || !Array.isArray(coordinates) || coordinates.length === 0) return false;
  return coordinates.every((each) => (depth === 1 ? Number.isFinite(each) : isSound(each, depth - 1)));
}

function kindText({ kind, list }: FieldLayout): string {
  return list ? `list of ${kind}` : kind;
}
