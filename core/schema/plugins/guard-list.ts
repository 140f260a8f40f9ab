// Wraps a plugin's kind of list and its steps, as hooks are wrapped: what goes wrong in them names the plugin and the list.

import type { BoundStep, ListKind, ListStep, PlanCosts, PlanPrinter, PrintedStep, StepKit, StepRows } from "../../contracts/plugin/level-step.ts";
import { patienceOf } from "../../ground/patience.ts";
import type { PluginPlace } from "../../ground/plugin-fault.ts";
import type { Work } from "../../ground/work.ts";
import { fail, guardSync, guardWork, tried, type WorkGuard } from "./guard-call.ts";
import type { HookHost } from "./hook-host.ts";

export function guardList(place: PluginPlace, kind: ListKind, host: HookHost): ListKind {
  const guard = new ListGuard(place, kind.query ?? `a list of ${kind.type.name}`, host);
  const { companion } = kind;
  return {
    ...kind,
    plan: (field, planner) => guardPlan(guard, () => kind.plan(field, planner)),
    ...(companion && { companion: guardSync((link) => companion.call(kind, link), { place: guard.place("companion"), host }) }),
  };
}

/** What the parts of one kind of list are called with. */
class ListGuard {
  readonly #place: PluginPlace;
  readonly #list: string;
  readonly #host: HookHost;

  constructor(place: PluginPlace, list: string, host: HookHost) {
    this.#place = place;
    this.#list = list;
    this.#host = host;
  }

  /** @param part a member of the contract: `bind` */
  place(part: string): PluginPlace {
    return { ...this.#place, hook: `${part} of ${this.#list}` };
  }

  /** @param about has the time of the request, if there is one */
  work<T>(part: string, about: object, begin: () => Work<T>): Work<T> {
    return guardWork(begin, this.#guard(part, about));
  }

  call<T>(part: string, call: () => T): T {
    return tried(call, this.#guard(part, this));
  }

  #guard(part: string, about: object): WorkGuard {
    return { place: this.place(part), host: this.#host, patience: patienceOf(about) ?? this.#host.work };
  }
}

function* guardPlan(guard: ListGuard, plan: () => Work<ListStep>): Work<ListStep> {
  const step = yield* guard.work("plan", guard, plan);
  return guard.call("plan", () => new GuardedStep(guard, step));
}

/** Kept with the document. */
class GuardedStep implements ListStep {
  readonly arguments: ListStep["arguments"];
  readonly selections: ListStep["selections"];
  readonly #guard: ListGuard;
  readonly #step: ListStep;

  constructor(guard: ListGuard, step: ListStep) {
    this.arguments = step.arguments;
    this.selections = step.selections;
    this.#guard = guard;
    this.#step = step;
  }

  *bind(binder: StepKit["binder"]): Work<BoundStep> {
    return new GuardedBound(this.#guard, yield* this.#guard.work("bind", binder, () => this.#step.bind(binder)));
  }

  print(printer: PlanPrinter): PrintedStep {
    return this.#guard.call("print", () => this.#step.print(printer));
  }

  cost(costs: PlanCosts): number {
    return this.#guard.call("cost", () => this.#step.cost(costs));
  }
}

class GuardedBound implements BoundStep {
  readonly #guard: ListGuard;
  readonly #bound: BoundStep;

  constructor(guard: ListGuard, bound: BoundStep) {
    this.#guard = guard;
    this.#bound = bound;
  }

  *read(reader: StepKit["reader"]): Work<StepRows> {
    return new GuardedRows(this.#guard.place("write"), yield* this.#guard.work("read", reader, () => this.#bound.read(reader)));
  }
}

/** Written for each object: to look at the clock would cost more than it tells. */
class GuardedRows implements StepRows {
  readonly #place: PluginPlace;
  readonly #rows: StepRows;

  constructor(place: PluginPlace, rows: StepRows) {
    this.#place = place;
    this.#rows = rows;
  }

  write(source: number, writer: StepKit["writer"], row: number): string | undefined {
    try {
      return this.#rows.write(source, writer, row);
    } catch (thrown) {
      return fail(this.#place, thrown);
    }
  }
}
