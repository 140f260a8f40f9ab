// First step of an import: brings the statements about one node together. An export holds them by name, all over its files.

import type { ExternalSorter } from "../sort/external-sorter.ts";
import type { Findings } from "../source/findings.ts";
import type { Statement } from "../source/statement.ts";
import { uidKey } from "./records.ts";
import type { Target, TargetEnd, TargetField } from "./target.ts";

const typePredicate = "dgraph.type";

/** Marks in a sorted line, in the order in which the lines of a node come. */
export const marks = { type: "0", value: "1", link: "2" } as const;

const sequenceWidth = 12;
/** Where the payload of a sorted line begins: after uid, mark and sequence number. */
export const payloadAt = 14 + 1 + sequenceWidth;

export interface SortingOptions {
  readonly target: Target;
  readonly namespace: number;
  readonly findings: Findings;
  readonly sorter: ExternalSorter;
}

/** Adds statements to the sorter, those that the schema has a place for. */
export class StatementSorting {
  readonly #options: SortingOptions;
  #sequence = 0;
  /** The highest uid that any statement mentions. */
  highestUid = 0;
  statements = 0;

  constructor(options: SortingOptions) {
    this.#options = options;
  }

  add(statement: Statement): Promise<void> | undefined {
    const { findings, namespace } = this.#options;
    const { subject, object, predicate } = statement;
    this.statements += 1;
    if (statement.namespace !== namespace) return void findings.add("namespace", `0x${statement.namespace.toString(16)}`, sampleOf(statement));
    this.highestUid = Math.max(this.highestUid, subject, object.kind === "link" ? object.to : 0);
    if (statement.facets !== undefined) findings.add("facet", predicate, { uid: subject, value: `(${statement.facets})` });
    if (predicate === typePredicate) return object.kind === "literal" ? this.#sort(subject, marks.type, object.text) : undefined;
    if (isSystem(predicate)) return void findings.add("system", predicate, sampleOf(statement));
    const name = statement.language === undefined ? predicate : `${predicate}@${statement.language}`;
    const field = this.#options.target.fields.get(name);
    if (field !== undefined) return this.#addValue(statement, field);
    const end = this.#options.target.ends.get(name);
    if (end?.isStated) return this.#addLink(statement, end);
    return void findings.add("uncovered", name, sampleOf(statement));
  }

  #addValue(statement: Statement, field: TargetField): Promise<void> | undefined {
    const { object, subject } = statement;
    if (object.kind === "link") return void this.#options.findings.add("value", field.name, sampleOf(statement));
    return this.#sort(subject, marks.value, `${field.index} ${JSON.stringify(object.text)}`);
  }

  #addLink(statement: Statement, end: TargetEnd): Promise<void> | undefined {
    const { object, subject } = statement;
    if (object.kind === "literal") return void this.#options.findings.add("value", end.end.name, sampleOf(statement));
    return this.#sort(subject, marks.link, `${end.index} ${object.to.toString(16)}`);
  }

  #sort(subject: number, mark: string, payload: string): Promise<void> | undefined {
    this.#sequence += 1;
    const sequence = this.#sequence.toString(16).padStart(sequenceWidth, "0");
    return this.#options.sorter.add(`${uidKey(subject)}${mark}${sequence}${payload}`);
  }
}

function isSystem(predicate: string): boolean {
  return predicate.startsWith("dgraph.") || predicate === "_predicate_";
}

function sampleOf({ subject, object }: Statement): { readonly uid: number; readonly value: string } {
  return { uid: subject, value: object.kind === "link" ? `0x${object.to.toString(16)}` : object.text };
}
