// The storage kit before storages that read wrongly: a named check fails on each, and passes on the storage without the fault.

import { describe, expect, it } from "vitest";
import {
  and,
  type Batch,
  type FindRequest,
  type Links,
  type Page,
  type Predicate,
  type Snapshot,
  type Stored,
  type Uid,
  type Value,
} from "../../../core/storage.ts";
import { changed, checkOf, movingView, storage, views, type WrongStorage } from "./faults.ts";

/** Each find with another page, order or condition. */
function asking(other: (request: FindRequest) => Partial<FindRequest>) {
  return views((view) => ({ find: (request) => view.find({ ...request, ...other(request) }) }));
}

/** Each condition, and those inside it, as `rewrite` makes it. */
function meaning(rewrite: (where: Predicate) => Predicate) {
  const deep = (where: Predicate): Predicate => {
    if (where.kind === "and" || where.kind === "or") return { ...where, of: where.of.map(deep) };
    return where.kind === "not" ? rewrite({ ...where, of: deep(where.of) }) : rewrite(where);
  };
  return asking(({ where }) => (where ? { where: deep(where) } : {}));
}

/** The rows in the order of their places in `rows`. */
function picked({ uids, types, columns, ...rest }: Batch, rows: readonly number[]): Batch {
  const of = <T>(column: readonly T[]) => rows.flatMap((row) => column.slice(row, row + 1));
  return { ...rest, uids: of(uids), types: of(types), columns: columns.map(of) };
}

type Row = readonly [uid: Uid, key: Stored | undefined];

/** Sorts what it finds by the first key itself, and cuts the page then. */
function sorting(compare: (a: Row, b: Row, direction: "asc" | "desc") => number) {
  return views((view) => ({
    find: async (request) => {
      const [first] = request.order ?? [];
      if (first === undefined || request.order?.length !== 1 || (request.page && "last" in request.page)) return await view.find(request);
      const { page, order, ...whole } = request;
      const found = await view.find({ ...whole, fields: [...request.fields, first.field] });
      const keyed = found.uids.map((uid, row) => [row, [uid, found.columns.at(-1)?.[row]]] as const);
      const rows = keyed.toSorted(([, a], [, b]) => compare(a, b, first.direction)).map(([row]) => row);
      const cut = rows.slice(page?.offset ?? 0, (page?.offset ?? 0) + (page?.first ?? rows.length));
      const { columns, ...batch } = picked(found, cut);
      return { ...batch, columns: columns.slice(0, request.fields.length) };
    },
  }));
}

const turned = (difference: number, direction: "asc" | "desc") => (direction === "asc" ? difference : -difference);

/** By `compare`, missing values last, ties by uid. */
function keysBy(compare: (a: Stored, b: Stored) => number) {
  return sorting(([uidA, a], [uidB, b], direction) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined) || uidA - uidB;
    return turned(compare(a, b), direction) || uidA - uidB;
  });
}

const plainly = (a: Stored, b: Stored) => (a < b ? -1 : a > b ? 1 : 0);
const instants = (a: Stored, b: Stored) => (typeof a === "string" && /^\d{4}-/.test(a) ? Date.parse(a) - Date.parse(String(b)) : plainly(a, b));

function longer(page: Page | undefined): { readonly page?: Page } {
  return page && !("last" in page) && page.first !== undefined ? { page: { ...page, first: page.first + 1 } } : {};
}

function sooner(page: Page | undefined): { readonly page?: Page } {
  return page && !("last" in page) && page.offset ? { page: { ...page, offset: page.offset - 1 } } : {};
}

/** Each partner once for each source. */
function repeated({ starts, rows, nodes }: Links): Links {
  return { starts, rows: rows.map((_, i) => i), nodes: picked(nodes, rows) };
}

const asDouble = (value: Value): Value => (typeof value === "bigint" ? BigInt(Number(value)) : value);

/** Answers of earlier requests with the same condition. */
function remembering() {
  const answers = new WeakMap<Predicate, Batch>();
  return views((view) => ({
    find: async (request) => {
      const known = request.where && answers.get(request.where);
      const batch = known ?? (await view.find(request));
      if (request.where) answers.set(request.where, batch);
      return batch;
    },
  }))();
}

/** Tests all rows in one go. */
async function atOnce(view: Snapshot, request: FindRequest): Promise<Batch> {
  const { where } = request;
  if (where?.kind !== "check") return await view.find(request);
  const all = await view.find({ types: request.types, fields: [where.field, ...request.fields] });
  const [tested = [], ...columns] = all.columns;
  const rows = all.uids.flatMap((_, row) => (where.test.holds([tested[row]].flat().filter((each) => each !== undefined)) ? [row] : []));
  return picked({ ...all, columns }, rows);
}

