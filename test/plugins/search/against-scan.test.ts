// Random texts, patterns and places on a LevelDB, changed and asked at random: the indexes answer what a look at every value
// does. The plain look is written here, without tokens in any index, trigrams or cells. SEARCH_RUNS=1000 tries longer.

import { RE2JS } from "re2js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Geometry, Position } from "../../../core/index.ts";
import { angleOf, intersect, isNear, isWithin, regionOf } from "../../../plugins/search/geo/region.ts";
import { type Analyzer, type Parts, stems, terms } from "../../../plugins/search/text/analyzer.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import fc, { examples } from "../../support/properties.ts";
import { anyGeometry, anyPlace, asInput, degenerate } from "./random-places.ts";
import { anyPattern, anyQuery, anyText } from "./random-texts.ts";

const runs = Number(process.env.SEARCH_RUNS ?? examples(15));

let stack: TemporaryKernel;
afterAll(() => stack?.remove());

async function run(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = JSON.parse((await stack.kernel.execute({ query, variables })).body);
  if (errors) throw new Error(`${JSON.stringify(errors)} ${JSON.stringify(variables)}`);
  return data;
}

/** The numbers of the nodes that `filter` finds. */
async function found(type: string, filter: unknown): Promise<readonly number[]> {
  const { answer } = await run(`query ($filter: ${type}Filter) { answer: query${type}(filter: $filter) { n } }`, { filter });
  return (answer as readonly { readonly n: number }[]).map(({ n }) => n).sort((a, b) => a - b);
}

/** Nodes by number as they should be. */
type Model<T> = Map<number, T>;

function scan<T>(model: Model<T>, holds: (value: T) => boolean): readonly number[] {
  return [...model].flatMap(([n, value]) => (holds(value) ? [n] : [])).sort((a, b) => a - b);
}

interface Texts {
  readonly text: string | null;
  readonly german: string | null;
  readonly japanese: string | null;
  readonly list: readonly string[];
}

const noteTexts: fc.Arbitrary<Texts> = fc.record({
  text: fc.option(anyText, { freq: 10 }),
  german: fc.option(anyText, { freq: 4 }),
  japanese: fc.option(anyText, { freq: 4 }),
  list: fc.uniqueArray(anyText, { maxLength: 4 }),
});

type TextField = keyof Texts;
const textFields: readonly TextField[] = ["text", "german", "japanese", "list"];
const tags: Readonly<Record<TextField, string | undefined>> = { text: undefined, german: "de", japanese: "ja", list: undefined };

function valuesOf(texts: Texts, field: TextField): readonly string[] {
  const value = texts[field];
  return typeof value === "string" ? [value] : (value ?? []);
}

function flat(parts: Parts): readonly string[] {
  return [...parts].flat();
}

/** Words of all values together, as a query of `words` asks for them. */
function hasWords(values: readonly string[], words: readonly string[], match: "any" | "all", { findable }: Pick<Analyzer, "findable">): boolean {
  const all = values.flatMap((value) => flat(findable(value)));
  if (words.length === 0) return false;
  return match === "all" ? words.every((word) => all.includes(word)) : words.some((word) => all.includes(word));
}

/** A run of the query's words, at most three, stands in a single value. */
function hasSequence(values: readonly string[], query: string, { words }: Analyzer): boolean {
  const asked = flat(words(query));
  const length = Math.min(3, asked.length);
  const isRun = (stemmed: readonly string[], from: number) =>
    asked.some((_, at) => at + length <= asked.length && same(asked, at, stemmed, from, length));
  return length > 0 && values.some((value) => flat(words(value)).some((_, from, stemmed) => isRun(stemmed, from)));
}

function same(a: readonly string[], at: number, b: readonly string[], from: number, length: number): boolean {
  return Array.from({ length }, (_, k) => a[at + k] === b[from + k] && a[at + k] !== undefined).every(Boolean);
}

function textHolds(operator: string, operand: string, field: TextField): (texts: Texts) => boolean {
  const term = terms(tags[field]);
  const stem = stems(tags[field] ?? "en");
  const ways: Readonly<Record<string, (values: readonly string[]) => boolean>> = {
    allofterms: (values) => hasWords(values, flat(term.words(operand)), "all", term),
    anyofterms: (values) => hasWords(values, flat(term.words(operand)), "any", term),
    alloftext: (values) => hasWords(values, flat(stem.words(operand)), "all", stem),
    anyoftext: (values) => hasWords(values, flat(stem.words(operand)), "any", stem),
    ngram: (values) => hasSequence(values, operand, stem),
  };
  return (texts) => ways[operator]?.(valuesOf(texts, field)) === true;
}

