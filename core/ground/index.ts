// Errors and values: what applications, plugins, storages and transports all use. Each of their entries has these names.

export { type CatalogueEntry, errorCatalogue, isRetryable } from "./error-catalogue.ts";
export { type ErrorStyle, errorStyles, isErrorStyle } from "./error-style.ts";
export {
  type BrokenRule,
  type ErrorCode,
  type ErrorText,
  type InputPath,
  type Location,
  QuernError,
  type QuernErrorOptions,
} from "./errors.ts";
export { FairQueue } from "./fair-queue.ts";
export { Fifo } from "./fifo.ts";
export { addToGroup } from "./groups.ts";
export { holdsMoreThan } from "./holds-more-than.ts";
export { parseAnswerInTurns, parseJsonInTurns } from "./json/parse-in-turns.ts";
export { parseAnswer, parseJson } from "./json/parse-json.ts";
export { writeJsonInTurns } from "./json/write-in-turns.ts";
export { writeJson } from "./json/write-json.ts";
export { allOf, andThen, isPromise, rescued } from "./maybe-promise.ts";
export { didYouMean, nearestName } from "./near-name.ts";
export { isStackOverflow, tooDeep } from "./too-deep.ts";
export { nextTurn, putOffTurns, TurnClock } from "./turns.ts";
export { compareText, compareValues, equalValues, isGeometry } from "./values/compare.ts";
export { convertValue, fitsKind } from "./values/convert.ts";
export { compareInstants, type Instant, normalizeDateTime, parseDateTime } from "./values/date-time.ts";
export { sameStored } from "./values/same-stored.ts";
export { formatUid, parseUid } from "./values/uid.ts";
export * from "./values/value.ts";
export * from "./values/vector.ts";
export { isWellFormed, type MalformedText, malformedTexts } from "./values/well-formed.ts";
export { run, runAtOnce, type Turns, together, type Work, wait } from "./work.ts";
