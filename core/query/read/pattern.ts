// A query as a condition on nodes: what plugins write their rules in is compiled by the same planner that requests pass through.

import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, visit } from "graphql";
import { LRUCache } from "lru-cache";
import type { Pattern } from "../../contracts/plugin/compile-context.ts";
import { lasting, none, type Predicate } from "../../contracts/predicate.ts";
import { QuernError } from "../../ground/errors.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import { runAtOnce } from "../../ground/work.ts";
import type { PreparedDeployment } from "../../schema/deployment/deployment.ts";
import { isNarrowing } from "../access/narrow.ts";
import { cascadeVariables, checkCascadeVariables } from "../plan/cascade-variables.ts";
import { planOperation } from "../plan/plan-operation.ts";
import { bindLevel } from "./bind.ts";

/**
 * @param query one operation with one root field `query<Type>`, valid against the deployment's schema
 * @see Pattern
 */
export function compilePattern(query: DocumentNode, deployment: Pick<PreparedDeployment, "api" | "facts" | "hooks">): Pattern {
  const document = withCascade(withoutPages(query));
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION);
  const [root] = operation ? runAtOnce(planOperation(deployment.api, document, operation)).roots : [];
  if (!operation || root?.operation.kind !== "query") throw new QuernError("INTERNAL", "A pattern is one query<Type>.");
  const named = cascadeVariables(deployment.api.schema, document, operation);
  const bind: Pattern["where"] = (variables, request) => {
    // A skipped root field selects no node.
    if (!root.included(variables)) return none;
    const [unknown] = checkCascadeVariables(named, variables);
    if (unknown) throw new QuernError("VALUE_INVALID", unknown.message);
    const shape = root.selection.select(variables);
    if (shape.kind !== "nodes") throw new QuernError("INTERNAL", "A pattern is one query<Type>.");
    return andThen(bindLevel(shape.level, { context: { deployment, request, variables }, purpose: "rule" }), (bound) => bound.where);
  };
  const fixed = !isNarrowing({ deployment }, "rule");
  return { where: fixed ? remembering(bind) : bind, fixed };
}

/** Conditions kept, by the values in their gaps. */
const maxKept = 1_000;

/** For conditions on which the request itself has no influence. */
function remembering(bind: Pattern["where"]): Pattern["where"] {
  const kept = new LRUCache<string, Predicate>({ max: maxKept });
  return (variables, request) => {
    const key = JSON.stringify(variables, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
    const known = kept.get(key);
    if (known) return known;
    return andThen(bind(variables, request), (where) => {
      kept.set(key, lasting(where));
      return where;
    });
  };
}

/** Order and page do not change whether a node has a match. */
const shownOnly: ReadonlySet<string> = new Set(["first", "offset", "order"]);

function withoutPages(query: DocumentNode): DocumentNode {
  return visit(query, { Argument: (argument) => (shownOnly.has(argument.name.value) ? null : undefined) });
}

/** Adds `@cascade` to the fields of the operation itself that have none. */
function withCascade(query: DocumentNode): DocumentNode {
  const cascade = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: "cascade" } } as const;
  return visit(query, {
    OperationDefinition: {
      leave: (operation) => ({
        ...operation,
        selectionSet: {
          ...operation.selectionSet,
          selections: operation.selectionSet.selections.map((each) =>
            each.kind === Kind.FIELD && !hasCascade(each) ? { ...each, directives: [...(each.directives ?? []), cascade] } : each,
          ),
        },
      }),
    },
  });
}

function hasCascade(field: FieldNode): boolean {
  return (field.directives ?? []).some((each) => each.name.value === "cascade");
}
