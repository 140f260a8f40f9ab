// A new field of a type: a value with its index, or a link with its inverse.

import { useState } from "preact/hooks";
import { type NewField, nameProblem, withField, withLink } from "../../model/type-edits.ts";
import { type WrittenType, writtenEnums } from "../../model/written-types.ts";
import { Dialog, FormEnd } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";

export interface FieldDialogProps {
  readonly text: string;
  readonly type: WrittenType;
  readonly types: readonly WrittenType[];
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

const scalars = ["String", "Int", "Int64", "Float", "Boolean", "DateTime", "Point"] as const;

/** What each kind of field can be searched by. Empty: it has one index, which needs no name. */
const indexes: Readonly<Record<string, readonly string[]>> = {
  String: ["hash", "exact", "term", "fulltext", "trigram"],
  DateTime: ["year", "month", "day", "hour"],
};

export function FieldDialog({ text, type, types, onText, onClose }: FieldDialogProps) {
  const [field, setField] = useState<NewField>({ name: "", named: "String", isList: false, isRequired: false, directives: [] });
  const [search, setSearch] = useState("");
  const [isKey, setKey] = useState(false);
  const [inverse, setInverse] = useState("");
  const [isInverseList, setInverseList] = useState(true);
  const change = (part: Partial<NewField>) => setField((before) => ({ ...before, ...part }));
  const target = types.find(({ name }) => name === field.named);
  const mayBeKey = !target && !field.isList && ["String", "Int", "Int64"].includes(field.named);
  const { submit, problem } = useSubmit(async () => {
    const wrong =
      nameProblem(
        field.name,
        type.fields.map(({ name }) => name),
      ) || inverseProblem(target, inverse);
    if (wrong !== "") throw new Error(wrong);
    const isId = isKey && mayBeKey;
    const directives = target ? [] : [...(isId ? ["@id"] : []), ...(search === "" ? [] : [searchText(search)])];
    const made = { ...field, isRequired: field.isRequired || isId, directives };
    onText(target && inverse !== "" ? withLink(text, type.name, made, { name: inverse, isList: isInverseList }) : withField(text, type.name, made));
    onClose();
  });
  return (
    <Dialog title={`New field of ${type.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="form-field">
          <label htmlFor="field-name">Name</label>
          <input id="field-name" value={field.name} onInput={({ currentTarget }) => change({ name: currentTarget.value.trim() })} />
        </div>
        <div class="form-field">
          <label htmlFor="field-kind">Kind</label>
          <select
            id="field-kind"
            value={field.named}
            onChange={({ currentTarget }) => {
              change({ named: currentTarget.value });
              setSearch("");
            }}
          >
            <optgroup label="Values">
              {[...scalars, ...writtenEnums(text)].map((name) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
            <optgroup label="Links to">
              {types.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </optgroup>
          </select>
        </div>
        <Check label="A list" isChecked={field.isList} onToggle={() => change({ isList: !field.isList })} />
        <Check label="Required" isChecked={field.isRequired} onToggle={() => change({ isRequired: !field.isRequired })} />
        {mayBeKey && <Check label="A key: its value names one node" isChecked={isKey} onToggle={() => setKey(!isKey)} />}
        {!target && (
          <div class="form-field">
            <label htmlFor="field-search">Filters</label>
            <select id="field-search" value={search} onChange={({ currentTarget }) => setSearch(currentTarget.value)}>
              <option value="">without an index</option>
              {(indexes[field.named] ?? ["index"]).map((name) => (
                <option key={name} value={name}>
                  {name === "index" ? "with an index" : name}
                </option>
              ))}
            </select>
          </div>
        )}
        {target && (
          <div class="form-field">
            <label htmlFor="field-inverse">
              Inverse <small>a new field of {target.name} that leads back; empty: none</small>
            </label>
            <input id="field-inverse" value={inverse} onInput={({ currentTarget }) => setInverse(currentTarget.value.trim())} />
          </div>
        )}
        {target && inverse !== "" && (
          <Check label={`${target.name}.${inverse} is a list`} isChecked={isInverseList} onToggle={() => setInverseList(!isInverseList)} />
        )}
        <FormEnd problem={problem} submit="Add" submitClass="primary" onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function inverseProblem(target: WrittenType | undefined, inverse: string): string {
  return target === undefined || inverse === ""
    ? ""
    : nameProblem(
        inverse,
        target.fields.map(({ name }) => name),
      );
}

function searchText(search: string): string {
  return search === "index" ? "@search" : `@search(by: [${search}])`;
}

interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onToggle: () => void;
}

function Check({ label, isChecked, onToggle }: CheckProps) {
  return (
    <label class="check-field">
      <input type="checkbox" checked={isChecked} onChange={onToggle} />
      {label}
    </label>
  );
}
