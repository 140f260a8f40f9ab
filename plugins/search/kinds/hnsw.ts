// `hnsw`: only validated here. The plugin of `@embedding` serves its fields.

import type { IndexKind } from "../ground/kind.ts";

const option = "\\s*(\\w+): +[^,:\\s][^,:]*";
const options = new RegExp(`^${option}(,${option})*,?\\s*$`);

/** A name may occur once. */
function isWellFormed(text: string): boolean {
  const names = [...text.matchAll(/(\w+):/g)].map(([, name]) => name);
  return options.test(text) && new Set(names).size === names.length;
}

export const hnsw: IndexKind = {
  name: "hnsw",
  fits: ["Float"],
  problem: (argument) => {
    if (!argument.field.directives?.some((directive) => directive.name.value === "embedding"))
      return `${argument.text} requires the field also has @embedding directive.`;
    if (argument.options !== undefined && !isWellFormed(argument.options))
      return `'${argument.text}' with search options is malformed. Search options are comma-separated key-value pairs in YAML format => <optionName><COLON><SPACE><VALUE>`;
    return undefined;
  },
};
