// `@withSubscription`: which queries clients may subscribe to, and the engine that runs them.

import { type ConstDirectiveNode, type FieldDefinitionNode, Kind } from "graphql";
import type { DirectivePlugin, ModelContext, UnstoredUse } from "../../core/plugin.ts";
import { LiveQueries } from "./live/live-queries.ts";

const directive = "withSubscription";

/** `@withSubscription`: live queries of a type. */
export function subscriptionPlugin(): DirectivePlugin {
  return {
    name: "subscription",
    // `@generate(subscription: false)` does not undo it.
    follows: ["generate"],
    definitions: `"Live queries of the type: subscription { query<Type> }."\ndirective @${directive} on OBJECT | INTERFACE | FIELD_DEFINITION`,
    model(context) {
      readTypes(context);
      const live = context.uses(directive, "unstored").flatMap((use) => liveQuery(use, context));
      return live.length === 0 ? undefined : { api: () => ({ live }) };
    },
    liveEngine: (host) => new LiveQueries(host),
  };
}

function readTypes({ uses, record, report }: ModelContext): void {
  for (const { definition, type, field, inherited } of uses(directive)) {
    if (field) {
      if (!inherited) report(misplaced(definition.name.value, field.name), field.definition.name);
    } else if (directiveOn(definition, "remote"))
      report(`Type ${definition.name.value}; cannot have both @${directive} and @remote directive`, definition.name);
    else if (type) record.enableOperation(type, "subscription");
  }
}

/** The field's name when it can be subscribed to: only a `@custom` query in DQL reads this store, so only its changes are known. */
function liveQuery({ definition, field }: UnstoredUse, { report }: ModelContext): readonly string[] {
  if (field.kind !== Kind.FIELD_DEFINITION) return [];
  const [type, name] = [definition.name.value, field.name.value];
  if (type !== "Query") report(misplaced(type, name), field.name);
  const custom = directiveOn(field, "custom");
  if (type !== "Query" || !custom) return [];
  const value = custom.arguments?.find((each) => each.name.value === "dql")?.value;
  if (value && value.kind !== Kind.NULL) return [name];
  report(`Type Query; Field ${name}: custom query should have dql argument if @${directive} directive is set`, field.name);
  return [];
}

function misplaced(type: string, field: string): string {
  return `Type ${type}; Field ${field}: @${directive} directive is applicable only on types and custom dql queries`;
}

function directiveOn({ directives }: Pick<FieldDefinitionNode, "directives">, name: string): ConstDirectiveNode | undefined {
  return directives?.find((each) => each.name.value === name);
}
