// Answers a field of `Query` with DQL: arguments become query variables, and the block that has the field's name is the value.

import { type GraphQLOutputType, isListType, isNonNullType } from "graphql";
import { type AnswerError, type AnswerValue, QuernError, type RootAnswer, type RootContext, type RootField } from "../../../core/plugin.ts";
import { runChecked } from "../request/run-text.ts";
import { variableTexts } from "../request/variable-texts.ts";
import type { CatalogSource } from "../schema/catalog.ts";
import { DocumentBudget, type WorkLimits } from "../state/document-budget.ts";
import type { CustomField } from "./custom-fields.ts";

export interface CustomRootOptions {
  /** Known when the schema has been compiled. */
  readonly schema: () => CatalogSource;
  readonly limits: WorkLimits;
  /** Whether rules hide nodes and fields from the DQL of a caller. */
  readonly rules: boolean;
}

export function customRoot(custom: CustomField, options: CustomRootOptions): RootField {
  return { operation: "query", signature: `${custom.name}: String`, run: (context) => answer(custom, context, options) };
}

async function answer({ name, document }: CustomField, context: RootContext, { schema, limits, rules }: CustomRootOptions): Promise<RootAnswer> {
  const { type, key } = context.selection;
  try {
    if (document instanceof QuernError) throw document;
    const variables = variableTexts(context.arguments);
    const snapshot = rules ? await context.visible() : await context.outsideRules();
    const source = { ...schema(), mayRead: context.mayRead };
    const blocks = await runChecked(document, variables, {
      isRuled: rules,
      schema: source,
      snapshot,
      work: new DocumentBudget(limits, { check: () => context.signal.throwIfAborted() }),
      typenames: true,
    });
    const json: AnswerValue = blocks[name] ?? null;
    return { json, errors: missing(json, { name, type, key }) };
  } catch (thrown) {
    if (!(thrown instanceof QuernError) || thrown.code !== "REQUEST_INVALID") throw thrown;
    const message = `resolving ${name} failed because Dgraph query failed because Dgraph execution failed because ${thrown.message}`;
    return { json: isList(type) ? [] : null, errors: [{ message }] };
  }
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

interface Selected {
  readonly name: string;
  readonly type: GraphQLOutputType;
  readonly key: string;
}

/** A non-null object that no row gives is missed before the empty list is noticed. */
function missing(json: AnswerValue, { name, type, key }: Selected): readonly AnswerError[] {
  if (!isNonNullType(type) || isList(type) || !Array.isArray(json) || json.length > 0) return [];
  const message = `Non-nullable field '${name}' (type ${String(type)}) was not present in result from Dgraph.  GraphQL error propagation triggered.`;
  return [{ message, path: [key] }];
}
