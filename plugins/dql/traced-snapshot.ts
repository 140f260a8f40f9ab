// A snapshot that says what is asked of it: the plan of a document as it ran.

import { type FindRequest, type FollowRequest, type GroupRequest, type Order, type Page, printPredicate, type Snapshot } from "../../core/plugin.ts";

/** @param say called with one line for each request */
export function tracedSnapshot(snapshot: Snapshot, say: (line: string) => void): Snapshot {
  const timed = async <T>(line: string, ask: () => T | PromiseLike<T>, count: (answer: T) => string): Promise<T> => {
    const begun = performance.now();
    const answer = await ask();
    say(`${line}: ${count(answer)} in ${(performance.now() - begun).toFixed(1)} ms`);
    return answer;
  };
  return {
    at: snapshot.at,
    find: (request) =>
      timed(
        `find ${request.types.join(", ")}${nearestText(request)}${conditionText(request)}`,
        () => snapshot.find(request),
        ({ uids }) => nodes(uids.length),
      ),
    follow: (request) =>
      timed(
        `follow ${request.end} of ${nodes(request.from.length)}${conditionText(request)}`,
        () => snapshot.follow(request),
        (links) => `${links.rows.length} links to ${nodes(links.nodes.uids.length)}`,
      ),
    load: (request) =>
      timed(
        `load ${nodes(request.uids.length)}${fieldsText(request.fields)}`,
        () => snapshot.load(request),
        ({ uids }) => nodes(uids.length),
      ),
    aggregate: (request) =>
      timed(
        "end" in request.over
          ? `count ${request.over.end} of ${nodes(request.over.from.length)}${whereText(request.over)}`
          : `count ${request.over.types.join(", ")}${whereText(request.over)}`,
        () => snapshot.aggregate(request),
        (rows) => `${rows.length} rows`,
      ),
    ...(snapshot.group && {
      group: (request: GroupRequest) =>
        timed(
          `group ${request.over.types.join(", ")}${whereText(request.over)} by ${request.by.map(({ field }) => field).join(", ")}`,
          () => snapshot.group?.(request) ?? [],
          (groups) => `${groups.length} groups`,
        ),
    }),
    meta: (name) => snapshot.meta(name),
    close: () => snapshot.close(),
  };
}

function nodes(count: number): string {
  return `${count} ${count === 1 ? "node" : "nodes"}`;
}

function conditionText(request: Pick<FindRequest | FollowRequest, "where" | "order" | "page" | "fields">): string {
  return whereText(request) + orderText(request.order) + pageText(request.page) + fieldsText(request.fields);
}

function whereText({ where }: Pick<FindRequest, "where">): string {
  return where === undefined || where.kind === "all" ? "" : ` where ${printPredicate(where)}`;
}

function nearestText({ nearest }: FindRequest): string {
  return nearest ? ` nearest by ${nearest.field}, ${nearest.count}` : "";
}

function orderText(order: Order | undefined): string {
  return order === undefined || order.length === 0 ? "" : ` order ${order.map(({ field, direction }) => `${field} ${direction}`).join(", ")}`;
}

function pageText(page: Page | undefined): string {
  if (page === undefined) return "";
  if ("last" in page) return ` last ${page.last}`;
  return `${page.first === undefined ? "" : ` first ${page.first}`}${page.offset === undefined ? "" : ` offset ${page.offset}`}`;
}

function fieldsText(fields: readonly string[]): string {
  return fields.length === 0 ? "" : ` read ${fields.join(", ")}`;
}
