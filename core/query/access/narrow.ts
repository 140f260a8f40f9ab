// Decides which nodes a caller may see or touch. Plugins narrow here, and only here, what a plan reads: every node of every plan passes through.

import type { NodeType } from "../../contracts/model.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { Purpose, RequestView } from "../../contracts/plugin/request-view.ts";
import { all, and, none, or, type Predicate } from "../../contracts/predicate.ts";
import { isPromise } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { run, together, type Work, wait } from "../../ground/work.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";
import type { AccessContext } from "../operation-context.ts";

/** What is left of some concrete types. */
export interface Narrowed {
  /** Types that are not denied; of the others no node is looked at. */
  readonly types: readonly NodeType[];
  /** What nodes of `types` must satisfy. */
  readonly where: Predicate;
}

/** The condition on nodes of `node`'s concrete types; `none` when all of them are denied. Without `narrow` hooks `all`, at no cost. */
export function narrow(node: NodeType, purpose: Purpose, context: AccessContext): MaybePromise<Predicate> {
  return run(conditionOn(node, purpose, context));
}

function* conditionOn(node: NodeType, purpose: Purpose, context: AccessContext): Work<Predicate> {
  return conditionOf(node.members, yield* wait(narrowTypes(node.members, purpose, context)));
}

function conditionOf(asked: readonly NodeType[], { types, where }: Narrowed): Predicate {
  if (types.length === 0) return none;
  return types.length === asked.length ? where : and(ofTypes(types), where);
}

/** The one condition that says of nodes of `types` what the answers, aligned with them, say of each. */
export function joinAnswers(types: readonly NodeType[], answers: readonly Answer[]): Predicate {
  return conditionOf(types, combine(types, answers));
}

/** As `narrow`, but keeps a denial apart from a condition that no node meets. */
export function narrowTypes(types: readonly NodeType[], purpose: Purpose, context: AccessContext): MaybePromise<Narrowed> {
  if (context.refused && purpose !== "reference") throw context.refused;
  if (!isNarrowing(context, purpose)) return { types, where: all };
  const [only] = types;
  // One type is the usual case, and at once: the general path costs a microsecond more, which is much for a read by key.
  const answer = only && types.length === 1 ? narrowType(only, purpose, context) : undefined;
  if (answer !== undefined && !isPromise(answer)) return answer === "deny" ? nothing : { types, where: answer };
  return run(askedOf(types, purpose, context));
}

function* askedOf(types: readonly NodeType[], purpose: Purpose, context: AccessContext): Work<Narrowed> {
  return combine(types, yield* together(types.map((type) => wait(narrowType(type, purpose, context)))));
}

const nothing: Narrowed = Object.freeze({ types: [], where: none });

/** Whether some plugin has a rule for `purpose`, whatever it answers to this request: errors must not disclose nodes that a rule protects. */
export function isRuled(type: NodeType, purpose: Purpose, context: AccessContext): MaybePromise<boolean> {
  return run(someRule(type, purpose, context));
}

function* someRule(type: NodeType, purpose: Purpose, { deployment, request }: AccessContext): Work<boolean> {
  const asked = deployment.hooks.map(({ hooks }) => asking(() => hooks.narrow?.(type, purpose, request)));
  return (yield* together(asked)).some((answer) => answer !== undefined);
}

/** Asks a plugin when its turn comes. */
function* asking<T>(ask: () => MaybePromise<T>): Work<T> {
  return yield* wait(ask());
}

/** Whether some plugin may narrow at all, or for `purpose`. */
export function isNarrowing({ deployment }: Pick<AccessContext, "deployment">, purpose?: Purpose): boolean {
  if (purpose !== undefined) return narrowingFor(purpose, deployment.hooks).length > 0;
  for (const { hooks } of deployment.hooks) if (hooks.narrow) return true;
  return false;
}

type Narrowing = NonNullable<Hooks["narrow"]>;

const narrowing = new WeakMap<readonly PluginHooks[], Map<Purpose, readonly Narrowing[]>>();

/** The hooks that narrow for `purpose`, found once per deployment. */
function narrowingFor(purpose: Purpose, hooks: readonly PluginHooks[]): readonly Narrowing[] {
  const known = narrowing.get(hooks) ?? new Map<Purpose, readonly Narrowing[]>();
  const found = known.get(purpose);
  if (found) return found;
  const asked = hooks.flatMap((each) => (isAsked(each.hooks, purpose) ? [each.hooks.narrow] : []));
  narrowing.set(hooks, known.set(purpose, asked));
  return asked;
}

function isAsked(hooks: Hooks, purpose: Purpose): hooks is Hooks & { readonly narrow: Narrowing } {
  return hooks.narrow !== undefined && (hooks.narrows?.includes(purpose) ?? true);
}

export type Answer = Predicate | "deny";

/** Asynchronous answers of one request, so that each is awaited once however often its type occurs in the plan. */
const awaited = new WeakMap<RequestView, Map<string, MaybePromise<Answer>>>();

function narrowType(type: NodeType, purpose: Purpose, context: AccessContext): MaybePromise<Answer> {
  const known = awaited.get(context.request);
  const answer = known?.get(`${purpose} ${type.name}`) ?? askHooks(type, purpose, context);
  // A synchronous answer is not cached: caching it would add a tenth to the cost of a read by key.
  if (isPromise(answer)) awaited.set(context.request, (known ?? new Map<string, MaybePromise<Answer>>()).set(`${purpose} ${type.name}`, answer));
  return answer;
}

function askHooks(type: NodeType, purpose: Purpose, { deployment, request }: AccessContext): MaybePromise<Answer> {
  const hooks = narrowingFor(purpose, deployment.hooks);
  const [only] = hooks;
  const answer = only && hooks.length === 1 ? only(type, purpose, request) : undefined;
  if (only && hooks.length === 1 && !isPromise(answer)) return answer ?? all;
  return run(joined(only && hooks.length === 1 ? [wait(answer)] : hooks.map((hook) => asking(() => hook(type, purpose, request)))));
}

function* joined(asked: readonly Work<Answer | undefined>[]): Work<Answer> {
  const conditions: Predicate[] = [];
  for (const answer of yield* together(asked)) {
    if (answer === "deny") return "deny";
    if (answer !== undefined) conditions.push(answer);
  }
  return and(...conditions);
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
