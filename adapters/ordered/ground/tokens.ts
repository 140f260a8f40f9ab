// Commit numbers as tokens: decimal, of one width, so that they sort as text.

import type { CommitToken } from "../../../core/storage.ts";

export function tokenOf(commit: number): CommitToken {
  return String(commit).padStart(16, "0");
}
