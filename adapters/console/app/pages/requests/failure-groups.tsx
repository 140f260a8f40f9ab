// What failed, by code and operation: how often, since when, and when last.

import { type JsonObject, textOf } from "../../api/json.ts";
import { agoText } from "../../parts/figures.tsx";
import { number } from "../../parts/pieces.tsx";
import { ScrolledCard } from "../../parts/scrolled.tsx";

export function FailureGroups({ groups }: { readonly groups: readonly JsonObject[] }) {
  return (
    <ScrolledCard title="Failures by code and operation">
      <table>
        <thead>
          <tr>
            <th>Code</th>
            <th>Operation</th>
            <th>Count</th>
            <th>First</th>
            <th>Last</th>
            <th>Last request</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ code, kind, name, count, first, last, requestID }) => (
            <tr key={`${textOf(code)} ${textOf(kind)} ${textOf(name)}`}>
              <td>{textOf(code)}</td>
              <td>{operationText(kind, name)}</td>
              <td>{number(Number(count))}</td>
              <td>{agoText(Number(first))}</td>
              <td>{agoText(Number(last))}</td>
              <td>
                <code>{textOf(requestID)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrolledCard>
  );
}

/** `mutation addBoats`; a dash before the document was read. */
export function operationText(kind: JsonObject[string], name: JsonObject[string]): string {
  return [textOf(kind), textOf(name)].filter((each) => each !== "").join(" ") || "–";
}
