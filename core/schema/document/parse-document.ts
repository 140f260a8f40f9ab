// Parses a schema text to definitions. Translates the syntax errors of the `graphql` package to the messages that clients expect.

import {
  type ASTNode,
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  GraphQLError,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  Lexer,
  type OperationTypeDefinitionNode,
  parse,
  type SchemaDefinitionNode,
  type SchemaExtensionNode,
  Source,
  type Token,
  TokenKind,
  type TypeDefinitionNode,
} from "graphql";
import { QuernError } from "../../ground/errors.ts";
import { asDefinition } from "./extensions.ts";
import { refusal } from "./problems.ts";

/** A parsed schema text. */
export interface SchemaDocument {
  /** In source order, extensions last. */
  readonly definitions: readonly TypeDefinitionNode[];
  /** Directives that the schema itself defines. */
  readonly directives: readonly DirectiveDefinitionNode[];
  /** The root types that `schema {...}` names. They have no effect, but must exist. */
  readonly roots: readonly OperationTypeDefinitionNode[];
  /** Everything as written. */
  readonly written: DocumentNode;
}

/**
 * Accepts a byte order mark and all line ends; `schema {...}` has no effect.
 *
 * @param maxTokens of the text; by default any number
 * @throws QuernError `SCHEMA_INVALID` with the first syntax error
 */
export function parseDocument(text: string, maxTokens?: number): SchemaDocument {
  if (text === "") throw refusal([new QuernError("SCHEMA_INVALID", "No schema specified")]);
  const source = new Source(withoutByteOrderMark(text), "input");
  const first = firstToken(source);
  if (first && first.kind !== TokenKind.EOF && !beginsDefinition(first)) throw unexpected(first);
  const nodes = first?.kind === TokenKind.EOF ? [] : parseNodes(source, maxTokens);
  for (const node of nodes) assertSchemaSyntax(node);
  return schemaDocument(nodes);
}

/** The text that locations count in. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/u, "");
}

/** The document of the parsed `nodes`, in source order. */
export function schemaDocument(nodes: readonly DefinitionNode[]): SchemaDocument {
  const extensions = nodes.filter(isTypeExtensionNode).map(asDefinition);
  return {
    definitions: [...nodes.filter(isTypeDefinitionNode), ...extensions],
    directives: nodes.filter((node): node is DirectiveDefinitionNode => node.kind === Kind.DIRECTIVE_DEFINITION),
    roots: nodes.flatMap((node) => (isSchemaNode(node) ? (node.operationTypes ?? []) : [])),
    written: { kind: Kind.DOCUMENT, definitions: nodes },
  };
}

function isSchemaNode(node: DefinitionNode): node is SchemaDefinitionNode | SchemaExtensionNode {
  return node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION;
}

/** Undefined if it cannot be read: the parser then reports why. */
function firstToken(source: Source): Token | undefined {
  try {
    return new Lexer(source).advance();
  } catch {
    return undefined;
  }
}

const keywords = new Set("schema scalar type interface union enum input directive extend".split(" "));

function beginsDefinition({ kind, value }: Token): boolean {
  return kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING || (kind === TokenKind.NAME && keywords.has(value));
}

function parseNodes(source: Source, maxTokens: number | undefined): readonly DefinitionNode[] {
  try {
    return parse(source, { maxTokens }).definitions;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error.message.includes("Parsing aborted")) throw refusal([tooManyTokens(maxTokens)]);
    throw refusal([new QuernError("SCHEMA_INVALID", syntaxText(error, source.body), { locations: error.locations ?? [], cause: error })]);
  }
}

function tooManyTokens(maxTokens: number | undefined): QuernError {
  return new QuernError("SCHEMA_INVALID", `The schema has more than ${maxTokens} tokens (limits.maxSchemaTokens).`);
}

/** `Syntax Error: Expected Name, found ":".` becomes `Expected Name, found :`. */
function syntaxText(error: GraphQLError, body: string): string {
  const text = error.message.replace(/^Syntax Error: /u, "").replace(/\.$/u, "");
  if (text === 'Expected Name, found "}"' && /\{[\s,]*$/u.test(body.slice(0, error.positions?.[0]))) {
    return "expected at least one definition, found }";
  }
  return text.replace(/^Unexpected "(.+)"$/u, "Unexpected $1").replace(/^Expected "?(.+?)"?, found (?:"(.+)"|(\S+).*)$/u, "Expected $1, found $2$3");
}

/** Refuses syntax that `graphql` accepts but schemas must not contain: operations, and interfaces that implement interfaces. */
function assertSchemaSyntax(node: ASTNode): void {
  if (node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION) throw unexpected(node.loc?.startToken);
  if (node.kind !== Kind.INTERFACE_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_EXTENSION) return;
  // `implements` follows the name.
  if (node.interfaces?.length) throw unexpected(node.name.loc?.endToken.next);
}

function unexpected(token: Token | null | undefined): QuernError {
  const found = token?.kind === TokenKind.NAME ? `Name "${token.value}"` : token?.kind;
  const locations = token ? [{ line: token.line, column: token.column }] : [];
  return refusal([new QuernError("SCHEMA_INVALID", `Unexpected ${found}`, { locations })]);
}
