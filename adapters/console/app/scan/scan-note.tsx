// Says that the view has no index and reads all nodes: how far it is, a way to stop it, and a way to an index.

import type { NodeType } from "../model/api-model.ts";
import { Failure, number, plural } from "../parts/pieces.tsx";
import type { ScanState } from "./use-scan.ts";

export interface ScanNoteProps {
  readonly type: NodeType;
  readonly scan: ScanState;
  /** Fields without the index that the view needs, and can get. */
  readonly unindexed: readonly string[];
  readonly onIndex: (field: string) => void;
  /** Others have written since the scan. */
  readonly isOld: boolean;
}

export function ScanNote({ type, scan, unindexed, onIndex, isOld }: ScanNoteProps) {
  const { progress, isRunning, isStopped, failure, stop, again } = scan;
  return (
    <section class="scan" aria-label="Scan" aria-live="polite">
      <Failure of={failure} again={again} />
      {failure === undefined && (
        <>
          <span>{sentence(type, scan)}</span>
          {isRunning && <progress {...(progress?.total && { value: progress.read, max: progress.total })} aria-label="Nodes read" />}
          {isRunning && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
          {!isRunning && (isStopped || isOld) && (
            <button type="button" onClick={again}>
              Scan again
            </button>
          )}
          {!isRunning && isOld && <span class="hint">Data have changed since.</span>}
          {unindexed.map((field) => (
            <button type="button" class="plain" key={field} onClick={() => onIndex(field)}>
              Make an index on {field}
            </button>
          ))}
        </>
      )}
    </section>
  );
}

function sentence({ name }: NodeType, { progress, isRunning, isStopped, found }: ScanState): string {
  const read = number(progress?.read ?? 0);
  if (isRunning)
    return `No index answers this: reading all ${name} nodes, ${read}${progress?.total === undefined ? "" : ` of ${number(progress.total)}`}…`;
  const matches = `${plural(found?.length ?? 0, "match", "matches")} in ${read} nodes`;
  return isStopped ? `Stopped: ${matches}; there may be more.` : `Scanned without an index: ${matches}.`;
}
