// From the printed schema to the one that requests are validated against: what the text does not say does not exist.

import { buildASTSchema, GraphQLSchema, parse, validateSchema } from "graphql";
import { QuernError } from "../../ground/errors.ts";
import { withScalars } from "./with-scalars.ts";

/**
 * @throws QuernError `SCHEMA_INVALID` for what the `graphql` package finds wrong
 * @see reference/schema.md 0, stage 9
 */
export function serveSchema(sdl: string): GraphQLSchema {
  const schema = withScalars(parsed(sdl));
  const errors = validateSchema(schema).filter(({ message }) => message !== withoutQueries);
  if (errors.length > 0) throw invalid(errors.map(({ message }) => `while validating GraphQL schema: ${message}`));
  return schema.getQueryType() ? schema : new GraphQLSchema({ ...schema.toConfig(), assumeValid: true });
}

/** Where all queries are switched off there are mutations to serve. */
const withoutQueries = "Query root type must be provided.";

function parsed(sdl: string): GraphQLSchema {
  try {
    // Directives of fields stand on members of inputs too, which the specification does not know.
    return buildASTSchema(parse(sdl), { assumeValidSDL: true });
  } catch (thrown) {
    if (thrown instanceof Error) throw invalid([`while parsing GraphQL schema: ${thrown.message}`], thrown);
    throw thrown;
  }
}

function invalid(messages: readonly string[], cause?: unknown): QuernError {
  const errors = messages.map((message) => new QuernError("SCHEMA_INVALID", message));
  return new QuernError("SCHEMA_INVALID", messages.join("\n"), { errors, cause });
}
