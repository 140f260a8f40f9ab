// The names that LevelDB gives its files.

export type FileKind = "current" | "manifest" | "table" | "log" | "temporary";

export interface FileName {
  readonly kind: FileKind;
  /** 0 for CURRENT, which has none. */
  readonly number: number;
}

/** Undefined for what holds no data (LOCK, LOG) and for files that are not LevelDB's. */
export function parseFileName(name: string): FileName | undefined {
  if (name === "CURRENT") return { kind: "current", number: 0 };
  const manifest = /^MANIFEST-(\d+)$/.exec(name)?.[1];
  if (manifest !== undefined) return { kind: "manifest", number: Number(manifest) };
  const [, number, ending = ""] = /^(\d+)\.(ldb|sst|log|dbtmp)$/.exec(name) ?? [];
  const kind = kinds[ending];
  return number === undefined || kind === undefined ? undefined : { kind, number: Number(number) };
}

const kinds: Readonly<Record<string, FileKind>> = { ldb: "table", sst: "table", log: "log", dbtmp: "temporary" };

export function tableName(number: number): string {
  return `${padded(number)}.ldb`;
}

export function logName(number: number): string {
  return `${padded(number)}.log`;
}

function padded(number: number): string {
  return String(number).padStart(6, "0");
}
