// How types, fields and stores are spelled in the database, so that the data read well in MongoDB's own tools.

import type { EndName, FieldName, TypeName } from "../../core/index.ts";

/** Collections and indexes of our own begin with it; no type's collection does. */
export const own = "quern.";

const plainName = /^[A-Za-z][A-Za-z0-9_]*$/;

export const catalogCollection = `${own}catalog`;
/** The document of the catalog, and of the lease for changing it. */
export const catalogId = "catalog";
export const metaCollection = `${own}meta`;
export const changesCollection = `${own}changes`;
export const stripesCollection = `${own}stripes`;

/** One collection for each concrete type, under its own name. */
export function collectionOf(type: TypeName): string {
  // As nearly all are; asked several times for each request.
  if (plainName.test(type)) return type;
  const name = escaped(type, /[%$\0]/g);
  return name.startsWith(own) || name.startsWith("system.") || name.startsWith(".") ? `%2E${name}` : name;
}

/** Links of an edge with many on both sides, under the name of its first end. */
export function pairsCollection(end: EndName, id: number): string {
  return `${own}links.${id}.${escaped(end, /[%$\0]/g).replace(/^~/, "")}`;
}

/** What the nodes of several types hold in one key. */
export function keyCollection(id: number): string {
  return `${own}keys.${id}`;
}

/** The index tokens of a node, each with the number of its index in front. */
export const tokensProperty = "_tokens";
/** Counts those who held the node; a write of it conflicts with every other. */
export const heldProperty = "_held";
/** There when the node is held so often that its holds are spread over documents of their own. */
export const stripedProperty = "_striped";

/**
 * `Package.size` is `size` in the collection `Package`, and `Package:size` in any other, as dots mean something else to MongoDB. A
 * name without a dot gets a colon in front, so that no two names meet. What every object of JavaScript has would be found in documents
 * that lack it: `Team.constructor` is `Team:constructor` everywhere.
 */
export function propertyOf(type: TypeName, field: FieldName): string {
  const rest = field.startsWith(`${type}.`) ? field.slice(type.length + 1) : "";
  if (plainName.test(rest) && !(rest in Object.prototype)) return rest;
  const spelled = escaped(field, /[%:$=@\0]/g).replaceAll(".", ":");
  return spelled.includes(":") ? spelled : `:${spelled}`;
}

/** Derived values carry the name of their derivation, so that two of them can be there while one is built. */
export function derivedProperty(property: string, derivation: string): string {
  return `${property}=${escaped(derivation, /[%$.\0]/g)}`;
}

/** A property of links that came after another of the same name has its number behind an `@`. */
export function linkProperty(type: TypeName, field: FieldName, number: number | undefined): string {
  const property = propertyOf(type, field);
  return number === undefined ? property : `${property}@${number}`;
}

function escaped(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
