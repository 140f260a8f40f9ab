// The fields of a new node, and of the nodes that are made together with it, to any depth.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { LinkPicker } from "../links/link-picker.tsx";
import type { ApiModel, Field, NodeType } from "../model/api-model.ts";
import { makeableTargets, targetsOf } from "../model/links.ts";
import { ValueEditor } from "../parts/value-editor.tsx";
import { type Draft, type DraftLink, emptyDraft, type FormInput, formInputs, type Problems, problemsBelow } from "./drafts.ts";
import { FileInput } from "./file-input.tsx";

export interface NodeFormProps {
  readonly model: ApiModel;
  readonly type: NodeType;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly problems: Problems;
  /** The field through which the node is made. */
  readonly by?: Field;
  /** Tells the fields of one form from those of another. */
  readonly id: string;
}

export function NodeForm({ model, type, draft, onDraft, problems, by, id }: NodeFormProps) {
  return (
    <>
      {formInputs(type, by).map((each) => {
        const { name } = each.input;
        const place = `${id}-${name}`;
        return (
          <div class="form-field" key={name}>
            <FieldLabel of={each} id={place} />
            {each.field.kind === "file" ? (
              <FileInput
                id={place}
                label={name}
                bounds={each.field.file ?? {}}
                file={draft.files[name]}
                onFile={(file) => onDraft({ ...draft, files: { ...draft.files, [name]: file } })}
              />
            ) : each.field.kind === "link" ? (
              <LinkInput
                model={model}
                field={each.field}
                id={place}
                links={draft.links[name] ?? []}
                onLinks={(links) => onDraft({ ...draft, links: { ...draft.links, [name]: links } })}
                problems={problemsBelow(problems, name)}
              />
            ) : (
              <ValueEditor
                id={place}
                field={each.field}
                text={draft.texts[name] ?? ""}
                label={name}
                lines="several"
                onText={(text) => onDraft({ ...draft, texts: { ...draft.texts, [name]: text } })}
              />
            )}
            {problems.has(name) && (
              <p class="problem" role="alert">
                {problems.get(name)}
              </p>
            )}
          </div>
        );
      })}
    </>
  );
}

function FieldLabel({ of: { input, field, isRequired }, id }: { readonly of: FormInput; readonly id: string }) {
  return (
    <label htmlFor={id}>
      {input.name}
      {isRequired && <b title="required">*</b>} <small>{field.kind === "link" || field.kind === "file" ? field.typeText : String(input.type)}</small>
      {field.byDefault !== undefined && <small class="default">default: {field.byDefault === "$now" ? "now" : field.byDefault}</small>}
    </label>
  );
}

interface LinkInputProps {
  readonly model: ApiModel;
  readonly field: Field;
  readonly id: string;
  readonly links: readonly DraftLink[];
  readonly onLinks: (links: readonly DraftLink[]) => void;
  readonly problems: Problems;
}

function LinkInput({ model, field, id, links, onLinks, problems }: LinkInputProps) {
  const [removed, setRemoved] = useState(0);
  const add = (link: DraftLink) => onLinks(field.isList ? [...links, link] : [link]);
  const isFull = !field.isList && links.length > 0;
  return (
    <div class="link-input">
      {links.length > 0 && (
        <ol>
          {links.map((link, place) => (
            <LinkItem
              key={`${place} ${link.kind}`}
              model={model}
              field={field}
              id={`${id}-${place}`}
              link={link}
              onLink={(next) => onLinks(links.map((each, i) => (i === place ? next : each)))}
              onRemove={() => {
                setRemoved(removed + 1);
                onLinks(links.filter((_, i) => i !== place));
              }}
              problems={field.isList ? problemsBelow(problems, String(place)) : problems}
            />
          ))}
        </ol>
      )}
      {!isFull && (
        <LinkPicker
          key={removed}
          id={id}
          types={targetsOf(model, field)}
          label={field.name}
          // What had the focus is gone.
          focused={removed > 0}
          makeable={makeableTargets(model, field)}
          onMake={(type) => add({ kind: "new", type, draft: emptyDraft })}
          onPick={(node) => add({ kind: "existing", node })}
        />
      )}
    </div>
  );
}

interface LinkItemProps extends Pick<LinkInputProps, "model" | "field" | "id" | "problems"> {
  readonly link: DraftLink;
  readonly onLink: (link: DraftLink) => void;
  readonly onRemove: () => void;
}

function LinkItem({ model, field, id, link, onLink, onRemove, problems }: LinkItemProps) {
  const name = link.kind === "existing" ? link.node.label : `new ${link.type.name}`;
  const fields = useRef<HTMLFieldSetElement>(null);
  // Before the next key: what is typed at once belongs into the new node.
  useLayoutEffect(() => fields.current?.querySelector<HTMLElement>("input, select, textarea")?.focus(), []);
  return (
    <li class={link.kind}>
      <div class="linked">
        <span>
          {name} {link.kind === "existing" && <small>{link.node.type.name}</small>}
        </span>
        <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={onRemove}>
          ✕
        </button>
      </div>
      {link.kind === "new" && (
        <fieldset ref={fields}>
          <legend class="hidden">{name}</legend>
          <NodeForm
            model={model}
            type={link.type}
            draft={link.draft}
            onDraft={(draft) => onLink({ ...link, draft })}
            problems={problems}
            by={field}
            id={id}
          />
        </fieldset>
      )}
      {link.kind === "existing" &&
        [...problems].map(([at, problem]) => (
          <p class="problem" key={at}>
            {problem}
          </p>
        ))}
    </li>
  );
}
