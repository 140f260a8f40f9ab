import type { Erase } from "../../../core/index.ts";
import type { Database } from "../database.ts";

export async function eraseData(_database: Database, _what: Erase): Promise<void> {
  throw new Error("not built yet");
}
