// Data: the types, the nodes of one of them, one node.

import { useEffect, useMemo, useState } from "preact/hooks";
import { textOf, writeJson } from "../../api/json.ts";
import type { NodeType } from "../../model/api-model.ts";
import { deleteNodes } from "../../model/changes.ts";
import { type Condition, filterOfConditions } from "../../model/filters.ts";
import type { NodeKey, Order } from "../../model/nodes.ts";
import { type Deployed, useConsole } from "../../parts/console-context.ts";
import { Dialog, Empty, Failure, FormEnd, number, plural } from "../../parts/pieces.tsx";
import { addressOf, go, type Route } from "../../parts/router.ts";
import { useChanges } from "../../parts/use-changes.ts";
import { useSubmit } from "../../parts/use-submit.ts";
import { AddForm } from "./add-form.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { NodePanel, type NodeView } from "./node-panel.tsx";
import { maxRows, useRows } from "./rows.ts";
import { Table } from "./table.tsx";
import { TypeList } from "./type-list.tsx";

export function DataPage({ route }: { readonly route: Route }) {
  const { deployed } = useConsole();
  if (deployed === undefined) {
    return (
      <Empty title="No schema is deployed yet">
        <p>A schema describes types; the API and this page follow from it.</p>
        <a class="button primary" href={addressOf("schema")}>
          Write a schema
        </a>
      </Empty>
    );
  }
  const { types } = deployed.model;
  const [name = types[0]?.name, node] = route.path;
  const type = types.find((each) => each.name === name);
  if (types.length === 0) return <Empty title="The schema has no types with queries" />;
  if (type === undefined) return <Empty title={`There is no type ${name}`}>It may have been renamed or removed by a later schema.</Empty>;
  return <TypePage key={type.name} deployed={deployed} type={type} node={node} />;
}

interface TypePageProps {
  readonly deployed: Deployed;
  readonly type: NodeType;
  readonly node: string | undefined;
}

function TypePage({ deployed: { model }, type, node }: TypePageProps) {
  const [conditions, setConditions] = useState<readonly Condition[]>([]);
  const [orders, setOrders] = useState<readonly Order[]>([]);
  const [selected, setSelected] = useState<ReadonlyMap<string, NodeKey>>(new Map());
  const [deleting, setDeleting] = useState<Deleting>();
  const [isAdding, setAdding] = useState(false);
  const [version, setVersion] = useState(0);
  const [view, setView] = useState<NodeView>("Values");
  const filter = useMemo(() => filterOfConditions(type, conditions), [type, conditions]);
  const rows = useRows(type, filter, orders);
  const changed = () => {
    rows.again();
    setVersion((before) => before + 1);
  };
  useChanges(changed);
  // What is selected belongs to one filter.
  useEffect(() => setSelected(new Map()), [filter]);
  return (
    <div class={`data${node === undefined ? "" : " with-panel"}`}>
      <TypeList model={model} chosen={type.name} version={version} />
      <section class="rows" aria-label={`${type.name} nodes`}>
        <div class="toolbar">
          <h1>{type.name}</h1>
          <FilterBar type={type} conditions={conditions} onChange={setConditions} />
          <span class="spring" />
          {selected.size > 0 && type.remove !== undefined && (
            <button type="button" class="danger" onClick={() => setDeleting({ keys: [...selected.values()], label: plural(selected.size, "node") })}>
              Delete {number(selected.size)}
            </button>
          )}
          {type.add && (
            <button type="button" class="primary" onClick={() => setAdding(true)}>
              Add
            </button>
          )}
        </div>
        <Failure of={rows.failure} again={rows.again} />
        {rows.total === 0 ? (
          <Empty title={conditions.length > 0 ? "Nothing matches these filters" : `There are no ${type.name} nodes`}>
            {conditions.length > 0 ? (
              <button type="button" onClick={() => setConditions([])}>
                Remove the filters
              </button>
            ) : (
              <p>Nodes appear here as soon as somebody adds them.</p>
            )}
          </Empty>
        ) : (
          <Table type={type} rows={rows} orders={orders} onOrder={setOrders} selected={selected} onSelect={setSelected} open={node} />
        )}
        <footer class="status">
          <span>{rows.total !== undefined && plural(rows.total, "node")}</span>
          {rows.total !== undefined && rows.total > maxRows && `; the table shows the first ${number(maxRows)}. Filter to see others.`}
          {type.keys.length === 0 && " · nodes of this type have no ID and no @id field, so they cannot be changed here"}
          <span class="spring" />
          <span class="wide-only">↑↓←→ move · Enter open · F2 edit · Space select</span>
        </footer>
      </section>
      {node !== undefined && (
        <NodePanel
          key={node}
          view={view}
          onView={setView}
          model={model}
          type={type}
          name={node}
          version={version}
          onChanged={changed}
          onDelete={(key, label) => setDeleting({ keys: [key], label })}
        />
      )}
      {isAdding && <AddForm model={model} type={type} onClose={() => setAdding(false)} onAdded={changed} />}
      {deleting && (
        <DeleteDialog
          type={type}
          deleting={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => {
            setSelected(new Map());
            if (deleting.keys.some(({ value }) => textOf(value) === node)) go("data", [type.name]);
            changed();
          }}
        />
      )}
    </div>
  );
}

interface Deleting {
  readonly keys: readonly NodeKey[];
  readonly label: string;
}

interface DeleteDialogProps {
  readonly type: NodeType;
  readonly deleting: Deleting;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteDialog({ type, deleting: { keys, label }, onClose, onDeleted }: DeleteDialogProps) {
  const state = useConsole();
  const { submit, isBusy, problem } = useSubmit(async () => {
    const count = await deleteNodes(state, type, keys);
    if (count === 0) throw new Error("Nothing was deleted: the nodes are gone, or this identity may not delete them.");
    onDeleted();
    onClose();
  });
  const names = keys.map(({ value }) => (typeof value === "string" ? value : writeJson(value)));
  return (
    <Dialog title={`Delete ${label}?`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>
          {plural(keys.length, `${type.name} node`)} and all links to {keys.length === 1 ? "it" : "them"} will be gone. This cannot be undone.
        </p>
        <p class="hint">
          {names.slice(0, 5).join(", ")}
          {names.length > 5 && ` and ${number(names.length - 5)} more`}
        </p>
        <FormEnd problem={problem} submit="Delete" submitClass="danger" isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
