// Parses documents, no longer ones than the limits allow.

import { type DocumentNode, GraphQLError, type ParseOptions, parse } from "graphql";
import { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";

/** Throws the parser's GraphQLError, or LIMIT_REACHED. */
export function parseDocument(text: string, { maxDocumentTokens }: Pick<Limits, "maxDocumentTokens">, options: ParseOptions = {}): DocumentNode {
  try {
    return parse(text, { maxTokens: maxDocumentTokens, ...options });
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError && tooManyTokens.test(thrown.message))) throw thrown;
    throw new QuernError(
      "LIMIT_REACHED",
      `The document has more than ${maxDocumentTokens} tokens (limits.maxDocumentTokens). Send it in parts, or its values as variables.`,
    );
  }
}

/** The package gives it no code. */
const tooManyTokens = /^Syntax Error: Document contains more tha[nt] \d+ tokens/;
