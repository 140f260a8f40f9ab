// Parts of a plan that several places of a document select alike: a fragment leads to the same fields wherever it is spread. Each is planned once, so
// that a plan takes a time by the length of the document, not by what it is with its fragments written out.

import type { FieldNode } from "graphql";
import type { ListStep } from "../../contracts/plugin/level-step.ts";
import type { Work } from "../../ground/work.ts";
import type { Level } from "../level/level.ts";

/** Counts the selections that a plan visits. */
export interface SelectionCount {
  readonly selections: number;
  /** @throws QuernError LIMIT_REACHED */
  readonly looked: (selections: number) => void;
}

interface Counted<Part> {
  readonly part: Part;
  /** Visited to plan it. It counts for each place: what reads a plan visits the part in each of them. */
  readonly selections: number;
}

type Plan<Part> = () => Work<Part>;

export class PlannedParts {
  readonly #levels = new Map<string, Counted<Level>>();
  readonly #steps = new Map<string, Counted<ListStep>>();
  readonly #nodeIds = new Map<FieldNode, number>();

  /** The same text for the same fields of the document, and only for them. */
  identityOf(nodes: readonly FieldNode[]): string {
    let text = "";
    for (const node of nodes) {
      const id = this.#nodeIds.get(node) ?? this.#nodeIds.size;
      this.#nodeIds.set(node, id);
      text += `${id},`;
    }
    return text;
  }

  /** @param identity of everything that decides what the part is */
  level(identity: string, count: SelectionCount, plan: Plan<Level>): Work<Level> {
    return once(this.#levels, { identity, count, plan });
  }

  step(identity: string, count: SelectionCount, plan: Plan<ListStep>): Work<ListStep> {
    return once(this.#steps, { identity, count, plan });
  }
}

interface PartRequest<Part> {
  readonly identity: string;
  readonly count: SelectionCount;
  readonly plan: Plan<Part>;
}

function* once<Part>(known: Map<string, Counted<Part>>, { identity, count, plan }: PartRequest<Part>): Work<Part> {
  const found = known.get(identity);
  if (found) {
    count.looked(found.selections);
    return found.part;
  }
  const before = count.selections;
  const part = yield* plan();
  known.set(identity, { part, selections: count.selections - before });
  return part;
}
