// A form for a new node, made from the input type of its mutation.

import { type GraphQLInputField, getNamedType, getNullableType, isEnumType, isInputObjectType, isListType, isRequiredInputField } from "graphql";
import { useState } from "preact/hooks";
import type { Json } from "../../api/json.ts";
import { messageOf, RequestFailed } from "../../api/server.ts";
import type { ApiModel, Field, NodeType } from "../../model/api-model.ts";
import { addNode, referenceKey, referencesOf } from "../../model/changes.ts";
import { parseValue } from "../../model/values.ts";
import { useConsole } from "../../parts/console-context.ts";
import { Dialog, FormEnd } from "../../parts/pieces.tsx";
import { useSubmit } from "../../parts/use-submit.ts";
import { ValueEditor } from "../../parts/value-editor.tsx";

export interface AddFormProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

export function AddForm({ model, type, onClose, onAdded }: AddFormProps) {
  const state = useConsole();
  const inputs = Object.values(type.add?.input.getFields() ?? {}).map((input) => ({ input, field: fieldOfInput(type, input) }));
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const { submit, isBusy, problem } = useSubmit(async () => {
    const { value, found } = read(model, inputs, texts);
    setProblems(found);
    if (found.size > 0) return;
    try {
      await addNode(state, type, value);
    } catch (thrown) {
      const marked = problemsByField(thrown, inputs);
      setProblems(marked);
      if (marked.size === 0) throw thrown;
      return;
    }
    onAdded();
    onClose();
  });
  return (
    <Dialog title={`Add ${type.name}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {inputs.map(({ input, field }) => (
          <div class="form-field" key={input.name}>
            <label htmlFor={`add-${input.name}`}>
              {input.name}
              {isRequiredInputField(input) && <b title="required">*</b>} <small>{hintOf(model, field) ?? String(input.type)}</small>
            </label>
            <ValueEditor
              id={`add-${input.name}`}
              field={field}
              text={texts[input.name] ?? ""}
              label={input.name}
              onText={(text) => setTexts((before) => ({ ...before, [input.name]: text }))}
            />
            {problems.has(input.name) && (
              <p class="problem" role="alert">
                {problems.get(input.name)}
              </p>
            )}
          </div>
        ))}
        <FormEnd problem={problem} submit="Add" submitClass="primary" isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface FormInput {
  readonly input: GraphQLInputField;
  readonly field: Field;
}

/** What the server says of fields of the form, where it says nothing else. Empty: show it as a whole. */
function problemsByField(thrown: unknown, inputs: readonly FormInput[]): ReadonlyMap<string, string> {
  if (!(thrown instanceof RequestFailed)) return new Map();
  const names = new Set(inputs.map(({ input }) => input.name));
  // `input`, the place in the list, the field.
  const marked = thrown.errors.map(({ input: [, , name = ""], message }) => [name, message] as const);
  return marked.every(([name]) => names.has(name)) ? new Map(marked) : new Map();
}

/** The input of all filled fields, or what is wrong with them. */
function read(model: ApiModel, inputs: readonly FormInput[], texts: Readonly<Record<string, string>>) {
  const value: Record<string, Json> = {};
  const found = new Map<string, string>();
  for (const { input, field } of inputs) {
    const text = texts[input.name] ?? "";
    if (text === "" && isRequiredInputField(input)) found.set(input.name, "A value is required.");
    if (text === "") continue;
    try {
      value[input.name] = field.kind === "link" ? referencesOf(model, field, text) : parseValue(field, text);
    } catch (thrown) {
      found.set(input.name, messageOf(thrown));
    }
  }
  return { value, found };
}

/** The field of the type that the input sets. An input without one, such as a password, is a plain value. */
function fieldOfInput(type: NodeType, { name, type: inputType }: GraphQLInputField): Field {
  const known = type.fields.find((field) => field.name === name);
  if (known !== undefined) return known;
  const named = getNamedType(inputType);
  return {
    name,
    typeText: String(inputType),
    kind: isInputObjectType(named) ? "geo" : "scalar",
    named: named.name,
    isList: isListType(getNullableType(inputType)),
    values: isEnumType(named) ? named.getValues().map((each) => each.name) : [],
    aggregate: undefined,
    description: undefined,
  };
}

function hintOf(model: ApiModel, field: Field): string | undefined {
  if (field.kind !== "link") return undefined;
  const target = model.type(field.named);
  const reference = target && referenceKey(target);
  if (reference === undefined) return undefined;
  return field.isList ? `${reference.name} of ${field.named} nodes, with commas` : `${reference.name} of a ${field.named}`;
}
