// The index kinds that come with `@search`.

import type { IndexKind } from "../ground/kind.ts";
import { bool } from "./bool.ts";
import { exact } from "./exact.ts";
import { fulltext } from "./fulltext.ts";
import { multiPolygon, point, polygon } from "./geo.ts";
import { hash } from "./hash.ts";
import { hnsw } from "./hnsw.ts";
import { ngram } from "./ngram.ts";
import { day, float, hour, int, int64, month, year } from "./ordered.ts";
import { type PatternOptions, patternKind } from "./regexp.ts";
import { term } from "./term.ts";

export function builtInKinds(patterns: PatternOptions): readonly IndexKind[] {
  return [...fixedKinds, patternKind("trigram", patterns), patternKind("regexp", patterns)];
}

const fixedKinds: readonly IndexKind[] = [
  int,
  int64,
  float,
  bool,
  hash,
  exact,
  term,
  fulltext,
  ngram,
  year,
  month,
  day,
  hour,
  point,
  polygon,
  multiPolygon,
  hnsw,
];
