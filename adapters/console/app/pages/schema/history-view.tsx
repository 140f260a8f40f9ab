// The deploys that the store remembers: when each was, and what it changed against another one.

import { unifiedMergeView } from "@codemirror/merge";
import type { Extension } from "@codemirror/state";
import { useMemo, useState } from "preact/hooks";
import { at, type JsonObject, objectsIn, textOf } from "../../api/json.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Editor } from "../../parts/editor.tsx";
import { bytesText } from "../../parts/figures.tsx";
import { Failure } from "../../parts/pieces.tsx";
import { useRequest } from "../../parts/use-request.ts";

interface Deploy {
  readonly id: string;
  /** `2031-05-01 12:00:00`, here; undefined: before the store remembered deploys. */
  readonly when: string | undefined;
  readonly commit: string;
  readonly bytes: number;
}

/** With which other text a deploy is compared: the one before, or that of another deploy. */
type Against = "before" | { readonly id: string };

export interface HistoryViewProps {
  /** How schemas are highlighted. */
  readonly extensions: readonly Extension[];
  /** Another deploy has changed the list. */
  readonly deployed: unknown;
  readonly onBringBack: (text: string) => void;
}

export function HistoryView({ extensions, deployed, onBringBack }: HistoryViewProps) {
  const { server } = useConsole();
  const list = useRequest(async () => deploysIn(await server.admin(listQuery)), [server, deployed]);
  const [chosenId, setChosen] = useState<string>();
  const [against, setAgainst] = useState<Against>("before");
  const deploys = list.value ?? [];
  const place = Math.max(
    0,
    deploys.findIndex(({ id }) => id === chosenId),
  );
  const chosen = deploys[place];
  const other = against === "before" ? deploys[place + 1] : deploys.find(({ id }) => id === against.id);
  const texts = useRequest(async () => {
    const ids = [chosen, other].flatMap((each) => (each ? [each.id] : []));
    return ids.length === 0 ? new Map<string, string | undefined>() : textsIn(await server.admin(textsQuery, { ids }));
  }, [server, chosen?.id, other?.id]);
  const text = chosen && texts.value?.get(chosen.id);
  const isRead = chosen !== undefined && (texts.value?.has(chosen.id) ?? false) && (other === undefined || (texts.value?.has(other.id) ?? false));
  const otherText = other === undefined ? "" : texts.value?.get(other.id);
  const shown = useMemo(
    () =>
      otherText === undefined ? extensions : [...extensions, unifiedMergeView({ original: otherText, mergeControls: false, collapseUnchanged: {} })],
    [extensions, otherText],
  );
  return (
    <>
      <div class="toolbar against">
        <label>
          Compared with{" "}
          <select
            value={against === "before" ? "before" : against.id}
            onChange={({ currentTarget: { value } }) => setAgainst(value === "before" ? "before" : { id: value })}
          >
            <option value="before">the deploy before it</option>
            {deploys.map((each) => (
              <option key={each.id} value={each.id}>
                {titleOf(each)}
              </option>
            ))}
          </select>
        </label>
        <span class="spring" />
        <button type="button" disabled={text === undefined} onClick={() => text !== undefined && onBringBack(text)}>
          Bring back into the editor
        </button>
      </div>
      <Failure of={list.failure ?? texts.failure} again={list.failure ? list.again : texts.again} />
      {list.value?.length === 0 && <p class="note">The store remembers no deploys yet. It begins with the next one.</p>}
      {isRead && text === undefined && <p class="note">This text is too long for the store to remember.</p>}
      {isRead && text !== undefined && <Editor key={`${chosen?.id} ${other?.id}`} text={text} extensions={shown} label="Changes of the schema" />}
      <ol class="deploys" aria-label="Deploys">
        {deploys.map((each) => (
          <li key={each.id}>
            <button type="button" aria-pressed={each === chosen} onClick={() => setChosen(each.id)}>
              <b>{titleOf(each)}</b>
              <small>
                {each === deploys[0] && "deployed now · "}
                commit {each.commit.replace(/^0+(?=.)/, "")} · {bytesText(each.bytes)}
              </small>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

const listQuery = "{ deployedSchemas { id deployedAt commit bytes } }";
const textsQuery = "query ($ids: [ID!]) { deployedSchemas(ids: $ids) { id schema } }";

function deploysIn(data: JsonObject): readonly Deploy[] {
  return objectsIn(data.deployedSchemas).map(({ id, deployedAt, commit, bytes }) => ({
    id: textOf(id),
    when: typeof deployedAt === "string" ? timeText(deployedAt) : undefined,
    commit: textOf(commit),
    bytes: Number(bytes),
  }));
}

function textsIn(data: JsonObject): ReadonlyMap<string, string | undefined> {
  return new Map(
    objectsIn(data.deployedSchemas).map((each) => {
      const text = at(each, "schema");
      return [textOf(each.id), typeof text === "string" ? text : undefined];
    }),
  );
}

function titleOf({ id, when }: Deploy): string {
  return `#${id} · ${when ?? "earlier"}`;
}

/** In the zone of the reader, in the order that sorts. */
function timeText(instant: string): string {
  return new Date(instant).toLocaleString("sv");
}
