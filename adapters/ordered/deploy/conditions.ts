// Checks the conditions of a deploy: whether a field or end that changes its kind has data.

import { run, type Work } from "../../../core/storage.ts";
import type { Condition } from "../../storage-kit/index.ts";
import type { Database } from "../database/database.ts";
import { type Catalog, propertyOf } from "../layout/catalog.ts";
import { chooseDriver } from "../read/combined.ts";
import { ofTypes } from "../read/of-types.ts";
import { Reader } from "../read/reader.ts";
import { scan } from "../read/scan.ts";

/** The messages of the conditions that the data violate. */
export async function violatedConditions(database: Database, conditions: readonly Condition[]): Promise<string[]> {
  const view = database.read();
  try {
    const reader = new Reader({ view, schema: database.schema, budget: undefined });
    const messages: string[] = [];
    for (const condition of conditions) {
      const violated = await run(
        condition.kind === "field" ? holdsValues(reader, database.catalog, condition.name) : holdsLinks(reader, database.catalog, condition.name),
      );
      if (violated && !messages.includes(condition.message)) messages.push(condition.message);
    }
    return messages;
  } finally {
    view.close();
  }
}

function* holdsValues(reader: Reader, catalog: Catalog, name: string): Work<boolean> {
  const types = catalog.fields[name]?.types ?? [];
  const property = propertyOf({ name });
  let found = false;
  const driven = yield* chooseDriver([ofTypesEver(reader, catalog, types)]);
  yield* scan(
    reader,
    { ...driven, records: true },
    {
      after: 0,
      take(uids) {
        found = uids.some((uid) => reader.record(uid)?.[property] !== undefined);
        return !found;
      },
    },
  );
  return found;
}

function ofTypesEver(reader: Reader, catalog: Catalog, types: readonly string[]) {
  const typeIds = new Map(Object.entries(catalog.types));
  return ofTypes(new Reader({ view: reader.view, schema: { ...reader.schema, typeIds }, budget: undefined }), types);
}

function* holdsLinks(reader: Reader, catalog: Catalog, name: string): Work<boolean> {
  const end = catalog.ends[name];
  const store = end && reader.schema.linkStores.find((each) => each.id === end.links);
  if (end === undefined || store === undefined) return false;
  const lists = store.lists[end.side];
  const driven = yield* chooseDriver([ofTypesEver(reader, catalog, end.types)]);
  const partners = new Set(end.partners);
  for (let c = 0; c < driven.stream.chunkCount; c++) {
    for (const uid of driven.stream.chunk(c)) {
      if (
        lists
          .open(uid, reader.view)
          .all()
          .some((partner) => partners.has(reader.typeOf(partner) ?? ""))
      )
        return true;
    }
    yield;
  }
  return false;
}
