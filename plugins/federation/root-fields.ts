// `_service` and `_entities`: what a gateway asks of a subgraph.

import type { RootField } from "../../core/plugin.ts";
import type { Entity } from "./entity-keys.ts";
import { type EntityTypes, RepresentationError, readRepresentations } from "./representations.ts";

export const serviceDefinitions = "type _Service { sdl: String }";

/** The union of all entities, and the scalar of their representations. */
export function entityDefinitions(entities: readonly Entity[]): string {
  return `scalar _Any  union _Entity = ${entities.map(({ type }) => type.name).join(" | ")}`;
}

/** @param sdl the text that a gateway composes; called when it asks */
export function serviceField(sdl: () => string): RootField {
  return { operation: "query", signature: "_service: _Service!", run: () => ({ json: { sdl: sdl() } }) };
}

export function entitiesField(entities: readonly Entity[], isType: (name: string) => boolean): RootField {
  const types: EntityTypes = { entities: new Map(entities.map((entity) => [entity.type.name, entity])), isType };
  return {
    operation: "query",
    signature: "_entities(representations: [_Any!]!): [_Entity]!",
    members: entities.map(({ type }) => type),
    run: async ({ arguments: { representations }, selection }) => {
      try {
        return { lookups: await readRepresentations(representations, types) };
      } catch (error) {
        if (!(error instanceof RepresentationError)) throw error;
        return { lookups: [], errors: [{ message: `couldn't rewrite query _entities because ${error.message}`, path: [selection.key] }] };
      }
    },
  };
}
