// `@histogram`: how many objects have which value, in steps of a width, as a kind of list: `histogramMill` and `millsHistogram`.

import { argumentText, type DirectivePlugin, type ListKind, listArguments, type NodeType, type SelectedMember, type ValueField } from "quern/plugin";

export function histogramPlugin(): DirectivePlugin {
  return {
    name: "histogram",
    definitions: "directive @histogram(field: String!) on OBJECT\ntype Bucket { from: Int!  count: Int! }",
    model({ uses, report }) {
      const lists = uses("histogram").flatMap(({ type, args, node }): readonly ListKind[] => {
        const field = type?.fields.get(String(args.field));
        if (type && field?.role === "value" && field.kind === "int" && !field.type.list) return [histogramOf(type, field)];
        report(`@histogram names ${args.field}, which is no Int field of the type.`, node);
        return [];
      });
      return lists.length === 0 ? undefined : { api: () => ({ lists }) };
    },
  };
}

function histogramOf(type: NodeType, { stored }: ValueField): ListKind {
  const filters = listArguments(type).filter(({ name }) => name === "filter");
  return {
    type,
    signature: `(${filters.map(argumentText).join(" ")} width: Int!): [Bucket!]!`,
    query: `histogram${type.name}`,
    companion: (link) => (link.type.list ? `${link.name}Histogram` : undefined),
    *plan({ nodes, arguments: given }, planner) {
      const members = planner.fields("Bucket", nodes);
      return {
        arguments: given,
        selections: [],
        cost: () => 1_000,
        print: (printer) => ({ what: `histogram of ${stored}`, below: printer.conditions(type, given) }),
        *bind(binder) {
          const { filter, width } = given.values(binder.variables);
          const target = yield* binder.target({ type, filter });
          return {
            *read(reader) {
              const values = yield* reader.values(target, stored);
              return { write: (source) => bucketsOf(values[source] ?? [], Math.max(1, Number(width)), members) };
            },
          };
        },
      };
    },
  };
}

function bucketsOf(values: readonly unknown[], width: number, members: readonly SelectedMember[]): string {
  const counts = new Map<number, number>();
  const starts = values.flatMap((value) => (typeof value === "number" ? [Math.floor(value / width) * width] : []));
  for (const from of starts.sort((a, b) => a - b)) counts.set(from, (counts.get(from) ?? 0) + 1);
  const text = (from: number, name: string) => (name === "from" ? from : name === "count" ? counts.get(from) : '"Bucket"');
  return `[${[...counts.keys()].map((from) => `${members.map(({ opening, name }) => opening + text(from, name)).join("")}}`)}]`;
}
