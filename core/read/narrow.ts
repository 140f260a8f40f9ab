// Which nodes a caller may see or touch: the one place where plugins narrow what a plan reads. Every node of every plan passes here.

import type { Purpose, RequestView } from "../contracts/plugin.ts";
import { and, none, or, type Predicate } from "../contracts/predicate.ts";
import type { MaybePromise } from "../contracts/values.ts";
import type { Asking } from "../execution.ts";
import { andThen } from "../maybe-promise.ts";
import type { NodeType } from "../model/model.ts";
import { overlap } from "./overlap.ts";

/** What is left of some concrete types. */
export interface Narrowed {
  /** Types that are not denied; of the others no node is looked at. */
  readonly types: readonly NodeType[];
  /** What nodes of `types` must satisfy. */
  readonly where: Predicate;
}

/** The condition on nodes of `node`'s concrete types; `none` when all of them are denied. Without `narrow` hooks `all`, at no cost. */
export function narrow(node: NodeType, purpose: Purpose, execution: Asking): MaybePromise<Predicate> {
  return andThen(narrowTypes(node.members, purpose, execution), (narrowed) => conditionOf(node.members, narrowed));
}

function conditionOf(all: readonly NodeType[], { types, where }: Narrowed): Predicate {
  if (types.length === 0) return none;
  return types.length === all.length ? where : and(ofTypes(types), where);
}

/** The one condition that says of nodes of `types` what the answers, aligned with them, say of each. */
export function joinAnswers(types: readonly NodeType[], answers: readonly Answer[]): Predicate {
  return conditionOf(types, combine(types, answers));
}

/** As `narrow`, for whoever has to tell a denial from a condition that nothing meets. */
export function narrowTypes(types: readonly NodeType[], purpose: Purpose, execution: Asking): MaybePromise<Narrowed> {
  if (execution.refused && purpose !== "reference") throw execution.refused;
  if (!isNarrowing(execution, purpose)) return { types, where: { kind: "all" } };
  const questions = types.map((type) => () => narrowType(type, purpose, execution));
  return andThen(overlap(questions), (answers) => combine(types, answers));
}

/** Whether some plugin has a rule for `purpose`, whatever it says to this request: what is under a rule is not told of. */
export function isRuled(type: NodeType, purpose: Purpose, { deployment, request }: Asking): MaybePromise<boolean> {
  const answers = deployment.hooks.map(
    ({ hooks }) =>
      () =>
        hooks.narrow?.(type, purpose, request),
  );
  return andThen(overlap(answers), (all) => all.some((answer) => answer !== undefined));
}

/** Whether some plugin may narrow at all, or for `purpose`. */
export function isNarrowing({ deployment }: Pick<Asking, "deployment">, purpose?: Purpose): boolean {
  for (const { hooks } of deployment.hooks) if (hooks.narrow && (purpose === undefined || (hooks.narrows?.includes(purpose) ?? true))) return true;
  return false;
}

export type Answer = Predicate | "deny";

/** Answers of one request, so that a rule is built once however often its type shows in the plan. */
const answered = new WeakMap<RequestView, Map<string, MaybePromise<Answer>>>();

function narrowType(type: NodeType, purpose: Purpose, execution: Asking): MaybePromise<Answer> {
  const known = answered.get(execution.request) ?? new Map<string, MaybePromise<Answer>>();
  answered.set(execution.request, known);
  const key = `${purpose} ${type.name}`;
  const answer = known.get(key) ?? askHooks(type, purpose, execution);
  known.set(key, answer);
  return answer;
}

function askHooks(type: NodeType, purpose: Purpose, { deployment, request }: Asking): MaybePromise<Answer> {
  const narrowing = deployment.hooks.flatMap(({ hooks }) => (hooks.narrow && (hooks.narrows?.includes(purpose) ?? true) ? [hooks.narrow] : []));
  return andThen(overlap(narrowing.map((hook) => () => hook(type, purpose, request))), (answers): Answer => {
    const conditions: Predicate[] = [];
    for (const answer of answers) {
      if (answer === "deny") return "deny";
      if (answer !== undefined) conditions.push(answer);
    }
    return and(...conditions);
  });
}

/** A condition that all share is asked of all; else each type meets its own. */
function combine(types: readonly NodeType[], answers: readonly Answer[]): Narrowed {
  const open = types.filter((_, i) => answers[i] !== "deny");
  const conditions = answers.filter((each): each is Predicate => each !== "deny");
  const [first] = conditions;
  if (first === undefined) return { types: [], where: none };
  if (conditions.every((each) => each === first || (each.kind === "all" && first.kind === "all"))) return { types: open, where: first };
  const free = open.filter((_, i) => conditions[i]?.kind === "all");
  const ruled = open.flatMap((type, i) => {
    const condition = conditions[i];
    return condition && condition.kind !== "all" ? [{ type, condition }] : [];
  });
  const cases = ruled.map(({ type, condition }) => and(ofTypes([type]), condition));
  return { types: open, where: free.length === 0 ? or(...cases) : or(ofTypes(free), ...cases) };
}

function ofTypes(types: readonly NodeType[]): Predicate {
  return { kind: "type", types: types.map((type) => type.stored) };
}
