// Runs a DQL text: parse, check, run, answer.

import { layoutIndexOf, run, runAtOnce, type ServedSchema, type Snapshot, type TypeName, type Work } from "../../../core/plugin.ts";
import type { AnswerObject } from "../answer/node.ts";
import { inputsOf } from "../language/inputs.ts";
import { parseDocument } from "../language/parse-document.ts";
import type { Document } from "../language/syntax.ts";
import { checkParameters, checkVariables } from "../language/variable-uses.ts";
import { looseOverlay } from "../overlay/loose-records.ts";
import { hiddenUnderRules, type OverlaySource, overlaySnapshot } from "../overlay/overlay-snapshot.ts";
import { Catalog, type CatalogSource, untypedName } from "../schema/catalog.ts";
import { answerSchemaRequest } from "../schema-request/answer-schema-request.ts";
import { parseSchemaRequest } from "../schema-request/parse-schema-request.ts";
import type { DocumentBudget } from "../state/document-budget.ts";
import { runDocument } from "./run-document.ts";

/** Texts of query variables, by name with `$`. */
export type DqlVariables = Readonly<Record<string, string>>;

export interface RunTextOptions {
  readonly schema: CatalogSource;
  readonly snapshot: Snapshot;
  readonly work: DocumentBudget;
  /** Rules hold for the snapshot: what they cannot judge is not shown. */
  readonly isRuled?: boolean;
  /** What an open transaction has written: read beside the snapshot. */
  readonly own?: OverlaySource;
  /** Adds `__typename` wherever a document asks for `dgraph.type`. */
  readonly typenames?: boolean;
}

/**
 * The answer's members, by block; of a schema request `schema` and `types`. Whole numbers may be bigints.
 *
 * @throws QuernError with the reason, and the place of a mistake in the text
 */
export async function runText(text: string, variables: DqlVariables, options: RunTextOptions): Promise<AnswerObject> {
  const { schema, work } = options;
  const document = parsed.get(text);
  if (document) return runChecked(document, variables, options);
  const request = await run(parseSchemaRequest(text), work);
  if (request) return answerSchemaRequest(request, catalogOf(schema));
  return runChecked(await run(parseAndCheck(text), work), variables, options);
}

/** The last documents by text: parsing one takes longer than a read by key. */
const parsed = new Map<string, Document>();
const maxParsed = 200;
const longestParsed = 10_000;

/** @throws QuernError */
export function checkedDocument(text: string): Document {
  return parsed.get(text) ?? runAtOnce(parseAndCheck(text));
}

function* parseAndCheck(text: string): Work<Document> {
  const document = yield* parseDocument(text);
  yield* checkVariables(document);
  checkParameters(document);
  if (text.length <= longestParsed) keep(text, document);
  return document;
}

function keep(text: string, document: Document): void {
  const [oldest] = parsed.keys();
  if (parsed.size >= maxParsed && oldest !== undefined) parsed.delete(oldest);
  parsed.set(text, document);
}

export async function runChecked(document: Document, variables: DqlVariables, options: RunTextOptions): Promise<AnswerObject> {
  const { schema, work, typenames = false } = options;
  const inputs = inputsOf(document, variables);
  const { catalog, seen } = options.own ? withOwn(options.own, options) : await withLoose(catalogOf(schema), options);
  const typenameOf = typenames ? (type: TypeName) => catalog.graphqlNameOf(type) : undefined;
  return runDocument(document, { catalog, inputs, snapshot: seen, work, typenameOf, now: Date.now() });
}

/** With the nodes that have no type, and the values and links that are of no type, if there are some. */
async function withLoose(catalog: Catalog, { schema, snapshot, isRuled }: Pick<RunTextOptions, "schema" | "snapshot" | "isRuled">) {
  const index = layoutIndexOf(schema.layout);
  const { types } = catalog;
  const overlay = await looseOverlay({ snapshot, index, types });
  if (!overlay) return { catalog, seen: snapshot };
  const source = { overlay, index, types };
  const hidden = isRuled === true ? { hidden: await hiddenUnderRules(snapshot, source) } : {};
  return { catalog: new Catalog({ ...schema, untyped: untypedName() }), seen: overlaySnapshot(snapshot, { ...source, ...hidden }) };
}

function withOwn(own: OverlaySource, { schema, snapshot }: Pick<RunTextOptions, "schema" | "snapshot">) {
  return { catalog: new Catalog({ ...schema, untyped: untypedName() }), seen: overlaySnapshot(snapshot, own) };
}

interface KnownCatalog {
  readonly catalog: Catalog;
  /** Of all fields and ends. */
  readonly names: readonly string[];
}

const catalogs = new WeakMap<ServedSchema["layout"], KnownCatalog>();

/** Made once for each deployment, and for a caller who may not read everything. */
function catalogOf(schema: CatalogSource): Catalog {
  const { layout, mayRead } = schema;
  const { catalog, names } = catalogs.get(layout) ?? wholeCatalog(schema);
  return mayRead && !names.every((name) => mayRead(name)) ? new Catalog(schema) : catalog;
}

function wholeCatalog(schema: CatalogSource): KnownCatalog {
  const { layout } = schema;
  const parts = [...layout.fields, ...layout.edges.flatMap(({ sides }) => sides.flatMap(({ ends }) => ends))];
  const whole = { catalog: new Catalog({ ...schema, mayRead: () => true }), names: parts.map(({ name }) => name) };
  catalogs.set(layout, whole);
  return whole;
}