describe("texts", () => {
  const model: Model<Texts> = new Map();
  let next = 0;

  beforeAll(async () => {
    stack = await temporaryKernel();
    await stack.kernel.deploy(`
      type Note {
        n: Int! @search
        text: String @search(by: [term, fulltext, regexp, ngram])
        german: String @search(by: [term, fulltext, regexp, ngram]) @dgraph(pred: "Note.text@de")
        japanese: String @search(by: [term, fulltext, regexp, ngram]) @dgraph(pred: "Note.text@ja")
        list: [String] @search(by: [term, fulltext, regexp, ngram])
      }
      type Place { n: Int! @search  point: Point @search  points: [Point] @search  area: Polygon @search  areas: MultiPolygon @search }`);
    for (const texts of fc.sample(noteTexts, 300)) await add(texts);
  }, 300_000);

  async function add(texts: Texts): Promise<void> {
    const n = next++;
    await run("mutation ($input: [AddNoteInput!]!) { addNote(input: $input) { numUids } }", { input: [{ n, ...texts }] });
    model.set(n, texts);
  }

  async function change(n: number, texts: Texts): Promise<void> {
    const filter = { n: { eq: n } };
    const set = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)));
    const remove = Object.fromEntries(textFields.filter((field) => texts[field] === null).map((field) => [field, null]));
    const old = model.get(n);
    if (!old) return;
    const patch = { filter, ...(Object.keys(set).length > 0 && { set }), ...(Object.keys(remove).length > 0 && { remove }) };
    if (!patch.set && !patch.remove) return;
    await run("mutation ($patch: UpdateNoteInput!) { updateNote(input: $patch) { numUids } }", { patch });
    // A list that is set gains values; it loses none.
    model.set(n, { ...texts, list: [...new Set([...old.list, ...texts.list])] });
  }

  async function remove(n: number): Promise<void> {
    await run("mutation ($filter: NoteFilter!) { deleteNote(filter: $filter) { numUids } }", { filter: { n: { eq: n } } });
    model.delete(n);
  }

  async function disturb(texts: Texts, which: number): Promise<void> {
    const numbers = [...model.keys()];
    const n = numbers[which % numbers.length] ?? 0;
    if (which % 3 === 0) await add(texts);
    else if (which % 3 === 1) await change(n, texts);
    else await remove(n);
  }

  it.each(["allofterms", "anyofterms", "alloftext", "anyoftext", "ngram"])(
    "are found by %s as by a scan",
    async (operator) => {
      await fc.assert(
        fc.asyncProperty(
          anyQuery(() => [...model.values()].flatMap((each) => textFields.flatMap((field) => valuesOf(each, field)))),
          noteTexts,
          fc.nat(),
          async (query, texts, which) => {
            await disturb(texts, which);
            for (const field of textFields) {
              expect(await found("Note", { [field]: { [operator]: query } }), `${field} ${operator} ${JSON.stringify(query)}`).toEqual(
                scan(model, textHolds(operator, query, field)),
              );
            }
          },
        ),
        { numRuns: runs },
      );
    },
    120_000,
  );

  it("are found by regexp as by a scan", async () => {
    const texts = () => [...model.values()].flatMap((each) => textFields.flatMap((field) => valuesOf(each, field)));
    await fc.assert(
      fc.asyncProperty(anyPattern(texts), noteTexts, fc.nat(), async ({ pattern, ignoresCase }, more, which) => {
        await disturb(more, which);
        const plain = RE2JS.compile(pattern, RE2JS.MULTILINE | (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0));
        const written = `/${pattern.replaceAll("/", "\\/")}/${ignoresCase ? "i" : ""}`;
        for (const field of ["text", "list"] as const) {
          const expected = scan(model, (each) => valuesOf(each, field).some((value) => value !== "" && plain.test(value)));
          expect(await found("Note", { [field]: { regexp: written } }), `${field} ${written}`).toEqual(expected);
          expect(await found("Note", { not: { [field]: { regexp: written } } })).toEqual(
            scan(model, () => true).filter((n) => !expected.includes(n)),
          );
        }
      }),
      { numRuns: runs * 3 },
    );
  }, 300_000);

  it("are found by several operators of several kinds at once as by a scan", async () => {
    const texts = () => [...model.values()].flatMap((each) => valuesOf(each, "text"));
    await fc.assert(
      fc.asyncProperty(anyQuery(texts), anyQuery(texts), async (one, other) => {
        const terms = textHolds("anyofterms", one, "text");
        const stemmed = textHolds("anyoftext", other, "text");
        const filter = { text: { anyofterms: one, anyoftext: other } };
        expect(await found("Note", filter)).toEqual(scan(model, (each) => terms(each) && stemmed(each)));
        const either = { or: [{ text: { anyofterms: one } }, { text: { anyoftext: other } }] };
        expect(await found("Note", either)).toEqual(scan(model, (each) => terms(each) || stemmed(each)));
      }),
      { numRuns: runs },
    );
  }, 300_000);

  it("leaves a store whose entries and values agree", async () => {
    const report = await stack.kernel.storage.verify();
    expect(report.faults).toEqual([]);
  });
});

