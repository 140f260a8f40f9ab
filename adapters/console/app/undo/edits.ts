// Edits of one node that can be taken back: a value, a link. What others have changed since is not overwritten.

import { isObject, type Json, type JsonObject, objectsIn, writeJson } from "../api/json.ts";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { setValue, updateNode, type Writing } from "../model/changes.ts";
import { asInput, type LinkedNode, linkOf, referenceTo } from "../model/links.ts";
import { fieldQuery, filterOf, type NodeKey } from "../model/nodes.ts";
import { shown } from "../model/values.ts";
import type { Change } from "./use-undo.ts";

/** A field of a node that somebody edits. */
export interface Place {
  readonly writing: Writing;
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly key: NodeKey;
  /** What people call the node. */
  readonly label: string;
  readonly field: Field;
}

/** Sets a value, or a single link. @param before as it was read */
export async function editValue(place: Place, before: Json | undefined, value: Json): Promise<Change> {
  const { writing, type, key, label, field } = place;
  const displaced = await displacedBy(place, value);
  await setValue(writing, type, key, field, value);
  const changed: Place = field.name === key.field ? { ...place, key: { ...key, value } } : place;
  const written = await valueAt(changed);
  return {
    done: `Changed ${field.name} of ${label}`,
    takeBack: async () => {
      await assertIs(changed, written);
      await setValue(writing, type, changed.key, field, asInput(place.model, type, field, before));
      await displaced?.();
      return "";
    },
  };
}

/** Adds a link to a list. */
export async function link(place: Place, node: LinkedNode): Promise<Change> {
  const { writing, type, key, label, field } = place;
  const reference = [referenceTo(type, field, node)];
  const other = otherSide(place, node);
  const before = other && (await valueAt(other));
  await updateNode(writing, type, key, { set: { [field.name]: reference } });
  const written = other && (await valueAt(other));
  return {
    done: `Linked ${node.label} to ${label}`,
    takeBack: async () => {
      if (other === undefined) await updateNode(writing, type, key, { remove: { [field.name]: reference } });
      else {
        await assertIs(other, written);
        await setValue(writing, other.type, other.key, other.field, asInput(other.model, other.type, other.field, before));
      }
      return "";
    },
  };
}

/** Removes a link from a list; the node stays. */
export async function unlink(place: Place, node: LinkedNode): Promise<Change> {
  const { writing, type, key, label, field } = place;
  const reference = [referenceTo(type, field, node)];
  await updateNode(writing, type, key, { remove: { [field.name]: reference } });
  return {
    done: `Unlinked ${node.label} from ${label}`,
    takeBack: async () => {
      await assertThere(place, node);
      const other = otherSide(place, node);
      if (other) await assertIs(other, null);
      await updateNode(writing, type, key, { set: { [field.name]: reference } });
      return "";
    },
  };
}

/** The field at the other side of a link, if it holds one link only: a new one displaces it. */
function otherSide({ writing, model, field }: Place, { type, key, label }: LinkedNode): Place | undefined {
  const inverse = type.fields.find(({ name }) => name === field.inverse);
  return inverse === undefined || inverse.isList ? undefined : { writing, model, type, key, label, field: inverse };
}

/** Gives back the link that the new one takes away from its other side. */
async function displacedBy(place: Place, value: Json): Promise<(() => Promise<void>) | undefined> {
  if (place.field.kind !== "link" || !isObject(value)) return undefined;
  const node = nodeIn(place, value);
  const other = node && otherSide(place, node);
  const before = other && (await valueAt(other));
  if (other === undefined || before === null || before === undefined) return undefined;
  return () => setValue(other.writing, other.type, other.key, other.field, asInput(other.model, other.type, other.field, before));
}

/** The node that a reference names by its key. */
function nodeIn({ model, field }: Place, value: JsonObject): LinkedNode | undefined {
  return linkOf(model, field, { __typename: field.named, ...value });
}

async function assertThere(place: Pick<Place, "writing" | "model">, { type, key, label }: LinkedNode): Promise<void> {
  const [field] = type.fields;
  if (field && (await valueAt({ ...place, type, key, label, field })) === undefined) throw new Error(`${label} is gone.`);
}

async function assertIs(place: Place, expected: Json | undefined): Promise<void> {
  const { model, label, field } = place;
  const now = await valueAt(place);
  if (now === undefined) throw new Error(`${label} is gone.`);
  if (writeJson(now) === writeJson(expected)) return;
  const text = isObject(now) && field.kind === "link" ? (linkOf(model, field, now)?.label ?? "") : shown(field, now);
  throw new Error(`Somebody has changed it since: ${field.name} of ${label} is ${text === "" ? "empty" : text}.`);
}

/** Undefined: there is no such node. */
async function valueAt({ writing, model, type, key, field }: Place): Promise<Json | undefined> {
  const variables = { filter: filterOf(type, [key]) };
  const [row] = objectsIn((await writing.server.data({ query: fieldQuery(model, type, field), variables, as: writing.identity })).rows);
  return row && (row[field.name] ?? null);
}