const wrong: readonly WrongStorage[] = [
  ["a page that is one too long", "order.pages", asking(({ page }) => longer(page))],
  ["a page that begins one too early", "order.pages", asking(({ page }) => sooner(page))],
  [
    "the last rows backwards",
    "order.pages",
    views((view) => ({
      find: async (request) => {
        const batch = await view.find(request);
        return request.page && "last" in request.page ? picked(batch, batch.uids.map((_, row) => row).reverse()) : batch;
      },
    })),
  ],
  ["lists of links without their page", "link.pages", views((view) => ({ follow: ({ page, ...request }) => view.follow(request) }))],
  [
    "ties by descending uid where the order descends",
    "order.missing-last",
    sorting(([uidA, a], [uidB, b], direction) => {
      if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined) || uidA - uidB;
      return turned(plainly(a, b) || uidA - uidB, direction);
    }),
  ],
  [
    "missing values first where the order descends",
    "order.missing-last",
    sorting(([uidA, a], [uidB, b], direction) => {
      if (a === undefined || b === undefined) return turned(Number(a === undefined) - Number(b === undefined), direction) || uidA - uidB;
      return turned(plainly(a, b), direction) || uidA - uidB;
    }),
  ],
  ["texts by UTF-16", "order.kinds", keysBy(instants)],
  ["dates by text", "order.kinds", keysBy((a, b) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))))],
  ["the row of a place itself", "order.behind", asking(({ after }) => (after ? { after: { ...after, uid: after.uid - 1 } } : {}))],
  [
    "int64 as doubles",
    "predicate.kinds",
    meaning((where) => (where.kind === "compare" ? { ...where, operands: where.operands.map(asDouble) } : where)),
  ],
  [
    "no complement of nodes without a value",
    "predicate.absent",
    meaning((where) => (where.kind === "not" && where.of.kind === "compare" ? and(where, { kind: "has", field: where.of.field }) : where)),
  ],
  [
    "between by two elements of a list",
    "predicate.lists",
    meaning((where) => {
      if (where.kind !== "compare" || where.op !== "between") return where;
      const [low = 0, high = 0] = where.operands;
      return and({ ...where, op: "ge", operands: [low] }, { ...where, op: "le", operands: [high] });
    }),
  ],
  ["one token for all", "predicate.lookup", meaning((where) => (where.kind === "lookup" ? { ...where, match: "any" } : where))],
  [
    "an empty text as no value",
    "value.absent",
    meaning((where) =>
      where.kind === "has" ? and(where, { kind: "not", of: { kind: "compare", field: where.field, op: "eq", operands: [""] } }) : where,
    ),
  ],
  [
    "each node once where it is asked for twice",
    "view.load",
    views((view) => ({ load: (request) => view.load({ ...request, uids: [...new Set(request.uids)] }) })),
  ],
  [
    "nodes in the order of their uids",
    "view.load",
    views((view) => ({ load: (request) => view.load({ ...request, uids: request.uids.toSorted((a, b) => a - b) }) })),
  ],
  ["nodes of any type", "view.load", views((view) => ({ load: (request) => view.load({ ...request, types: ["Post", "PostTag", "Author"] }) }))],
  ["partners of any type", "view.types", views((view) => ({ follow: ({ types, ...request }) => view.follow(request) }))],
  [
    "a node again for each source that leads to it",
    "link.pages",
    views((view) => ({ follow: async (request) => repeated(await view.follow(request)) })),
  ],
  [
    "sums of 32 bits",
    "measure.values",
    views((view) => ({
      aggregate: async (request) =>
        (await view.aggregate(request)).map((row) => row.map((value) => (typeof value === "number" && Number.isInteger(value) ? value | 0 : value))),
    })),
  ],
  [
    "averages without their fraction",
    "measure.values",
    views((view) => ({
      aggregate: async (request) => {
        const cut = (value: Value | undefined, i: number) => (request.measures[i]?.kind === "avg" ? Math.trunc(Number(value)) : value);
        return (await view.aggregate(request)).map((row) => row.map(cut));
      },
    })),
  ],
  [
    "0 as the measure of nothing",
    "measure.values",
    views((view) => ({ aggregate: async (request) => (await view.aggregate(request)).map((row) => row.map((value) => value ?? 0)) })),
  ],
  [
    "no group of nodes without a value",
    "group.kinds",
    views((view) => ({ group: async (request) => ((await view.group?.(request)) ?? []).filter(({ keys }) => !keys.includes(undefined)) })),
  ],
  [
    "the nearest by another distance",
    "nearest.order",
    asking(({ nearest }) => (nearest ? { nearest: { ...nearest, metric: nearest.metric === "cosine" ? "euclidean" : "cosine" } } : {})),
  ],
  ["answers kept from before a write", "view.lasting", remembering],
  ["a scan without pauses", "view.lets-others-run", views((view) => ({ find: (request) => atOnce(view, request) }))],
  ["a budget that nobody asks", "predicate.budget", storage((good) => ({ snapshot: ({ budget, ...options }) => good.snapshot(options) }))],
  ["a view that moves on", "tx.snapshot", storage((good) => ({ snapshot: (options) => movingView(good, options) }))],
  [
    "a view that names the newest commit",
    "tx.snapshot",
    storage((good) => ({
      snapshot: (options) =>
        changed(good.snapshot(options), {
          get at() {
            return good.latest();
          },
        }),
    })),
  ],
  [
    "a view that was opened before the last commit",
    "tx.snapshot",
    storage((good) => {
      let next: Snapshot | undefined;
      return {
        snapshot: (options) => {
          const view = next ?? good.snapshot(options);
          next = good.snapshot(options);
          return view;
        },
      };
    }),
  ],
];

describe.each(wrong)("a storage with %s", (_what, id, create) => {
  it(`fails ${id}, which a correct storage passes`, async () => {
    await expect(checkOf(id, { create: async () => create() })()).rejects.toThrow(`${id} MUST: expected that`);
    await checkOf(id, {})();
  });
});
