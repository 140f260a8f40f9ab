// In development, hooks get arguments that are frozen as deep as they are plain data: a hook that changes one throws where it does so. What would reach
// a commit is guarded always; this finds the rest.

import type { ApiAdditions } from "../../contracts/plugin/api-additions.ts";
import type { Hooks } from "../../contracts/plugin/hooks.ts";
import { HookArgument } from "../../ground/hook-argument.ts";
import { isObject } from "../../ground/is-object.ts";
import { lockMap } from "../../ground/locked-map.ts";

/** Whether this process is one in which people write programs, and no server. */
export function isDevelopment(): boolean {
  return process.env.NODE_ENV === "development" || process.env.NODE_ENV === "test";
}

/** The same hooks, with frozen arguments. */
export function withFrozenArguments(hooks: Hooks): Hooks {
  const { api, ...others } = hooks;
  const frozen = frozenMembers(others, hooks);
  return api === undefined ? frozen : { ...frozen, api: () => frozenAdditions(api.call(hooks)) };
}

/** What `api` returns has functions in lists. */
function frozenAdditions(additions: ApiAdditions): ApiAdditions {
  return isObject(additions) ? frozenMembers(additions, additions) : additions;
}

/** `members` of `owner`, with their functions and those of the objects in their lists. They may be methods that use `this`. */
function frozenMembers<Of extends object>(members: Of, owner: object): Of {
  const all = { ...members };
  for (const [name, member] of Object.entries(members)) Reflect.set(all, name, frozenMember(member, owner, name));
  return all;
}

function frozenMember(member: unknown, owner: object, name: string): unknown {
  if (typeof member === "function") return frozenFunction(member, owner, name === "admit" ? frozenCopy : frozenDeep);
  return Array.isArray(member) ? member.map((each: unknown) => (isPlain(each) ? frozenMembers(each, each) : each)) : member;
}

function frozenFunction<F extends CallableFunction>(called: F, owner: object, frozen: (argument: unknown) => unknown): F {
  return new Proxy(called, { apply: (target, _, args: readonly unknown[]) => Reflect.apply(target, owner, args.map(frozen)) });
}

/** Headers may be an object of the application, which it goes on to use. */
function frozenCopy(argument: unknown): unknown {
  return isPlain(argument) ? Object.freeze({ ...argument }) : argument;
}

/** An argument with members that do something is frozen itself, and so are those of its members that are plain data. */
function frozenDeep(argument: unknown): unknown {
  if (!isPlain(argument)) freeze(argument);
  else freezeMembers(argument);
  return argument;
}

/** What may be objects of the application, which it goes on to use. */
const ofApplication: ReadonlySet<string> = new Set(["sent", "variables"]);

function freezeMembers(owner: object): void {
  if (Object.isFrozen(owner)) return;
  Object.freeze(owner);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) if (!ofApplication.has(name)) freeze(value);
}

function freeze(value: unknown): void {
  if (Array.isArray(value)) {
    if (Object.isFrozen(value)) return;
    Object.freeze(value);
    value.forEach(freeze);
  } else if (value instanceof Map || value instanceof Set) {
    if (Object.isFrozen(value)) return;
    lockMap(value, "An argument of a hook");
    for (const each of value.values()) freeze(each);
  } else if (isPlain(value) && isData(value)) freezeMembers(value);
}

/** Whether it is neither an instance of a class, such as a node of the model, nor a list. */
function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || value instanceof HookArgument;
}

/** Whether it has no methods: a view of the store is no data. */
function isData(value: object): boolean {
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(({ value: member }) => typeof member !== "function");
}
