// Translates errors of the driver: one sentence with the next step.

import {
  MongoClientClosedError,
  MongoError,
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from "mongodb";
import { QuernError } from "../../../core/storage.ts";
import { storeClosed } from "../../storage-kit/index.ts";
import { noAnswer } from "./connection-failure.ts";

const authentication = new Set([13, 18, 8000]);
const viewsGone = new Set([239]);
const timeIsUp = 50;
const invalidOptions = 72;
/** A document, a command, the outcome of an update or of a `$lookup` that is longer than the database takes; `$match` and others in front of a cursor too. */
const tooLong = new Set([4568, 10334, 17419, 17420]);

/**
 * Translates an error of the driver; returns other errors unchanged.
 *
 * @param where `host:port`, for errors at opening. Errors of later calls reach clients, which must not learn the address
 */
export function storeError(thrown: unknown, where?: string): unknown {
  const at = where === undefined ? "" : ` at ${where}`;
  if (isTooLong(thrown)) return new QuernError("TOO_LARGE", "MongoDB takes no more than 16 MB of one node, or in one query", { cause: thrown });
  if (isBrokenSocket(thrown) || isPoolClosed(thrown)) return connectionBroke(at, thrown);
  if (thrown instanceof QuernError || !(thrown instanceof MongoError)) return thrown;
  if (thrown instanceof MongoServerError && Number(thrown.code) === tooLargeForCache) return endedByServer(thrown);
  if (closed.some((error) => thrown instanceof error)) return storeClosed();
  if (thrown instanceof MongoServerSelectionError) {
    if (isRefusal(thrown.cause) || isRefusal(thrown)) return refusedLogin(at, thrown);
    return noAnswer(at, thrown);
  }
  if (isRefusal(thrown)) return refusedLogin(at, thrown);
  if (thrown instanceof MongoServerError && viewsGone.has(Number(thrown.code)))
    return new QuernError("VIEW_EXPIRED", "the view is older than what the database keeps; read again", { cause: thrown });
  if (isAhead(thrown)) return new QuernError("VIEW_EXPIRED", "the commit asked for is not here", { cause: thrown });
  if (thrown instanceof MongoServerError && Number(thrown.code) === timeIsUp)
    return new QuernError("LIMIT_REACHED", "the database stopped the operation: the time for this request is over", { cause: thrown });
  if (
    thrown instanceof MongoNetworkError ||
    isCutOff(thrown) ||
    thrown.hasErrorLabel("RetryableWriteError") ||
    thrown.hasErrorLabel("TransientTransactionError")
  )
    return connectionBroke(at, thrown);
  return isInTransit(thrown) ? noPrimary(at, thrown) : refusedOperation(at, thrown);
}

/** No member takes writes. */
export function noPrimary(at = "", cause?: MongoError): QuernError {
  return new QuernError("STORE_UNAVAILABLE", `MongoDB${at} has no primary at the moment`, {
    cause,
    hint: "Try again. If it lasts, see rs.status() in mongosh.",
  });
}

/** A bulk write that lost its connection throws an error of a server, without a code. */
function isCutOff(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && thrown.code === undefined;
}

/** Clients get a number that those who run the server can look up, and no words of the database. */
function refusedOperation(at: string, cause: MongoError): QuernError {
  const which = cause instanceof MongoServerError ? `: error ${cause.code}` : "";
  return new QuernError("STORE_UNAVAILABLE", `MongoDB${at} refused an operation${which}`, { cause, hint: `It says: ${cause.message}` });
}

/** The commit is known not to have happened. */
export function commitFailed(thrown: unknown): unknown {
  if (!isTimeUp(thrown)) return storeError(thrown);
  return new QuernError("STORE_UNAVAILABLE", "MongoDB did not finish the commit in time; nothing is stored", { cause: thrown, hint: "Try again." });
}

/** A session ends when its client is closed. */
const closed = [MongoNotConnectedError, MongoTopologyClosedError, MongoClientClosedError, MongoExpiredSessionError];

function connectionBroke(at: string, cause: unknown): QuernError {
  return new QuernError("STORE_UNAVAILABLE", `the connection to MongoDB${at} broke`, { cause, hint: "Try again." });
}

const brokenSocket = new Set(["EPIPE", "ECONNRESET", "ECONNABORTED", "ENOTCONN", "ETIMEDOUT", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);

/** The driver passes on the error of a socket as it is when it writes to one that the server has just ended. */
export function isBrokenSocket(thrown: unknown): boolean {
  return thrown instanceof Error && !(thrown instanceof MongoError) && "code" in thrown && brokenSocket.has(String(thrown.code));
}

/** The member has left the replica set, or the client is closed: the next operation finds out which. The driver does not export the class. */
export function isPoolClosed(thrown: unknown): boolean {
  return thrown instanceof MongoError && thrown.name === "MongoPoolClosedError";
}

const inTransit = new Set([6, 7, 43, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436, 237, 246]);

/** The member stops, or is not the primary any more. */
export function isInTransit(thrown: unknown): boolean {
  return thrown instanceof MongoError && inTransit.has(Number(thrown.code));
}

/** Authentication or authorization failed. */
export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && authentication.has(Number(thrown.code));
}

function refusedLogin(at: string, cause: unknown): QuernError {
  return new QuernError("STORE_UNAVAILABLE", `MongoDB${at} refuses these credentials`, {
    cause,
    hint: "Check user, password and authSource of the address; the user needs readWrite and dbAdmin on the database.",
  });
}

const tooLargeForCache = 388;
const noSuchTransaction = 251;
/** What MongoDB says when it rolls a transaction back to free its cache; the code is that of a conflict. */
const forRoomInCache = /for eviction|cache overflow|WT_CACHE_FULL/i;

/** The error of a transaction that no other writer has ended, but MongoDB itself; undefined: `thrown` does not say so. */
export function endedByServer(thrown: unknown): QuernError | undefined {
  if (!(thrown instanceof MongoServerError)) return undefined;
  if (Number(thrown.code) === tooLargeForCache || forRoomInCache.test(thrown.message)) {
    return noRoomInCache(thrown);
  }
  if (Number(thrown.code) !== noSuchTransaction) return undefined;
  return new QuernError("TOO_LARGE", "MongoDB ended the transaction, as it does with those that last longer than transactionLifetimeLimitSeconds", {
    cause: thrown,
    hint: "Split the mutation, for example by a filter, or raise that parameter of MongoDB; it is 60 by default.",
  });
}

function noRoomInCache(cause: unknown): QuernError {
  return new QuernError("TOO_LARGE", "the changes of the transaction do not fit into the cache of MongoDB, which ended it", { cause, hint: ofCache });
}

/** The error of a transaction that MongoDB has ended again and again without a reason, while it had no room. */
export function cacheWasFull(cause: unknown): QuernError {
  return new QuernError("TOO_LARGE", "MongoDB ended the transaction again and again while its cache was full", { cause, hint: ofCache });
}

const ofCache = "Split the mutation, for example by a filter, or give MongoDB a larger cache (storage.wiredTiger.engineConfig.cacheSizeGB).";

/** The transaction conflicted with another one; nothing was committed. */
export function isLostRace(thrown: unknown): boolean {
  return thrown instanceof MongoError && thrown.hasErrorLabel("TransientTransactionError") && !thrown.hasErrorLabel("UnknownTransactionCommitResult");
}

/** The database no longer keeps the history of that time. */
export function isTooOld(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && viewsGone.has(Number(thrown.code));
}

/** The requested time is in the future: the token is invalid or of another database. */
function isAhead(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && Number(thrown.code) === invalidOptions && thrown.message.includes("atClusterTime");
}

/** The read exceeded its time limit. */
export function isTimeUp(thrown: unknown): boolean {
  return thrown instanceof MongoServerError && Number(thrown.code) === timeIsUp;
}

const documentTooLarge = /^Document is larger than|exceeds the max bson object size/;

/** The driver checks the size of some documents before it sends them, and serializes all into a buffer of about that size. */
export function isTooLong(thrown: unknown): boolean {
  if (thrown instanceof RangeError) return "code" in thrown && thrown.code === "ERR_OUT_OF_RANGE";
  if (thrown instanceof MongoInvalidArgumentError) return documentTooLarge.test(thrown.message);
  return thrown instanceof MongoServerError && tooLong.has(Number(thrown.code));
}

export function isDuplicate(thrown: unknown): thrown is MongoServerError {
  return thrown instanceof MongoServerError && Number(thrown.code) === 11_000;
}
