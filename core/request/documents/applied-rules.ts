// What plugins answered when one request asked which nodes and fields it may access, for an administrator who asks why.

import type { FieldMask, Hooks } from "../../contracts/plugin/hooks.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import type { Predicate } from "../../contracts/predicate.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { printPredicate } from "../../query/plan/print-predicate.ts";
import type { PluginHooks } from "../../schema/plugins/plugin-hooks.ts";

export interface AppliedRule {
  readonly plugin: string;
  readonly type: string;
  /** The field that the rule hides or shows; absent for a rule on nodes. */
  readonly field?: string;
  /** What the nodes were needed for; absent for a rule on a field. */
  readonly purpose?: Purpose;
  /** The nodes that it leaves: `everything`, `nothing`, or a condition such as `Boat.owner = "ann"`. */
  readonly leaves: string;
}

const maxHiddenErrors = 100;

type Answer = Predicate | "deny" | undefined;

/** One entry for each plugin, type, field and purpose: there are no more than the schema has. */
export class AppliedRules {
  readonly #rules = new Map<string, AppliedRule>();
  /** Messages of errors that the caller does not get. */
  readonly hiddenErrors: string[] = [];

  list(): readonly AppliedRule[] {
    return [...this.#rules.values()];
  }

  hide(message: string): void {
    if (this.hiddenErrors.length < maxHiddenErrors) this.hiddenErrors.push(message);
  }

  /** The same hooks, whose answers are noted here. */
  watch({ plugin, hooks }: PluginHooks): PluginHooks {
    const { narrow, masks } = hooks;
    const watched: Hooks = {
      ...hooks,
      ...(narrow && { narrow: (type, purpose, request) => this.#noted({ plugin, type: type.name, purpose }, narrow(type, purpose, request)) }),
      ...(masks && { masks: masks.map((mask) => this.#watchMask(plugin, mask)) }),
    };
    return { plugin, hooks: watched };
  }

  #watchMask(plugin: string, mask: FieldMask): FieldMask {
    const { owner, name } = mask.field;
    return { ...mask, visible: (request) => this.#noted({ plugin, type: owner.name, field: name }, mask.visible(request)) };
  }

  /** A plugin without an answer has no rule. */
  #noted(asked: Omit<AppliedRule, "leaves">, answer: MaybePromise<Answer>): MaybePromise<Answer> {
    return andThen(answer, (given) => {
      const leaves = given === "deny" ? "nothing" : given && printPredicate(given);
      const { plugin, type, field = "", purpose = "" } = asked;
      if (leaves !== undefined) this.#rules.set(JSON.stringify([plugin, type, field, purpose]), { ...asked, leaves });
      return given;
    });
  }
}
