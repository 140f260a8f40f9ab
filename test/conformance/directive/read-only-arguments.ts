// A plugin whose hooks get read-only arguments. A hook that changes one fails where it does so, and the kernel names it.

import { type DirectivePlugin, type Hooks, isObject, type Model, type ModelContext, withFrozenArguments } from "../../../core/plugin.ts";

export function withReadOnlyArguments(plugin: DirectivePlugin): DirectivePlugin {
  return new Proxy(plugin, {
    get(target, name) {
      if (name === "model") return (context: ModelContext) => modelHooks(target, context);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function modelHooks(plugin: DirectivePlugin, context: ModelContext): Hooks | undefined {
  const watch = new ModelWatch(context.model);
  const hooks = plugin.model(Object.freeze({ ...context, record: watch.recorder(context.record) }));
  watch.assertSame();
  return isObject(hooks) && !("then" in hooks) ? withFrozenArguments(hooks) : hooks;
}

/** Between two facts that are recorded, the model stays as it is. */
class ModelWatch {
  readonly #model: Model;
  #last: string;

  constructor(model: Model) {
    this.#model = model;
    this.#last = textOf(model);
  }

  recorder(recorder: ModelContext["record"]): ModelContext["record"] {
    return new Proxy(recorder, {
      get: (target, name) => {
        const record: unknown = Reflect.get(target, name, target);
        return typeof record === "function" ? (...args: readonly unknown[]) => this.#recorded(() => Reflect.apply(record, target, args)) : record;
      },
    });
  }

  assertSame(): void {
    if (textOf(this.#model) !== this.#last) throw new Error("it changes the model itself; facts are recorded with record.");
  }

  #recorded(record: () => unknown): void {
    this.assertSame();
    record();
    this.#last = textOf(this.#model);
  }
}

/** What plugins could change of a model, as text. */
function textOf({ nodeTypes, unions, enums }: Model): string {
  const types = [...nodeTypes.values()].map(({ name, stored, fields, keys, idField }) => {
    const shown = [...fields].map(([key, { owner, origin, definition, ...field }]) => [
      key,
      owner.name,
      origin.name,
      { ...field, ...namesIn(field) },
    ]);
    return [name, stored, shown, keys.map(({ field }) => field.name), idField?.name];
  });
  return JSON.stringify([[...nodeTypes.keys()], types, [...unions.keys()], [...enums].map(([name, { values }]) => [name, [...values]])]);
}

/** Types and fields that a field refers to, by their names: they refer to each other. */
function namesIn(field: object): Readonly<Record<string, unknown>> {
  const members = Object.entries(field).filter(([, value]) => isObject(value) && "name" in value && "definition" in value);
  return Object.fromEntries(members.map(([name, value]) => [name, value.name]));
}
