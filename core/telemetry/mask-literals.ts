// Masks the literals of a document: strings and numbers may be passwords or card numbers.

import { GraphQLError, Lexer, Source, TokenKind } from "graphql";

const masked: ReadonlySet<TokenKind> = new Set([TokenKind.STRING, TokenKind.BLOCK_STRING, TokenKind.INT, TokenKind.FLOAT]);

/** Page sizes are useful in a log and not confidential. */
const shown: ReadonlySet<string> = new Set(["first", "offset", "last"]);

/**
 * Replaces each string of `text` with `"..."` and each number with `0`, and removes comments. Cuts the text at the first character that is
 * not GraphQL.
 */
export function maskLiterals(text: string): string {
  const lexer = new Lexer(new Source(text));
  let result = "";
  let end = 0;
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      result += blanks(text, end, token.start);
      const isPageSize = token.kind === TokenKind.INT && token.prev?.kind === TokenKind.COLON && shown.has(token.prev.prev?.value ?? "");
      if (!masked.has(token.kind) || isPageSize) result += text.slice(token.start, token.end);
      else result += token.kind === TokenKind.INT || token.kind === TokenKind.FLOAT ? "0" : '"..."';
      end = token.end;
    }
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    return `${result} (no GraphQL from here)`;
  }
  return result + blanks(text, end, text.length);
}

/** The text between two tokens; a single blank if it contains a comment. */
function blanks(text: string, start: number, end: number): string {
  const between = text.slice(start, end);
  return between.includes("#") ? " " : between;
}
