// What a tool meets that reads the directives of a schema by their definitions.

import { type DirectableObject, getDirectives } from "@graphql-tools/utils";
import { type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from "graphql";

/** One line for each place whose directives cannot be read; empty when all can. */
export function directiveFaults(schema: GraphQLSchema): readonly string[] {
  return placesOf(schema).flatMap(([name, place]) => {
    try {
      getDirectives(schema, place);
      return [];
    } catch (thrown) {
      return [`${name}: ${String(thrown)}`];
    }
  });
}

type Place = readonly [name: string, place: DirectableObject];

function placesOf(schema: GraphQLSchema): readonly Place[] {
  const places: Place[] = [["schema", schema]];
  for (const type of Object.values(schema.getTypeMap())) {
    places.push([type.name, type]);
    if (isEnumType(type)) for (const value of type.getValues()) places.push([`${type.name}.${value.name}`, value]);
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) places.push([`${type.name}.${field.name}`, field]);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      places.push([`${type.name}.${field.name}`, field]);
      for (const argument of field.args) places.push([`${type.name}.${field.name}.${argument.name}`, argument]);
    }
  }
  return places;
}
