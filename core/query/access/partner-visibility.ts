// What a caller may see of the nodes that a filter asks about through links.

import type { NodeType, UnionType } from "../../contracts/model.ts";
import type { Purpose } from "../../contracts/plugin/request-view.ts";
import { together, type Work, wait } from "../../ground/work.ts";
import { concreteTypes } from "../level/concrete-types.ts";
import type { AccessContext } from "../operation-context.ts";
import type { PartnerVisibility, VisiblePartners } from "../plan/compile-target.ts";
import { asksForbidden, partnerFilters } from "../plan/partner-filters.ts";
import { masksOf } from "./mask.ts";
import { narrowTypes } from "./narrow.ts";

export interface VisibilityRequest {
  readonly target: NodeType | UnionType;
  readonly filter: unknown;
  /** Why the nodes that the filter chooses are looked at. */
  readonly purpose: Purpose;
}

/** Undefined: the filter asks nothing of partners. `forbidden`: it asks what the caller must not ask, so that no node satisfies it. */
export function* partnerVisibility(
  { target, filter, purpose }: VisibilityRequest,
  context: AccessContext,
): Work<VisiblePartners | "forbidden" | undefined> {
  const asked = partnerFilters(context.deployment.api, target, filter);
  if (asked.length === 0) return undefined;
  const targets = [...new Set(asked.map((each) => each.target))];
  const found = yield* together(targets.map((each) => visibilityOf(each, purpose, context)));
  const visible = new Map(targets.flatMap((each, i) => asEntry(each, found[i])));
  const isForbidden = asked.some((each) => asksForbidden(context.deployment.api, each, visible.get(each.target)?.masks));
  return isForbidden ? "forbidden" : visible;
}

function asEntry(
  target: NodeType | UnionType,
  visibility: PartnerVisibility | undefined,
): readonly (readonly [NodeType | UnionType, PartnerVisibility])[] {
  return visibility ? [[target, visibility]] : [];
}

/** Partners are read for the filter, so as a query reads them; below a rule, as rules do. */
function* visibilityOf(target: NodeType | UnionType, purpose: Purpose, context: AccessContext): Work<PartnerVisibility> {
  const types = concreteTypes(target);
  const masks = yield* wait(masksOf(types, purpose, context));
  return { ...(yield* wait(narrowTypes(types, purpose === "rule" ? "rule" : "query", context))), masks };
}
