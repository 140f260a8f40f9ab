// Parses documents, no longer ones than the limits allow.

import { type DocumentNode, GraphQLError, type ParseOptions, parse } from "graphql";
import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";

/** Characters for each token that a document may have. Only long texts in it have more, which can be sent in variables. */
const charactersOfToken = 256;

/**
 * Throws the parser's GraphQLError, or LIMIT_REACHED. Characters and lines are bounded like tokens: a document is parsed in one go, blanks and comments
 * too, and each error counts the lines up to its place.
 */
export function parseDocument(text: string, { maxDocumentTokens }: Pick<Limits, "maxDocumentTokens">, options: ParseOptions = {}): DocumentNode {
  const most = maxDocumentTokens * charactersOfToken;
  if (text.length > most) {
    throw new QuernError(
      "LIMIT_REACHED",
      `The document has more than ${most} characters (${charactersOfToken} for each of limits.maxDocumentTokens). Send it in parts, or its values as variables.`,
    );
  }
  if (hasMoreLines(text, maxDocumentTokens)) {
    throw new QuernError(
      "LIMIT_REACHED",
      `The document has more than ${maxDocumentTokens} lines (limits.maxDocumentTokens). Send it in parts, or its values as variables.`,
    );
  }
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

function hasMoreLines(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++lines > most) return true;
  for (let at = text.indexOf("\r"); at >= 0; at = text.indexOf("\r", at + 1)) if (text[at + 1] !== "\n" && ++lines > most) return true;
  return false;
}
