// The types of the text in the editor, which one changes by clicking: each change is an edit of the same text.

import { useState } from "preact/hooks";
import { writtenTypes } from "../../model/written-types.ts";
import { Empty } from "../../parts/pieces.tsx";
import { TypeCard } from "./type-card.tsx";
import { TypeDialog } from "./type-dialog.tsx";

export interface TypesViewProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function TypesView({ text, onText }: TypesViewProps) {
  const [isAdding, setAdding] = useState(false);
  const types = writtenTypes(text);
  if (types === undefined) return <Empty title="The text has an error">Mend it in the editor first.</Empty>;
  return (
    <section class="written-types" aria-label="Types">
      <button type="button" onClick={() => setAdding(true)}>
        + Type
      </button>
      {types.map((type) => (
        <TypeCard key={type.name} type={type} types={types} text={text} onText={onText} />
      ))}
      {isAdding && <TypeDialog text={text} types={types} onText={onText} onClose={() => setAdding(false)} />}
    </section>
  );
}
