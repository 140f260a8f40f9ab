// The index kinds that come with `@search`.

import { bool } from "./bool.ts";
import { exact } from "./exact.ts";
import { fulltext } from "./fulltext.ts";
import { multiPolygon, point, polygon } from "./geo.ts";
import { hash } from "./hash.ts";
import { hnsw } from "./hnsw.ts";
import type { IndexKind } from "./kind.ts";
import { ngram } from "./ngram.ts";
import { day, float, hour, int, int64, month, year } from "./ordered.ts";
import { regexp, trigram } from "./regexp.ts";
import { term } from "./term.ts";

export const builtInKinds: readonly IndexKind[] = [
  int,
  int64,
  float,
  bool,
  hash,
  exact,
  term,
  fulltext,
  trigram,
  regexp,
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
