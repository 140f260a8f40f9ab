// One node beside the table: its values, which can be changed, its links both ways, and its JSON.

import { useLayoutEffect, useState } from "preact/hooks";
import { at, isObject, type Json, type JsonObject, objectsIn, textOf, writeJson } from "../../api/json.ts";
import { messageOf } from "../../api/server.ts";
import type { ApiModel, Field, NodeType } from "../../model/api-model.ts";
import { isEditable, referenceKey, referencesOf, setValue } from "../../model/changes.ts";
import { filterOf, keyOf, labelOf, linksQuery, type NodeKey, nodeQuery } from "../../model/nodes.ts";
import { editable, localTime, parseValue, shown } from "../../model/values.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Empty, Failure, FormEnd, number, Tabs } from "../../parts/pieces.tsx";
import { addressOf, go } from "../../parts/router.ts";
import { useFocusBack } from "../../parts/use-focus-back.ts";
import { useRequest } from "../../parts/use-request.ts";
import { useSubmit } from "../../parts/use-submit.ts";
import { ValueEditor } from "../../parts/value-editor.tsx";

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
  const read = useRequest(() => readNode(name), [server, identity, model, type, name], [version]);
  // From the moment it is seen: an effect after the painting would miss a key that is pressed at once.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => event.key === "Escape" && !isTaken(event) && go("data", [type.name]);
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
        <a class="button plain" href={addressOf("data", [type.name])} aria-label="Close">
          ✕
        </a>
      </header>
      <Tabs names={["Values", "JSON"]} chosen={view} onChoose={onView} label="View" />
      <Failure of={read.failure} again={read.again} />
      {node === undefined && read.isLoading && <p class="hint waiting">Reading…</p>}
      {node === undefined && !read.isLoading && read.failure === undefined && (
        <Empty title="There is no such node">It was deleted, or this identity may not see it.</Empty>
      )}
      {node && view === "JSON" && (
        <pre class="json">
          <code>{writeJson(node, 2)}</code>
        </pre>
      )}
      {node && key && view === "Values" && (
        <dl>
          {type.fields.map((field) => (
            <div key={field.name} class={`value ${field.kind}`}>
              <dt title={field.description}>
                {field.name} <small>{field.typeText}</small>
              </dt>
              <dd>
                {field.kind === "link" && field.isList ? (
                  <LinkList model={model} type={type} field={field} nodeKey={key} node={node} version={version} onChanged={onChanged} />
                ) : (
                  <PanelValue model={model} type={type} field={field} nodeKey={key} node={node} onChanged={onChanged} />
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

interface PanelValueProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly field: Field;
  readonly nodeKey: NodeKey;
  readonly node: JsonObject;
  readonly onChanged: () => void;
}

function PanelValue(props: PanelValueProps) {
  const { model, type, field, node } = props;
  const [isEditing, edit] = useState(false);
  const opener = useFocusBack({ isOpen: isEditing });
  const value = node[field.name];
  if (isEditing) return <PanelEditor {...props} onDone={() => edit(false)} />;
  return (
    <>
      {field.kind === "link" && isObject(value) ? <LinkTo model={model} field={field} node={value} /> : <PanelText field={field} value={value} />}
      {isEditable(type, field) && (
        <button type="button" ref={opener} class="plain edit-value" aria-label={`Edit ${field.name}`} onClick={() => edit(true)}>
          Edit
        </button>
      )}
    </>
  );
}

function PanelText({ field, value }: { readonly field: Field; readonly value: Json | undefined }) {
  const text = shown(field, value);
  if (text === "") return <span class="nothing">{value === null || value === undefined ? "no value" : "empty"}</span>;
  return (
    <span class="text">
      {text}
      {field.named === "DateTime" && !field.isList && <small>{localTime(text)}</small>}
    </span>
  );
}

function PanelEditor({ model, type, field, node, nodeKey, onChanged, onDone }: PanelValueProps & { readonly onDone: () => void }) {
  const state = useConsole();
  const value = node[field.name];
  const target = field.kind === "link" ? model.type(field.named) : undefined;
  const reference = target && referenceKey(target);
  const [text, setText] = useState(reference && isObject(value) ? textOf(value[reference.name]) : editable(field, value));
  const { submit, isBusy, problem } = useSubmit(async () => {
    await setValue(state, type, nodeKey, field, field.kind === "link" ? referencesOf(model, field, text) : parseValue(field, text));
    onChanged();
    onDone();
  });
  return (
    <form class="panel-edit" onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && onDone()}>
      <ValueEditor
        field={reference ? { ...reference, name: field.name } : field}
        text={text}
        onText={setText}
        label={field.name}
        focused
        lines="several"
      />
      {reference && target && (
        <p class="hint">
          The {reference.name} of the {target.name}; empty for none.
        </p>
      )}
      <FormEnd problem={problem} submit="Save" submitClass="primary" isBusy={isBusy} onCancel={onDone} />
    </form>
  );
}

function LinkTo({ model, field, node }: { readonly model: ApiModel; readonly field: Pick<Field, "named">; readonly node: JsonObject }) {
  const target = model.type(textOf(node.__typename)) ?? model.type(field.named);
  const key = keyOf(target, node);
  if (target === undefined || key === undefined) return <span>{labelOf(target, node)}</span>;
  return (
    <a class="link" href={addressOf("data", [target.name, textOf(key.value)])}>
      {labelOf(target, node)} <small>{target.name}</small>
    </a>
  );
}

const linksPerPage = 10;

function LinkList({ model, type, field, nodeKey, node, version, onChanged }: PanelValueProps & { readonly version: number }) {
  const state = useConsole();
  const { server, identity } = state;
  const [page, setPage] = useState(0);
  const [problem, setProblem] = useState("");
  const links = useRequest(
    async () => {
      const variables = { filter: filterOf(type, [nodeKey]), first: linksPerPage, offset: page * linksPerPage };
      const data = await server.data({ query: linksQuery(model, type, field), variables, as: identity });
      return objectsIn(at(data, "rows", 0, field.name));
    },
    [server, identity, field, textOf(nodeKey.value), page],
    [version],
  );
  const total = field.aggregate === undefined ? undefined : Number(at(node[field.aggregate], "count") ?? 0);
  const pages = total === undefined ? undefined : Math.ceil(total / linksPerPage);
  const change = async (input: JsonObject) => {
    const query = `mutation Links($input: Update${type.name}Input!) { ${type.update?.field ?? ""}(input: $input) { numUids } }`;
    await server.data({ query, variables: { input: { filter: filterOf(type, [nodeKey]), ...input } }, as: identity });
    onChanged();
    links.again();
  };
  const unlink = (link: JsonObject) =>
    change({ remove: { [field.name]: [link] } }).then(
      () => setProblem(""),
      (thrown: unknown) => setProblem(messageOf(thrown)),
    );
  const mayEdit = isEditable(type, field);
  return (
    <div class="links">
      <Failure of={links.failure} />
      <ul>
        {links.value?.map((each) => {
          const target = model.type(textOf(each.__typename)) ?? model.type(field.named);
          const key = keyOf(target, each);
          return (
            <li key={textOf(key?.value)}>
              <LinkTo model={model} field={field} node={each} />
              {mayEdit && key && (
                <button
                  type="button"
                  class="plain"
                  aria-label={`Unlink ${labelOf(target, each)}`}
                  title="Remove the link; the node stays"
                  onClick={() => unlink({ [key.field]: key.value })}
                >
                  ✕
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {links.value?.length === 0 && page === 0 && <span class="nothing">none</span>}
      {pages !== undefined && pages > 1 && (
        <div class="pages">
          <button type="button" class="plain" disabled={page === 0} onClick={() => setPage(page - 1)} aria-label={`Previous ${field.name}`}>
            ‹
          </button>
          {page * linksPerPage + 1}–{Math.min(total ?? 0, (page + 1) * linksPerPage)} of {number(total ?? 0)}
          <button type="button" class="plain" disabled={page + 1 >= pages} onClick={() => setPage(page + 1)} aria-label={`Next ${field.name}`}>
            ›
          </button>
        </div>
      )}
      {mayEdit && <NewLink model={model} field={field} onAdd={(references) => change({ set: { [field.name]: references } })} />}
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface NewLinkProps {
  readonly model: ApiModel;
  readonly field: Field;
  /** Rejects with what is wrong. */
  readonly onAdd: (references: Json) => Promise<void>;
}

function NewLink({ model, field, onAdd }: NewLinkProps) {
  const [text, setText] = useState("");
  const { submit, isBusy, problem } = useSubmit(async () => {
    await onAdd(referencesOf(model, field, text));
    setText("");
  });
  const target = model.type(field.named);
  const reference = target && referenceKey(target);
  if (reference === undefined) return null;
  return (
    <form class="new-link" onSubmit={submit}>
      <input
        aria-label={`Link ${field.name}`}
        placeholder={`${reference.name} of a ${field.named}`}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={isBusy || text.trim() === ""}>
        Link
      </button>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