interface Places {
  readonly point: Geometry | undefined;
  readonly points: readonly Geometry[];
  readonly area: Geometry | undefined;
  readonly areas: Geometry | undefined;
}
type PlaceField = keyof Places;

describe("places", () => {
  const model: Model<Places> = new Map();

  beforeAll(async () => {
    const places = fc.sample(
      fc.record({ point: anyPlace, points: fc.array(anyPlace, { maxLength: 3 }), area: anyGeometry("Polygon"), areas: anyGeometry("MultiPolygon") }),
      150,
    );
    const input = places.map(({ point, points, area, areas }, n) => {
      const valid = {
        point: pointOf(point),
        points: points.map(pointOf),
        area: degenerate(area) ? undefined : area,
        areas: degenerate(areas) ? undefined : areas,
      };
      model.set(n, valid);
      return {
        n,
        point: asInput(valid.point),
        points: valid.points.map(asInput),
        area: valid.area && asInput(valid.area),
        areas: valid.areas && asInput(valid.areas),
      };
    });
    await run("mutation ($input: [AddPlaceInput!]!) { addPlace(input: $input) { numUids } }", { input });
  }, 300_000);

  function pointOf(position: Position): Geometry {
    return { type: "Point", coordinates: position };
  }

  /** Values are parsed once for all questions. */
  const regions = new WeakMap<Geometry, ReturnType<typeof regionOf>>();
  function regionIn(geometry: Geometry): ReturnType<typeof regionOf> {
    const region = regions.get(geometry) ?? regionOf(geometry);
    regions.set(geometry, region);
    return region;
  }

  async function same(
    field: PlaceField,
    operand: Readonly<Record<string, unknown>>,
    holds: (value: ReturnType<typeof regionOf>) => boolean,
  ): Promise<void> {
    const expected = scan(model, (each) => [each[field] ?? []].flat().some((value) => holds(regionIn(value))));
    expect(await found("Place", { [field]: operand }), `${field} ${JSON.stringify(operand)}`).toEqual(expected);
  }

  const distance = fc.oneof(
    fc.double({ min: 0.1, max: 1_000, noNaN: true }),
    fc.double({ min: 1_000, max: 1e6, noNaN: true }),
    fc.double({ min: 1e6, max: 2.1e7, noNaN: true }),
  );

  it("are found by near as by a scan", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlace, distance, async ([longitude, latitude], metres) => {
        const center = regionOf(pointOf([longitude, latitude]));
        for (const field of ["point", "points", "area", "areas"] as const)
          await same(field, { near: { coordinate: { longitude, latitude }, distance: metres } }, (value) => isNear(value, center, angleOf(metres)));
      }),
      { numRuns: runs },
    );
  }, 300_000);

  it("are found by within and intersects as by a scan", async () => {
    await fc.assert(
      fc.asyncProperty(anyGeometry("Polygon"), async (polygon) => {
        if (degenerate(polygon)) return;
        const wanted = regionOf(polygon);
        for (const field of ["point", "points", "area", "areas"] as const)
          await same(field, { within: { polygon: asInput(polygon) } }, (value) => isWithin(value, wanted));
        for (const field of ["area", "areas"] as const)
          await same(field, { intersects: { polygon: asInput(polygon) } }, (value) => intersect(value, wanted));
      }),
      { numRuns: runs },
    );
  }, 300_000);

  it("are found by contains as by a scan", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlace, anyGeometry("Polygon"), async ([longitude, latitude], polygon) => {
        const place = regionOf(pointOf([longitude, latitude]));
        for (const field of ["area", "areas"] as const) {
          await same(field, { contains: { point: { longitude, latitude } } }, (value) => isWithin(place, value));
          if (!degenerate(polygon)) await same(field, { contains: { polygon: asInput(polygon) } }, (value) => isWithin(regionOf(polygon), value));
        }
      }),
      { numRuns: runs },
    );
  }, 300_000);
});
