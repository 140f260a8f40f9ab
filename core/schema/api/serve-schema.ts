// Builds the schema that requests are validated against from the printed text, so that both always agree. Only directives are written otherwise.

import { buildASTSchema, GraphQLSchema, parse, validateSchema } from "graphql";
import { QuernError } from "../../ground/errors.ts";
import type { Work } from "../../ground/work.ts";
import type { Definition } from "./definition.ts";
import { withCoercibleDirectives } from "./sdl/coerce-directives.ts";
import { withArgumentDescriptions } from "./sdl/describe-arguments.ts";
import { withScalars } from "./with-scalars.ts";

/**
 * @param definitions where the descriptions of arguments are, which the text leaves out
 * @throws QuernError `SCHEMA_INVALID` for errors that the `graphql` package finds
 * @see reference/schema.md 0, stage 9
 */
export function* serveSchema(sdl: string, definitions: readonly Definition[] = []): Work<GraphQLSchema> {
  const built = yield* parsed(sdl, definitions);
  yield;
  const schema = yield* withScalars(built);
  yield;
  const errors = validateSchema(schema).filter(({ message }) => message !== withoutQueries);
  if (errors.length > 0) throw invalid(errors.map(({ message }) => `while validating GraphQL schema: ${message}`));
  return schema.getQueryType() ? schema : new GraphQLSchema({ ...schema.toConfig(), assumeValid: true });
}

/** Accepted: a schema may disable all queries and serve mutations only. */
const withoutQueries = "Query root type must be provided.";

function* parsed(sdl: string, definitions: readonly Definition[]): Work<GraphQLSchema> {
  try {
    const document = parse(sdl);
    yield;
    const described = withArgumentDescriptions(document, definitions);
    yield;
    const coercible = yield* withCoercibleDirectives(described);
    yield;
    // Inputs repeat directives that are defined for fields only, which SDL validation would refuse.
    return buildASTSchema(coercible, { assumeValidSDL: true });
  } catch (thrown) {
    if (thrown instanceof Error) throw invalid([`while parsing GraphQL schema: ${thrown.message}`], thrown);
    throw thrown;
  }
}

function invalid(messages: readonly string[], cause?: unknown): QuernError {
  const errors = messages.map((message) => new QuernError("SCHEMA_INVALID", message));
  return new QuernError("SCHEMA_INVALID", messages.join("\n"), { errors, cause });
}
