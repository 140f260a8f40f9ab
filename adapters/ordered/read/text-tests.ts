// Text conditions: by posting lists of tokens, or by a test of the text itself.

import { type Check, type Lookup, tokensTest } from "../../../core/storage.ts";
import { boundedText } from "../keyspaces/keys.ts";
import type { TokenIndexRuntime } from "../layout/layout-runtime.ts";
import { type Clause, nothing, ofStream, recordCost, sortedListing, type Test } from "./clause.ts";
import { allOf, listOf } from "./combined.ts";
import { listedIntersection, listedUnion } from "./listed.ts";
import type { Reader } from "./reader.ts";
import { unionOf } from "./stream.ts";

export function lookup(reader: Reader, predicate: Lookup): Clause {
  if (predicate.tokens.length === 0) return nothing;
  const index = reader.schema.indexes.get(predicate.index);
  if (index?.by !== "tokens") return scannedLookup(reader, predicate);
  if (predicate.tokens.length > fewTokens) return longLookup(reader, predicate, index);
  const tokens = [...new Set(predicate.tokens)];
  const lists = tokens.map((token) => ofStream(index.lists.open(boundedText(token), reader.view), index.field.types));
  if (predicate.match === "all") return allOf(reader, lists);
  return ofStream(unionOf(tokens.map((token) => index.lists.open(boundedText(token), reader.view))), index.field.types);
}

/** The lists of more tokens are opened when they are read, a few at a time; an estimate is made from as many. */
const fewTokens = 64;

function longLookup(reader: Reader, predicate: Lookup, index: TokenIndexRuntime): Clause {
  const { tokens, match } = predicate;
  const open = (token: string) => index.lists.open(boundedText(token), reader.view);
  const sample = tokens.slice(0, fewTokens).map((token) => ({ token, count: open(token).count }));
  const counts = sample.map(({ count }) => count);
  const rarestFirst = [...sample.sort((a, b) => a.count - b.count).map(({ token }) => token), ...tokens.slice(fewTokens)];
  const sum = counts.reduce((total, count) => total + count, 0);
  return {
    estimate: match === "all" ? Math.min(...counts) : Math.ceil((sum / fewTokens) * tokens.length),
    listing: sortedListing,
    stream: () => (match === "all" ? listedIntersection(reader, rarestFirst, open) : listedUnion(reader, tokens, open)),
    tester: () => testOfRecords(reader, predicate, index),
    records: true,
    cost: recordCost * 2,
    covers: index.field.types,
  };
}

function testOfRecords(reader: Reader, predicate: Lookup, index: Pick<TokenIndexRuntime, "field" | "tokens">): Test {
  const test = tokensTest(index, predicate);
  return slowTest(reader, (uid) => {
    const record = reader.record(uid);
    return record !== undefined && test(index.field.values(record));
  });
}

/** For a layout whose index is gone: runs the tokenizer on each record. */
function scannedLookup(reader: Reader, predicate: Lookup): Clause {
  const index = reader.schema.layout.indexes.find((each) => each.name === predicate.index);
  if (index?.by !== "tokens") throw new TypeError(`no token index ${predicate.index} in the layout`);
  const field = reader.field(index.field);
  const test = testOfRecords(reader, predicate, { field, tokens: index.tokens });
  return { estimate: Number.POSITIVE_INFINITY, tester: () => test, records: true, cost: recordCost * 2, covers: field.types };
}

export function check(reader: Reader, predicate: Check, within: Clause | undefined): Clause {
  const field = reader.field(predicate.field);
  const { holds } = predicate.test;
  const test: Test = slowTest(reader, (uid) => {
    const record = reader.record(uid);
    if (record === undefined) return false;
    const values = field.values(record);
    return values.length > 0 && holds(values);
  });
  const clause: Clause = { estimate: Number.POSITIVE_INFINITY, tester: () => test, records: true, cost: recordCost * 2, covers: field.types };
  if (within?.stream === undefined) return clause;
  const conjuncts = [clause, within];
  return { ...clause, estimate: within.estimate, listing: (within.listing ?? 1) + clause.cost, stream: () => listOf(reader, conjuncts), conjuncts };
}

/** Texts may be long: a test of one may take longer than a block of others. */
function slowTest(reader: Reader, test: Test): Test {
  let count = 0;
  return (uid) => {
    if (++count % slowTestsBetweenLooks === 0) reader.check();
    return test(uid);
  };
}

const slowTestsBetweenLooks = 16;
