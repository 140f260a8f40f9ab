import type { VerifyOptions, VerifyReport } from "../../../core/index.ts";
import type { Database } from "../database.ts";

export async function verify(_database: Database, _options: VerifyOptions): Promise<VerifyReport> {
  throw new Error("not built yet");
}
