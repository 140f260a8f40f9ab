// Whether there is a handler for everything that a schema leaves to one. Without it a deploy, and a start, is refused.

import type { ASTNode } from "graphql";
import { didYouMean, type ModelContext, QuernError } from "../../core/plugin.ts";
import type { RaisingTypes } from "./events/lambda-on-mutate.ts";
import type { LambdaFields } from "./fields/read-fields.ts";
import type { Handlers } from "./handlers/handlers.ts";

/** A call that the schema leaves to a handler. */
export interface NeededHandler {
  /** `Type.field`; of an event `Type.add`. */
  readonly name: string;
  /** `Type Hive; Field bio`. */
  readonly place: string;
  readonly directive: "@lambda" | "@lambdaOnMutate";
  readonly at: ASTNode;
}

export function neededHandlers({ roots, fields }: LambdaFields, raising: RaisingTypes): readonly NeededHandler[] {
  return [
    ...roots.map(({ resolver, at }): NeededHandler => {
      const [type, field] = resolver.split(".");
      return { name: resolver, place: `Type ${type}; Field ${field}`, directive: "@lambda", at };
    }),
    ...fields.map(({ type, field, at }): NeededHandler => {
      return { name: `${type.name}.${field.name}`, place: `Type ${type.name}; Field ${field.name}`, directive: "@lambda", at };
    }),
    ...[...raising].flatMap(([type, operations]) => {
      const at = type.definition.directives?.find((each) => each.name.value === "lambdaOnMutate")?.name ?? type.definition.name;
      return [...operations].map((operation): NeededHandler => {
        return { name: `${type.name}.${operation}`, place: `Type ${type.name}`, directive: "@lambdaOnMutate", at };
      });
    }),
  ];
}

/** Reports what nobody handles. A worker thread says only when it runs what it handles: `openThreads` judges it then. */
export function checkHandlers(needed: readonly NeededHandler[], { handlers, functions = {}, report }: Checked): void {
  const reported = new Set<string>();
  for (const { name, place, directive, at } of needed) {
    if (!handlers.isConfigured) {
      // Several operations of a type have one directive.
      if (reported.has(place)) continue;
      reported.add(place);
      const flag = directive === "@lambda" ? '--graphql "lambda-url=...;" flag' : "`--graphql lambda-url` flag";
      report(`${place}: has the ${directive} directive, but the ${flag} wasn't specified during alpha startup.`, at, hint(name));
    } else if (handlers.threads.length === 0 && !handlers.handles(name)) report(missingText(name, Object.keys(functions)), at, hint(name));
  }
}

interface Checked {
  readonly handlers: Handlers;
  readonly functions: Readonly<Record<string, unknown>> | undefined;
  readonly report: ModelContext["report"];
}

/** Starts the worker threads. @throws QuernError `CONFIG_INVALID` when one cannot be used, or nobody handles what the schema needs */
export async function openThreads(needed: readonly NeededHandler[], handlers: Handlers): Promise<void> {
  await Promise.all(handlers.threads.map((each) => each.open()));
  const names = handlers.threads.flatMap((each) => [...each.names]);
  const missing = needed.filter(({ name }) => !handlers.handles(name));
  if (missing.length > 0) throw new QuernError("CONFIG_INVALID", missing.map(({ name }) => missingText(name, names)).join("\n"));
}

function missingText(name: string, names: readonly string[]): string {
  return `Nothing handles ${name}: the option functions of lambdaPlugin has no "${name}"${didYouMean(name, names) || "."}`;
}

function hint(name: string): string {
  return `Give lambdaPlugin a function, { functions: { "${name}": ... } }, or a lambda server: url, --lambda-url or QUERN_LAMBDA_URL.`;
}

/** A directive must not stand beside another that resolves the same field, nor twice. */
export function checkOnlyOne(context: ModelContext): void {
  const fields = [...context.uses("lambda"), ...context.uses("lambda", "unstored")];
  for (const { definition, field, node } of fields) {
    const directives = (field && "definition" in field ? field.definition.directives : field?.directives) ?? [];
    const place = `Type ${definition.name.value}; Field ${field?.name && typeof field.name !== "string" ? field.name.value : field?.name}`;
    const same = directives.filter(({ name }) => name.value === "lambda");
    if (directives.some(({ name }) => name.value === "custom"))
      context.report(`${place}: has @custom and @lambda, which both resolve it. Remove one of them.`, node.name);
    if (same.length > 1 && same[0] === node) context.report(`${place}: has @lambda twice.`, node.name);
  }
}
