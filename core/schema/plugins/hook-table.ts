// Each hook, and each member of what `layout` and `api` return: its name, its shape, and how it is wrapped. An absent one is not wrapped and costs nothing.

import type { ApiAdditions, LayoutAdditions } from "../../contracts/plugin/api-additions.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { ChangesContext } from "../../contracts/plugin/mutation-hooks.ts";
import type { UpdateMember } from "../../contracts/plugin/update-member.ts";
import { QuernError } from "../../ground/errors.ts";
import { didYouMean } from "../../ground/near-name.ts";
import { type Patience, patienceOf } from "../../ground/patience.ts";
import type { PluginPlace } from "../../ground/plugin-fault.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { guardAsync, guardSync, guardWork, type ResultCheck, type Waiting } from "./guard-call.ts";
import { guardList } from "./guard-list.ts";
import type { HookHost } from "./hook-host.ts";
import {
  checkComputed,
  checkFacts,
  checkInputChanges,
  checkOperand,
  checkPermissions,
  checkRootAnswer,
  checkShown,
  checkVerdict,
} from "./hook-results.ts";
import { apiProblem, layoutProblem } from "./member-shapes.ts";

interface MemberRule<Member> {
  readonly shape: "function" | "list" | "any";
  readonly guard: (place: PluginPlace, member: Member, host: HookHost) => Member;
  /** It identifies or restricts a caller: requests as the system run without it. */
  readonly restricts?: boolean;
}

type Rules<Of> = { readonly [Name in keyof Of]-?: MemberRule<NonNullable<Of[Name]>> };

function sync<A extends readonly unknown[], T>(check?: ResultCheck<A, T>): MemberRule<(...args: A) => T> {
  return { shape: "function", guard: (place, hook, host) => guardSync(hook, { place, host, check }) };
}

/** How long the promise of a hook may take, what a call is about, and how its result is checked. */
interface AsyncRule<A extends readonly unknown[], T> extends Pick<Waiting<A, T>, "about" | "check"> {
  /** Undefined: nothing waits for it. */
  readonly within: (args: A, host: HookHost) => Patience | undefined;
}

function async<A extends readonly unknown[], T>({ within, about, check }: AsyncRule<A, T>): MemberRule<(...args: A) => MaybePromise<T>> {
  return {
    shape: "function",
    guard: (place, hook, host) => guardAsync(hook, { place, host, about, check, patience: (args) => within(args, host) }),
  };
}

/** The time of the request, or of the transaction, that a hook is called for. */
function timeOf(about: object, host: HookHost): Patience {
  return patienceOf(about) ?? host.work;
}

function list<T>(guard: (place: PluginPlace, each: T, host: HookHost) => T = (_, each) => each): MemberRule<readonly T[]> {
  return { shape: "list", guard: (place, all, host) => all.map((each) => guard(place, each, host)) };
}

function plain<T>(): MemberRule<T> {
  return { shape: "any", guard: (_, member) => member };
}

function restricting<Member>(rule: MemberRule<Member>): MemberRule<Member> {
  return { ...rule, restricts: true };
}

const layoutRules: Rules<LayoutAdditions> = { types: plain(), fields: plain(), indexes: plain(), keys: plain() };

const apiRules: Rules<ApiAdditions> = {
  definitions: plain(),
  filters: list((place, filter, host) => {
    const at = ofField(place, "predicate", filter);
    const { steps } = filter;
    return {
      ...filter,
      predicate: guardSync((operand) => filter.predicate(operand), { place: at, host }),
      ...(steps && { steps: (operand) => guardWork(() => steps(operand), { place: at, host, patience: host.work }) }),
    };
  }),
  linkFilters: list((place, filter, host) => ({
    ...filter,
    condition: guardSync((operand) => filter.condition(operand), { place: ofField(place, "condition", filter), host }),
  })),
  linkOrders: list((place, order, host) => ({
    ...order,
    key: guardSync((operand) => order.key(operand), { place: ofField(place, "key", order), host }),
  })),
  lists: list(guardList),
  roots: list((place, root, host) => ({
    ...root,
    run: guardAsync((context) => root.run(context), {
      place: { ...place, hook: `run of ${/\w+(?=\s*[(:])/.exec(root.signature)?.[0] ?? root.signature}` },
      host,
      patience: ([{ request }]) => timeOf(request, host),
      check: (at, answer) => checkRootAnswer(at, answer, root),
    }),
  })),
  computed: list((place, each, host) => {
    const compute: typeof each.compute = (parents, ...rest) => each.compute(parents, ...rest);
    const patience = ([, , request]: Parameters<typeof compute>) => timeOf(request, host);
    return { ...each, compute: guardAsync(compute, { place: ofField(place, "compute", each), host, patience, check: checkComputed }) };
  }),
  nearest: list((place, each, host) => ({
    ...each,
    nearest: guardSync((operand) => each.nearest(operand), { place: { ...place, hook: `nearest of ${each.type.name}` }, host }),
  })),
  updates: list((place, each, host) => ({
    ...each,
    ...(each.changes && {
      changes: guardAsync(each.changes.bind(each), {
        place: ofUpdate(place, "changes", each),
        host,
        patience: ([, { transaction }]) => timeOf(transaction, host),
      }),
    }),
    ...(each.steps && { steps: guardSync(each.steps.bind(each), { place: ofUpdate(place, "steps", each), host }) }),
  })),
  deprecated: plain(),
  live: plain(),
  atomic: plain(),
  counting: plain(),
  jsonKeys: plain(),
};

