// One node beside the table: its values, which can be changed, its links both ways, and its JSON.

import { useLayoutEffect } from "preact/hooks";
import { type JsonObject, objectsIn, writeJson } from "../../api/json.ts";
import type { ApiModel, NodeType } from "../../model/api-model.ts";
import { filterOf, keyOf, labelOf, type NodeKey, nodeQuery } from "../../model/nodes.ts";
import { parseValue } from "../../model/values.ts";
import { useConsole } from "../../parts/console-context.ts";
import { JsonText } from "../../parts/json-text.tsx";
import { Empty, Failure, Tabs } from "../../parts/pieces.tsx";
import { addressOf, currentParameters, go } from "../../parts/router.ts";
import { useRequest } from "../../parts/use-request.ts";
import { LinkList } from "./panel-links.tsx";
import { PanelValue } from "./panel-value.tsx";
import { useRenewal } from "./use-renewal.ts";

export type NodeView = "Values" | "JSON";

export interface NodePanelProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  /** The text of its key in the address. */
  readonly name: string;
  /** Reads again when it changes. */
  readonly version: number;
  readonly view: NodeView;
  readonly onView: (view: NodeView) => void;
  readonly onChanged: () => void;
  readonly onDelete: (key: NodeKey, label: string) => void;
}

/** Its `key` is the node: what is written into the panel of one node must not be saved into the next. */
export function NodePanel({ model, type, name, version, view, onView, onChanged, onDelete }: NodePanelProps) {
  const { server, identity } = useConsole();
  const place = { writing: { server, identity }, model, type };
  const read = useRequest(() => readNode(name), [server, identity, model, type, name], [version]);
  useRenewal(read.again, type);
  // From the moment it is seen: an effect after the painting would miss a key that is pressed at once.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => event.key === "Escape" && !isTaken(event) && go("data", [type.name], currentParameters());
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [type]);

  /** The address does not say which key it holds: each is tried in turn. */
  async function readNode(text: string): Promise<JsonObject | undefined> {
    for (const key of type.keys) {
      if (key.kind === "id" && type.keys.length > 1 && !/^0x[0-9a-f]+$|^\d+$/.test(text)) continue;
      const filter = filterOf(type, [{ field: key.name, value: parseValue({ ...key, isList: false }, text) }]);
      const [found] = objectsIn((await server.data({ query: nodeQuery(model, type), variables: { filter }, as: identity })).rows);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  const node = read.value;
  const key = node && keyOf(type, node);
  return (
    <aside class="panel" aria-label={`${type.name} ${name}`}>
      <header>
        <div>
          <small>{type.name}</small>
          <h2>{node ? labelOf(type, node) : name}</h2>
        </div>
        {node && key && type.remove !== undefined && (
          <button type="button" class="plain danger" onClick={() => onDelete(key, labelOf(type, node))}>
            Delete
          </button>
        )}
        <a class="button plain" href={addressOf("data", [type.name], currentParameters())} aria-label="Close">
          ✕
        </a>
      </header>
      <Tabs names={["Values", "JSON"]} chosen={view} onChoose={onView} label="View" />
      <Failure of={read.failure} again={read.again} />
      {node === undefined && read.isLoading && <p class="hint waiting">Reading…</p>}
      {node === undefined && !read.isLoading && read.failure === undefined && (
        <Empty title="There is no such node">It was deleted, or this identity may not see it.</Empty>
      )}
      {node && view === "JSON" && <JsonText text={writeJson(node, 2)} />}
      {node && key && view === "Values" && (
        <dl>
          {type.fields.map((field) => (
            <div key={field.name} class={`value ${field.kind}`}>
              <dt title={field.description}>
                {field.name} <small>{field.typeText}</small>
              </dt>
              <dd>
                {field.kind === "link" && field.isList ? (
                  <LinkList place={{ ...place, key, label: labelOf(type, node), field }} node={node} version={version} onChanged={onChanged} />
                ) : (
                  <PanelValue place={{ ...place, key, label: labelOf(type, node), field }} node={node} onChanged={onChanged} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </aside>
  );
}

/** Escape belongs to whatever is open within or above the panel: an editor, a dialog, the list of a select. */
function isTaken({ defaultPrevented, target }: KeyboardEvent): boolean {
  return defaultPrevented || (target instanceof Element && target.closest("form, dialog, select") !== null);
}
