// Reads again what works for some minutes only: addresses of files.

import { useEffect } from "preact/hooks";
import type { NodeType } from "../../model/api-model.ts";

/** Shorter than the time that an address works by default. */
const everyMs = 240_000;

export function useRenewal(again: () => void, { fields }: Pick<NodeType, "fields">): void {
  useEffect(() => {
    if (!fields.some(({ kind }) => kind === "file")) return;
    const timer = setInterval(again, everyMs);
    return () => clearInterval(timer);
  }, [again, fields]);
}
