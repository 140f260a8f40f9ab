// Parses the storage schema of an export: predicates, then types.

/** One predicate: `[0x0] <Harbor.name>:string @index(exact,term) @lang .` */
export interface Predicate {
  readonly namespace: number;
  readonly name: string;
  /** `string`, `int`, `uid`, `datetime`, ... */
  readonly type: string;
  readonly list: boolean;
  /** What follows the type: `@index(exact,term) @lang`. */
  readonly directives: string;
}

/** One type with the names of its predicates. */
export interface StoredType {
  readonly namespace: number;
  readonly name: string;
  readonly predicates: readonly string[];
}

export interface StorageSchema {
  readonly predicates: readonly Predicate[];
  readonly types: readonly StoredType[];
}

const predicateLine = /^(?:\[(0x[0-9a-f]+)\] )?<?([^<>]+?)>?\s*:\s*(\[?)\s*([a-z0-9]+)\s*\]?\s*(.*?)\s*\.\s*$/i;
const typeLine = /^(?:\[(0x[0-9a-f]+)\] )?type\s+<?([^<>\s]+)>?\s*\{\s*$/i;

/** Lines of other forms are left out: the schema only helps to understand the data. */
export function parseStorageSchema(text: string): StorageSchema {
  const predicates: Predicate[] = [];
  const types: { namespace: number; name: string; predicates: string[] }[] = [];
  let open: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (open !== undefined) {
      if (line.trim() === "}") open = undefined;
      else if (line.trim() !== "") open.push(fieldName(line));
      continue;
    }
    const type = typeLine.exec(line);
    if (type !== null) {
      open = [];
      types.push({ namespace: Number(type[1] ?? 0), name: type[2] ?? "", predicates: open });
      continue;
    }
    const [, namespace, name = "", bracket, kind = "", directives = ""] = predicateLine.exec(line) ?? [];
    if (name !== "") predicates.push({ namespace: Number(namespace ?? 0), name, type: kind, list: bracket === "[", directives });
  }
  return { predicates, types };
}

/** Older exports write the type too: `name: string`. */
function fieldName(line: string): string {
  const bare = line.trim().replace(/:\s*\[?\w+!?\]?!?$/, "");
  return bare.replace(/^<(.*)>$/, "$1");
}
