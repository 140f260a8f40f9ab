// Coerces the arguments of plugins' directives as GraphQL does: with the defaults of their definitions and the kernel's scalars.

import {
  buildASTSchema,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isEnumType,
  isTypeDefinitionNode,
  Kind,
  type TypeDefinitionNode,
} from "graphql";
import type { DirectivePlugin } from "../../contracts/plugin/directive-plugin.ts";
import { QuernError } from "../../ground/errors.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { runAtOnce } from "../../ground/work.ts";
import { withScalars } from "../api/with-scalars.ts";
import { definitionsOf, kernelDefinitions } from "../document/installed.ts";
import { locationOf } from "../document/locations.ts";
import { directivesWithin } from "../document/pre-checks.ts";
import type { Problems } from "../document/problems.ts";

export type ArgumentValues = Readonly<Record<string, unknown>>;

export class DirectiveArguments {
  readonly #plugins: readonly DirectivePlugin[];
  readonly #document: DocumentNode;
  #schema: GraphQLSchema | undefined;

  /** @param document the schema text */
  constructor(plugins: readonly DirectivePlugin[], document: DocumentNode) {
    this.#plugins = plugins;
    this.#document = document;
  }

  /** @throws QuernError `SCHEMA_INVALID` if they do not match the directive's definition */
  of(node: DirectiveNode): ArgumentValues {
    const found = this.#read(node);
    if (!(found instanceof GraphQLError)) return found;
    throw new QuernError("SCHEMA_INVALID", problemText(node, found), { locations: placesOf(node, found).flatMap((each) => locationOf(each) ?? []) });
  }

  /** Reports arguments that do not match their definition, except for plugins with `validatesArguments` and for directives that have a problem already. */
  check(definitions: readonly TypeDefinitionNode[], problems: Problems): void {
    const checked = this.#plugins.filter(({ validatesArguments }) => !validatesArguments).flatMap((plugin) => definitionsOf(plugin, this.#document));
    const names = new Set(checked.flatMap((node) => (node.kind === Kind.DIRECTIVE_DEFINITION ? [node.name.value] : [])));
    const earlier = problems.places();
    for (const node of definitions.flatMap(directivesWithin)) {
      const found = names.has(node.name.value) && !earlier.has(node) ? this.#read(node) : undefined;
      if (found instanceof GraphQLError) problems.report(problemText(node, found), placesOf(node, found), this.#hint(node));
    }
  }

  /** What fits: the values of an enum to which a given one does not belong, or the arguments that there are. */
  #hint({ name, arguments: given = [] }: DirectiveNode): string | undefined {
    const known = this.#schema?.getDirective(name.value)?.args ?? [];
    for (const { name: argument, value } of given) {
      const type = getNamedType(known.find((each) => each.name === argument.value)?.type);
      if (!isEnumType(type) || value.kind !== Kind.ENUM || type.getValue(value.value) !== undefined) continue;
      const values = type.getValues().map((each) => each.name);
      return `${argument.value} is one of ${values.join(", ")}${didYouMean(value.value, values) || "."}`;
    }
    return given.length < known.length ? `@${name.value} takes ${known.map((each) => each.name).join(", ")}.` : undefined;
  }

  #read(node: DirectiveNode): ArgumentValues | GraphQLError {
    this.#schema ??= schemaOf(this.#plugins.flatMap((plugin) => definitionsOf(plugin, this.#document)));
    const definition = this.#schema.getDirective(node.name.value);
    if (!definition) throw new TypeError(`No plugin defines the directive @${node.name.value}.`);
    try {
      return getDirectiveValues(definition, { directives: [node] }) ?? {};
    } catch (thrown) {
      if (thrown instanceof GraphQLError) return thrown;
      throw thrown;
    }
  }
}

/** Several plugins may define the same type. */
function schemaOf(definitions: readonly DefinitionNode[]): GraphQLSchema {
  const own = new Map<string, DefinitionNode>();
  for (const node of definitions) {
    if (isTypeDefinitionNode(node) || node.kind === Kind.DIRECTIVE_DEFINITION) own.set(`${node.kind} ${node.name.value}`, node);
  }
  const schema = buildASTSchema({ kind: Kind.DOCUMENT, definitions: [...kernelDefinitions, ...own.values()] }, { assumeValidSDL: true });
  return runAtOnce(withScalars(schema));
}

function problemText(node: DirectiveNode, { message }: GraphQLError): string {
  return `Directive @${node.name.value}: ${message}`;
}

function placesOf(node: DirectiveNode, { nodes }: GraphQLError) {
  return nodes && nodes.length > 0 ? nodes.slice(0, 1) : [node];
}
