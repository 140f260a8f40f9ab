// Finds all mistakes of a schema: takes out what is wrong, and judges the rest again, until nothing more is found. What may only follow from another mistake
// is left out, unless it also holds when the names are as they are probably meant.

import type { ASTNode, DefinitionNode } from "graphql";
import { Kind } from "graphql";
import type { Location } from "../../ground/errors.ts";
import { QuernError } from "../../ground/errors.ts";
import type { Work } from "../../ground/work.ts";
import { pluginOfDirective } from "../document/known-plugins.ts";
import { type SchemaDocument, schemaDocument } from "../document/parse-document.ts";
import { problemKey } from "../document/problems.ts";
import { repaired } from "../document/repair.ts";
import { type Path, pathAt, type SourcePlaces } from "../document/source-places.ts";
import { isLocation, placesOf, type Suspects } from "../document/suspects.ts";
import type { Meant } from "../document/validate-common.ts";

/** Each round ends at a stage of the deploy that the one before has not reached. */
const maxRounds = 12;
/** With as many mistakes nothing more is looked for. */
const maxMistakes = 1_000;

export interface Judging {
  /** Judges a repaired document as a deploy does. Calls `isLast` before the last stage: after it nothing more can be found. */
  readonly attempt: (document: SchemaDocument, isLast: () => void) => Work<unknown>;
  readonly places: SourcePlaces;
  readonly suspects: Suspects;
  /** Whether the schema or the server defines a directive. */
  readonly isDirective: (name: string) => boolean;
}

/**
 * Every mistake of a refused document, in no order.
 *
 * @param first what has refused it
 */
export function* everyMistake(document: SchemaDocument, first: readonly QuernError[], judging: Judging): Work<readonly QuernError[]> {
  const apart = new Judgement(judging, "apart");
  yield* apart.judge(document, first);
  if (apart.doubtful.size === 0) return [...apart.own.values()];
  const mended = new Judgement(judging, "mended");
  yield* mended.judge(document, first, (found) => [...apart.doubtful.keys()].every((key) => found.has(key)));
  const confirmed = [...apart.doubtful].flatMap(([key, error]) => (mended.all.has(key) ? [error] : []));
  return [...apart.own.values(), ...confirmed];
}

/** One way to repair: wrong parts are taken out, or names become what they are probably meant to be. */
class Judgement {
  readonly #judging: Judging;
  readonly #how: "apart" | "mended";
  readonly own = new Map<string, QuernError>();
  /** They may follow from others. */
  readonly doubtful = new Map<string, QuernError>();
  /** Keys of all that was found. */
  readonly all = new Set<string>();
  /** Places that got another name already. */
  readonly #renamed = new Set<string>();

  constructor(judging: Judging, how: "apart" | "mended") {
    this.#judging = judging;
    this.#how = how;
  }

  /** @param isEnough whether all that is looked for is among what was found */
  *judge(document: SchemaDocument, first: readonly QuernError[], isEnough: (found: ReadonlySet<string>) => boolean = () => false): Work<void> {
    let { definitions } = document.written;
    let found = { errors: first, isLast: false };
    for (let round = 0; round < maxRounds && found.errors.length > 0; round++) {
      this.#sort(found.errors, definitions);
      if (found.isLast || this.all.size >= maxMistakes || isEnough(this.all)) return;
      const next = this.#repaired(found.errors, definitions);
      if (next === definitions) return;
      definitions = next;
      yield;
      found = yield* this.#attempt(definitions);
    }
  }

  /** What refuses the document. A fault ends the search: plugins know valid documents, and a repaired one may surprise them. */
  *#attempt(definitions: readonly DefinitionNode[]): Work<{ readonly errors: readonly QuernError[]; readonly isLast: boolean }> {
    let isLast = false;
    try {
      yield* this.#judging.attempt(schemaDocument(definitions), () => {
        isLast = true;
      });
      return { errors: [], isLast };
    } catch (thrown) {
      if (!(thrown instanceof QuernError)) return { errors: [], isLast };
      return { errors: thrown.errors.length > 0 ? thrown.errors : [thrown], isLast };
    }
  }

  #sort(errors: readonly QuernError[], definitions: readonly DefinitionNode[]): void {
    for (const error of errors) {
      const key = problemKey(error);
      if (this.all.has(key)) continue;
      this.all.add(key);
      const standing = this.#how === "mended" ? "follows" : this.#judging.suspects.standing(error, definitions);
      if (standing === "own") this.own.set(key, error);
      if (standing === "doubtful") this.doubtful.set(key, error);
    }
  }

  /** The same list if nothing can be repaired. */
  #repaired(errors: readonly QuernError[], definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
    const repairs = new Map<ASTNode, Meant | "remove">();
    for (const error of errors) {
      for (const location of wrongPlaces(error)) {
        const path = pathAt(definitions, this.#judging.places.offset(location));
        if (path !== undefined) this.#repair(path, error, repairs);
      }
    }
    if (repairs.size === 0) return definitions;
    const { definitions: rest, also } = repaired(definitions, repairs);
    if (this.#how === "apart") for (const path of also) this.#judging.suspects.add(path, undefined);
    return rest;
  }

  #repair(path: Path, error: QuernError, repairs: Map<ASTNode, Meant | "remove">): void {
    const meant = meantBy(error);
    const key = problemKey(error);
    const last = path[path.length - 1] ?? path[0];
    if (this.#how === "mended" && meant !== undefined && !this.#renamed.has(key)) {
      this.#renamed.add(key);
      repairs.set(last, meant);
      return;
    }
    const removed = ofRootField(path);
    repairs.set(removed[removed.length - 1] ?? last, "remove");
    if (this.#how === "apart" && !this.#isForeign(last, meant)) this.#judging.suspects.add(path, meant);
  }

  /** Nothing that is installed can depend on a directive that nobody knows and that resembles none. */
  #isForeign(node: ASTNode, meant: Meant | undefined): boolean {
    if (node.kind !== Kind.DIRECTIVE || meant !== undefined) return false;
    const name = node.name.value;
    return !this.#judging.isDirective(name) && pluginOfDirective(name) === undefined;
  }
}

/** Without its directive a root field would be a mistake of its own. */
function ofRootField(path: Path): Path {
  const [definition, part] = path;
  const isRoot = "name" in definition && (definition.name?.value === "Query" || definition.name?.value === "Mutation");
  return isRoot && part !== undefined && path.length > 2 ? [definition, part] : path;
}

/** Where the wrong part is, which may be in what the error is shown at. */
function wrongPlaces(error: QuernError): readonly Location[] {
  const { part } = error.details;
  return isLocation(part) ? [part] : placesOf(error);
}

function meantBy({ details: { meant } }: QuernError): Meant | undefined {
  return isMeant(meant) ? meant : undefined;
}

function isMeant(value: unknown): value is Meant {
  return typeof value === "object" && value !== null && "name" in value && "near" in value;
}