function ofField(
  place: PluginPlace,
  what: string,
  { field }: { readonly field: { readonly owner: { readonly name: string }; readonly name: string } },
): PluginPlace {
  return { ...place, hook: `${what} of ${field.owner.name}.${field.name}` };
}

/** Of the hooks that are called in the transaction of a mutation. */
function inTransaction<Context extends Omit<ChangesContext, "changes">, T>(): MemberRule<(context: Context) => MaybePromise<T>> {
  return async({
    within: ([{ transaction }], host) => timeOf(transaction, host),
    about: ([{ mutation }]) => `of ${mutation.field}`,
  });
}

function ofUpdate(place: PluginPlace, what: string, { signature, type }: UpdateMember): PluginPlace {
  return { ...place, hook: `${what} of ${signature} of Update${type.name}Input` };
}

export const hookRules: Rules<Hooks> = {
  layout: returning(layoutRules, layoutProblem),
  api: returning(apiRules, apiProblem),
  compile: sync(),
  open: async({ within: (_, { opening }) => opening }),
  warnings: list(),
  survey: async({ within: ([context], host) => patienceOf(context) ?? host.surveying }),
  headers: list(),
  admit: restricting(sync()),
  request: restricting(async({ within: ([request], host) => timeOf(request, host), check: checkFacts })),
  caller: restricting(sync()),
  expiresAt: restricting(sync()),
  recheckAt: restricting(sync()),
  narrow: restricting(
    async({
      within: ([, , request], host) => timeOf(request, host),
      about: ([type, purpose]) => `of ${type.name} for ${purpose}`,
      check: checkVerdict,
    }),
  ),
  narrows: restricting(list()),
  narrowsEverywhere: restricting(plain()),
  masks: restricting(
    list((place, mask, host) => ({
      ...mask,
      visible: guardAsync((view) => mask.visible(view), {
        place,
        host,
        patience: ([request]) => timeOf(request, host),
        about: () => `on ${mask.field.owner.name}.${mask.field.name}`,
        check: checkVerdict,
      }),
    })),
  ),
  shown: list((place, each, host) => ({
    ...each,
    show: guardSync((stored, view) => each.show(stored, view), {
      place: ofField(place, "show", each),
      host,
      check: (at, value) => checkShown(at, value, each),
    }),
  })),
  permissions: restricting(async({ within: ([request], host) => timeOf(request, host), check: checkPermissions })),
  operand: sync(checkOperand),
  values: async({ within: ([, request], host) => timeOf(request, host), about: ([{ type }]) => `of ${type.name}`, check: checkInputChanges }),
  changes: inTransaction(),
  check: inTransaction(),
  append: inTransaction(),
  background: list((place, task, host) => ({
    ...task,
    run: guardAsync((context) => task.run(context), {
      place: { ...place, hook: `background task ${task.name}` },
      host,
      // It works until it is ended; who ends it waits no longer than it may.
      patience: () => undefined,
    }),
  })),
  commit: async({ within: () => undefined }),
  close: async({ within: (_, { closing }) => closing }),
};

/** What `layout` and `api` return. */
function returning<Of extends object>(rules: Rules<Of>, problemWith: ProblemWith): MemberRule<() => Of> {
  return {
    shape: "function",
    guard: (place, hook, host) =>
      guardSync(hook, { place, host, check: (at, members) => guardMembers(rules, at, asShaped(members, at, problemWith), host) }),
  };
}

/** `hooks` without those that identify or restrict a caller. */
export function withoutRestrictions(hooks: Hooks): Hooks {
  const restricts = new Set(Object.entries(hookRules).flatMap(([name, rule]) => (rule.restricts ? [name] : [])));
  return Object.fromEntries(Object.entries(hooks).filter(([name]) => !restricts.has(name)));
}

/** What is wrong with the shape of additions. */
type ProblemWith = (additions: unknown) => string | undefined;

/** @throws QuernError `CONFIG_INVALID` for additions of another shape */
function asShaped<Additions>(additions: Additions, { plugin, hook }: PluginPlace, problemWith: ProblemWith): Additions {
  const problem = problemWith(additions);
  if (problem === undefined) return additions;
  throw new QuernError("CONFIG_INVALID", `Plugin "${plugin}", hook ${hook}: ${problem}`);
}

/** `members` with each wrapped as `rules` say. They may be methods that use `this`. @throws QuernError `CONFIG_INVALID` for one without a rule */
function guardMembers<Of extends object>(rules: Rules<Of>, place: PluginPlace, members: Of, host: HookHost): Of {
  const names = Object.keys(rules);
  for (const name of Object.keys(members)) {
    if (names.includes(name)) continue;
    const meant = didYouMean(name, names) || `; it takes ${names.join(", ")}.`;
    throw new QuernError("CONFIG_INVALID", `Plugin "${place.plugin}", hook ${place.hook}: it returns "${name}", which is unknown${meant}`);
  }
  return wrapped(rules, members, { host, placeOf: () => place });
}

export interface Wrapping {
  readonly host: HookHost;
  /** Of the member with a name. */
  readonly placeOf: (name: string) => PluginPlace;
}

export function wrapped<Of extends object>(rules: Rules<Of>, members: Of, { host, placeOf }: Wrapping): Of {
  const all = { ...members };
  for (const name in rules) {
    const member = members[name];
    if (member === undefined || member === null) continue;
    all[name] = rules[name].guard(placeOf(name), typeof member === "function" ? member.bind(members) : member, host);
  }
  return all;
}
