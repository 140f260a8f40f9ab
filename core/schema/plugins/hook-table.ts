// Each hook, and each member of what `layout` and `api` return: its name, its shape, and how it is wrapped. An absent one is not wrapped and costs nothing.

import type { ApiAdditions, LayoutAdditions } from "../../contracts/plugin/api-additions.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import type { UpdateMember } from "../../contracts/plugin/update-member.ts";
import { QuernError } from "../../ground/errors.ts";
import { didYouMean } from "../../ground/near-name.ts";
import type { PluginPlace } from "../../ground/plugin-fault.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { guardAsync, guardSteps, guardSync, type ResultCheck } from "./guard-call.ts";
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

interface MemberRule<Member> {
  readonly shape: "function" | "list" | "any";
  readonly guard: (place: PluginPlace, member: Member) => Member;
  /** It identifies or restricts a caller: requests as the system run without it. */
  readonly restricts?: boolean;
}

type Rules<Of> = { readonly [Name in keyof Of]-?: MemberRule<NonNullable<Of[Name]>> };

function sync<A extends readonly unknown[], T>(check?: ResultCheck<A, T>): MemberRule<(...args: A) => T> {
  return { shape: "function", guard: (place, hook) => guardSync(place, hook, check) };
}

function async<A extends readonly unknown[], T>(check?: ResultCheck<A, T>): MemberRule<(...args: A) => MaybePromise<T>> {
  return { shape: "function", guard: (place, hook) => guardAsync(place, hook, check) };
}

function list<T>(guard: (place: PluginPlace, each: T) => T = (_, each) => each): MemberRule<readonly T[]> {
  return { shape: "list", guard: (place, all) => all.map((each) => guard(place, each)) };
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
  filters: list((place, filter) => {
    const at = ofField(place, "predicate", filter);
    const { steps } = filter;
    return {
      ...filter,
      predicate: guardSync(at, (operand) => filter.predicate(operand)),
      ...(steps && { steps: (operand) => guardSteps(at, () => steps(operand)) }),
    };
  }),
  linkFilters: list((place, filter) => ({
    ...filter,
    condition: guardSync(ofField(place, "condition", filter), (operand) => filter.condition(operand)),
  })),
  linkOrders: list((place, order) => ({ ...order, key: guardSync(ofField(place, "key", order), (operand) => order.key(operand)) })),
  lists: plain(),
  roots: list((place, root) => ({
    ...root,
    run: guardAsync(
      { ...place, hook: `run of ${/\w+(?=\s*[(:])/.exec(root.signature)?.[0] ?? root.signature}` },
      (context) => root.run(context),
      (at, answer) => checkRootAnswer(at, answer, root),
    ),
  })),
  computed: list((place, each) => {
    const compute: typeof each.compute = (parents, ...rest) => each.compute(parents, ...rest);
    return { ...each, compute: guardAsync(ofField(place, "compute", each), compute, checkComputed) };
  }),
  nearest: list((place, each) => ({
    ...each,
    nearest: guardSync({ ...place, hook: `nearest of ${each.type.name}` }, (operand) => each.nearest(operand)),
  })),
  updates: list((place, each) => ({
    ...each,
    ...(each.changes && { changes: guardAsync(ofUpdate(place, "changes", each), each.changes.bind(each)) }),
    ...(each.steps && { steps: guardSync(ofUpdate(place, "steps", each), each.steps.bind(each)) }),
  })),
  deprecated: plain(),
  live: plain(),
  atomic: plain(),
  jsonKeys: plain(),
};

function ofField(
  place: PluginPlace,
  what: string,
  { field }: { readonly field: { readonly owner: { readonly name: string }; readonly name: string } },
): PluginPlace {
  return { ...place, hook: `${what} of ${field.owner.name}.${field.name}` };
}

function ofUpdate(place: PluginPlace, what: string, { signature, type }: UpdateMember): PluginPlace {
  return { ...place, hook: `${what} of ${signature} of Update${type.name}Input` };
}

export const hookRules: Rules<Hooks> = {
  layout: sync((place, additions) => guardMembers(layoutRules, place, additions)),
  api: sync((place, additions) => guardMembers(apiRules, place, additions)),
  compile: sync(),
  open: async(),
  warnings: list(),
  survey: async(),
  headers: list(),
  admit: restricting(sync()),
  request: restricting(async(checkFacts)),
  caller: restricting(sync()),
  expiresAt: restricting(sync()),
  recheckAt: restricting(sync()),
  narrow: restricting(async(checkVerdict)),
  narrows: restricting(list()),
  narrowsEverywhere: restricting(plain()),
  masks: restricting(list((place, mask) => ({ ...mask, visible: guardAsync(place, (view) => mask.visible(view), checkVerdict) }))),
  shown: list((place, each) => ({
    ...each,
    show: guardSync(
      ofField(place, "show", each),
      (stored, view) => each.show(stored, view),
      (at, value) => checkShown(at, value, each),
    ),
  })),
  permissions: restricting(async(checkPermissions)),
  operand: sync(checkOperand),
  values: async(checkInputChanges),
  changes: async(),
  check: async(),
  append: async(),
  background: list((place, task) => ({
    ...task,
    run: guardAsync({ ...place, hook: `background task ${task.name}` }, (context) => task.run(context)),
  })),
  commit: async(),
  close: async(),
};

/** `hooks` without those that identify or restrict a caller. */
export function withoutRestrictions(hooks: Hooks): Hooks {
  const restricts = new Set(Object.entries(hookRules).flatMap(([name, rule]) => (rule.restricts ? [name] : [])));
  return Object.fromEntries(Object.entries(hooks).filter(([name]) => !restricts.has(name)));
}

/** `members` with each wrapped as `rules` say. They may be methods that use `this`. @throws QuernError `CONFIG_INVALID` for one without a rule */
function guardMembers<Of extends object>(rules: Rules<Of>, place: PluginPlace, members: Of): Of {
  const names = Object.keys(rules);
  for (const name of Object.keys(members)) {
    if (names.includes(name)) continue;
    const meant = didYouMean(name, names) || `; it takes ${names.join(", ")}.`;
    throw new QuernError("CONFIG_INVALID", `Plugin "${place.plugin}", hook ${place.hook}: it returns "${name}", which is unknown${meant}`);
  }
  return wrapped(rules, () => place, members);
}

/** @param placeOf of the member with a name */
export function wrapped<Of extends object>(rules: Rules<Of>, placeOf: (name: string) => PluginPlace, members: Of): Of {
  const all = { ...members };
  for (const name in rules) {
    const member = members[name];
    if (member === undefined || member === null) continue;
    all[name] = rules[name].guard(placeOf(name), typeof member === "function" ? member.bind(members) : member);
  }
  return all;
}
