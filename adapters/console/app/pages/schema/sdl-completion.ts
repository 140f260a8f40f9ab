// Completion in a schema: names of types after a colon, directives after `@`, arguments of a directive, values of its enums.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { type GraphQLSchema, getNamedType, isEnumType } from "graphql";

const keywords = ["type", "interface", "enum", "input", "union", "implements", "extend type", "scalar"].map(
  (label): Completion => ({ label, type: "keyword" }),
);
const scalars = ["String", "Int", "Int64", "Float", "Boolean", "ID", "DateTime", "Point", "Polygon", "MultiPolygon"];

/** @param schema the generated one: it has the definitions of all directives that this server understands */
export function sdlCompletion(schema: GraphQLSchema | undefined): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const before = context.state.sliceDoc(Math.max(0, context.pos - 2_000), context.pos);
    const directive = /@(\w*)$/.exec(before);
    if (directive)
      return result(
        context,
        directive[1],
        (schema?.getDirectives() ?? []).map(({ name, description }) => ({ label: name, type: "keyword", ...(description && { info: description }) })),
      );
    const argument = /@(\w+)\(([^()]*?)(\w*)$/.exec(before);
    if (argument) return result(context, argument[3], argumentsOf(schema, argument[1], argument[2] ?? ""));
    const type = /:\s*\[?(\w*)$/.exec(before);
    if (type) return result(context, type[1], typesIn(context.state.doc.toString()));
    const word = /(?:^|\n)\s*(\w*)$/.exec(before);
    return word && (context.explicit || word[1]) ? result(context, word[1], keywords) : null;
  };
}

function result({ pos }: CompletionContext, typed: string | undefined, options: readonly Completion[]): CompletionResult {
  return { from: pos - (typed?.length ?? 0), options: [...options], validFor: /^\w*$/ };
}

/** `@search(by: [` offers the kinds of indexes; elsewhere the names of arguments are offered. */
function argumentsOf(schema: GraphQLSchema | undefined, name: string | undefined, before: string): readonly Completion[] {
  const directive = schema?.getDirectives().find((each) => each.name === name);
  const [, current] = /(\w+)\s*:\s*\[?[^\]:]*$/.exec(before) ?? [];
  const argument = directive?.args.find((each) => each.name === current);
  if (argument === undefined)
    return (directive?.args ?? []).map((each) => ({ label: each.name, apply: `${each.name}: `, type: "property", detail: String(each.type) }));
  const type = getNamedType(argument.type);
  const kinds = name === "search" && current === "by" ? schema?.getType("DgraphIndex") : type;
  return isEnumType(kinds) ? kinds.getValues().map((value) => ({ label: value.name, type: "enum" })) : [];
}

function typesIn(text: string): readonly Completion[] {
  const own = [...text.matchAll(/^\s*(?:type|interface|enum|union|scalar)\s+(\w+)/gm)].map(([, name = ""]) => name);
  return [...new Set([...own, ...scalars])].map((label) => ({ label, type: "type" }));
}
