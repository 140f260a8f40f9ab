// `@paged`: lists in pages by cursors, after the Relay cursor connections specification.

import { type DocumentNode, visit } from "graphql";
import type { DirectivePlugin, DirectiveUse, ListKind, ModelContext, NodeType } from "../../core/plugin.ts";
import { planConnection } from "./connection-step.ts";
import { connectionSignature, connectionTypes, pageInfo } from "./definitions.ts";

const directive = "paged";
const definitions = `"""
Pages by cursors, after the Relay specification: the query queryPostConnection of the type, or the field postsConnection beside a list.
"""
directive @${directive} on OBJECT | INTERFACE | FIELD_DEFINITION`;

/** `@paged`: lists in pages by cursors, after Relay's connections. */
export function pagingPlugin(): DirectivePlugin {
  return {
    name: "paging",
    definitions,
    definitionsFor: (schema) => (isUsed(schema) ? definitions : ""),
    model(context) {
      const paged: Paged = { queries: new Set(), links: new Set() };
      const types = new Set<NodeType>();
      for (const use of context.uses(directive)) for (const type of readUse(use, paged, context)) types.add(type);
      if (types.size === 0) return undefined;
      return { api: () => ({ definitions: pageInfo, lists: [...types].map((type) => kindOf(type, paged)) }) };
    },
  };
}

/** What has pages. */
interface Paged {
  /** Types with `query<Type>Connection`. */
  readonly queries: Set<NodeType>;
  /** `Author.posts` */
  readonly links: Set<string>;
}

function kindOf(type: NodeType, { queries, links }: Paged): ListKind {
  return {
    type,
    definitions: connectionTypes(type),
    signature: connectionSignature(type),
    description: "A list in pages by cursors.",
    ...(queries.has(type) && { query: `query${type.name}Connection` }),
    companion: ({ owner, name }) => (links.has(`${owner.name}.${name}`) ? `${name}Connection` : undefined),
    plan: (field, planner) => planConnection(type, field, planner),
  };
}

/** A schema without the directive stays as it is. */
function isUsed(schema: DocumentNode): boolean {
  const used = new Set<string>();
  visit(schema, { Directive: ({ name }) => void used.add(name.value) });
  return used.has(directive);
}

/** The types that get pages. The problems are reported when there are some. */
function readUse({ node, definition, type, field, inherited }: DirectiveUse, paged: Paged, { report }: ModelContext): readonly NodeType[] {
  if (!type) {
    report(`Type ${definition.name.value}: has the @${directive} directive, but its objects are not stored. Remove it.`, node);
  } else if (!field) {
    paged.queries.add(type);
    return [type];
  } else if (field.role === "link" && field.type.list && field.target.kind !== "union") {
    paged.links.add(`${field.owner.name}.${field.name}`);
    return [field.target];
  } else if (!inherited) {
    report(`Type ${type.name}; Field ${field.name}: @${directive} is for types, and for fields that list objects of a type or an interface.`, node);
  }
  return [];
}
