// The answer to an operation as JSON, its errors first.

import { writeJson } from "../api/json.ts";
import type { Answer } from "../api/server.ts";
import { JsonText } from "./json-text.tsx";

export function AnswerView({ answer: { data, errors } }: { readonly answer: Pick<Answer, "data" | "errors"> }) {
  const shown = errors.map(({ message, path, code }) => ({ message, ...(path.length > 0 && { path }), ...(code !== undefined && { code }) }));
  return <JsonText text={writeJson({ ...(shown.length > 0 && { errors: shown }), data }, 2)} />;
}
