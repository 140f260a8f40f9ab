// The names of types, fields and stores in the database, chosen to read well in MongoDB's own tools.

import type { EndName, FieldName, TypeName } from "../../../core/storage.ts";

/** Prefix of internal collections and indexes; no collection of a type has it. */
export const own = "quern.";

const plainName = /^[A-Za-z][A-Za-z0-9_]*$/;

export const catalogCollection = `${own}catalog`;
/** The document of the catalog, and of the lease for changing it. */
export const catalogId = "catalog";
export const metaCollection = `${own}meta`;
export const changesCollection = `${own}changes`;
/** An index of `changes` that each commit names: a commit fails where the collection was dropped, instead of making a new one. */
export const changesGuard = `${own}guard`;
export const stripesCollection = `${own}stripes`;

/** One collection for each concrete type, under its own name. */
export function collectionOf(type: TypeName): string {
  // The fast path: nearly all names, several times for each request.
  if (plainName.test(type)) return type;
  const name = escaped(type, /[%$\0]/g);
  return name.startsWith(own) || name.startsWith("system.") || name.startsWith(".") ? `%2E${name}` : name;
}

const linksCollections = `${own}links.`;
const keyCollections = `${own}keys.`;

/** Whether a collection holds links, each in a document. */
export function holdsPairs(collection: string): boolean {
  return collection.startsWith(linksCollections);
}

/** Whether a collection holds values of which each belongs to one node at most. */
export function holdsUniqueEntries(collection: string): boolean {
  return collection.startsWith(keyCollections);
}

/** Links of an edge with many on both sides, under the name of its first end. */
export function pairsCollection(end: EndName, id: number): string {
  return `${linksCollections}${id}.${escaped(end, /[%$\0]/g).replace(/^~/, "")}`;
}

/** The values of a key over several types, or of what else only one node may hold. */
export function keyCollection(id: number): string {
  return `${keyCollections}${id}`;
}

/** The original documents of a collection that a deploy has taken in. */
export function adoptedCollection(collection: string): string {
  return `${own}adopted.${collection}`;
}

/** The index tokens of a node, each with the number of its index in front. */
export const tokensProperty = "_tokens";
/** Counts the transactions that held the node; a write of it conflicts with every other write of the node. */
export const heldProperty = "_held";
/** Set when the node is held so often that its holds are spread over separate documents. */
export const stripedProperty = "_striped";

/**
 * `Package.size` is `size` in the collection `Package`, and `Package:size` in any other, as dots mean something else to MongoDB. A
 * name without a dot gets a colon in front, so that no two names collide. Names of `Object.prototype` would be found in every document:
 * `Team.constructor` is `Team:constructor` everywhere.
 */
export function propertyOf(type: TypeName, field: FieldName): string {
  const rest = field.startsWith(`${type}.`) ? field.slice(type.length + 1) : "";
  if (plainName.test(rest) && !(rest in Object.prototype)) return rest;
  const spelled = escaped(field, /[%:$=@\0]/g).replaceAll(".", ":");
  return spelled.includes(":") ? spelled : `:${spelled}`;
}

/** The property names the derivation, so that old and new values can coexist during a build. */
export function derivedProperty(property: string, derivation: string): string {
  return `${property}=${escaped(derivation, /[%$.\0]/g)}`;
}

/** A later property of links with the same name gets `@` and its number. */
export function linkProperty(type: TypeName, field: FieldName, number: number | undefined): string {
  const property = propertyOf(type, field);
  return number === undefined ? property : `${property}@${number}`;
}

function escaped(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
