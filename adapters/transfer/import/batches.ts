// The lines of a scratch file, some at a time.

import { runLines } from "../sort/external-sorter.ts";

const charactersAtOnce = 512 << 10;

/** The lines of a file after the first `skip`, in batches. */
export async function* batches(path: string, skip: number, size: number): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  let seen = 0;
  for await (const line of runLines(path)) {
    seen += 1;
    if (seen <= skip) continue;
    batch.push(line);
    length += line.length;
    if (batch.length < size && length < charactersAtOnce) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}
