// The documents of the query page: each has a tab, and is kept while the browser's tab is open.

import { isObject, objectsIn, parseJson, textOf, writeJson } from "../../api/json.ts";
import { useKept } from "../../parts/use-kept.ts";

export interface QueryDocument {
  readonly id: string;
  readonly text: string;
  /** A JSON object. */
  readonly variables: string;
  /** A JSON object: headers that a client sends beside its token. */
  readonly headers: string;
}

export interface Documents {
  readonly all: readonly QueryDocument[];
  readonly chosen: QueryDocument;
  readonly choose: (id: string) => void;
  readonly add: () => void;
  /** The last document that is closed leaves an empty one. */
  readonly close: (id: string) => void;
  /** Changes the chosen document. */
  readonly change: (to: Partial<Omit<QueryDocument, "id">>) => void;
  /** More cannot be added. */
  readonly isFull: boolean;
}

const most = 20;

export function useDocuments(firstText: () => string): Documents {
  const [kept, keep] = useKept("query.documents", () => writeJson({ chosen: "1", all: [documentOf("1", firstText())] }));
  const { all, chosen } = read(kept, firstText);
  const write = (documents: readonly QueryDocument[], id: string) => keep(writeJson({ chosen: id, all: documents }));
  return {
    all,
    chosen,
    isFull: all.length >= most,
    choose: (id) => write(all, id),
    add: () => {
      const id = String(1 + Math.max(...all.map((each) => Number(each.id))));
      write([...all, documentOf(id, "")], id);
    },
    close: (id) => {
      const place = all.findIndex((each) => each.id === id);
      const left = all.filter((each) => each.id !== id);
      const next = chosen.id === id ? (left[place] ?? left.at(-1)) : chosen;
      if (next === undefined) write([documentOf("1", "")], "1");
      else write(left, next.id);
    },
    change: (to) =>
      write(
        all.map((each) => (each.id === chosen.id ? { ...each, ...to } : each)),
        chosen.id,
      ),
  };
}

/** What people would call it: the name of its operation, or its first field. */
export function titleOf({ id, text }: QueryDocument): string {
  const [, name] =
    /^\s*(?:query|mutation|subscription)\s+(\w+)/m.exec(text) ?? /(\w+)/.exec(text.replace(/^\s*(?:query|mutation|subscription)\b/, "")) ?? [];
  return name ?? `Query ${id}`;
}

function documentOf(id: string, text: string): QueryDocument {
  return { id, text, variables: "{}", headers: "{}" };
}

function read(kept: string, firstText: () => string): { readonly all: readonly QueryDocument[]; readonly chosen: QueryDocument } {
  const value = parseJson(kept);
  const all = objectsIn(isObject(value) ? value.all : undefined).map(({ id, text, variables, headers }) => ({
    id: textOf(id),
    text: textOf(text),
    variables: textOf(variables),
    headers: textOf(headers),
  }));
  const first = all[0] ?? documentOf("1", firstText());
  return { all: all.length === 0 ? [first] : all, chosen: all.find(({ id }) => isObject(value) && id === value.chosen) ?? first };
}
