// What a caller may see of the nodes that a filter asks about through links.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import { andThen } from "../../ground/maybe-promise.ts";
import type { MaybePromise } from "../../ground/values/value.ts";
import { concreteTypes } from "../level/concrete-types.ts";
import { concurrently } from "../level/concurrently.ts";
import type { AccessContext } from "../operation-context.ts";
import type { Sight, Sights } from "../plan/compile-target.ts";
import { asksForbidden, partnerFilters } from "../plan/partner-filters.ts";
import { masksOf } from "./mask.ts";
import { narrowTypes } from "./narrow.ts";

export interface SightRequest {
  readonly target: NodeType | UnionType;
  readonly filter: unknown;
  /** Why the nodes that the filter chooses are looked at. */
  readonly purpose: Purpose;
}

/** Undefined: the filter asks nothing of partners. `forbidden`: it asks what the caller must not ask, so that no node satisfies it. */
export function sightsOf({ target, filter, purpose }: SightRequest, context: AccessContext): MaybePromise<Sights | "forbidden" | undefined> {
  const asked = partnerFilters(context.deployment.api, target, filter);
  if (asked.length === 0) return undefined;
  const targets = [...new Set(asked.map((each) => each.target))];
  return andThen(concurrently(targets.map((each) => () => sightOf(each, purpose, context))), (found) => {
    const sights = new Map(targets.flatMap((each, i) => asEntry(each, found[i])));
    const isForbidden = asked.some((each) => asksForbidden(context.deployment.api, each, sights.get(each.target)?.masks));
    return isForbidden ? "forbidden" : sights;
  });
}

function asEntry(target: NodeType | UnionType, sight: Sight | undefined): readonly (readonly [NodeType | UnionType, Sight])[] {
  return sight ? [[target, sight]] : [];
}

/** Partners are read for the filter, so as a query reads them; below a rule, as rules do. */
function sightOf(target: NodeType | UnionType, purpose: Purpose, context: AccessContext): MaybePromise<Sight> {
  const types = concreteTypes(target);
  return andThen(masksOf(types, purpose, context), (masks) =>
    andThen(narrowTypes(types, purpose === "rule" ? "rule" : "query", context), (narrowed) => ({ ...narrowed, masks })),
  );
}
