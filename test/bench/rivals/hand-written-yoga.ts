// The rival that a good team writes by hand: GraphQL Yoga with resolvers over maps in memory, DataLoader for what is nested.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import DataLoader from "dataloader";
import { createSchema, createYoga } from "graphql-yoga";
import type { DebianPackage } from "../graph.ts";
import { readMemory, sortedBySize } from "./memory.ts";

interface Loaders {
  readonly packages: DataLoader<string, DebianPackage | undefined>;
  readonly maintainers: DataLoader<DebianPackage, DebianPackage["maintainer"]>;
}

interface ListArguments {
  readonly filter?: {
    readonly section?: { readonly eq: string };
    readonly tags?: { readonly eq: string };
    readonly installedSizeKiB?: { readonly gt: number };
  };
  readonly order?: unknown;
  readonly first?: number;
  readonly offset?: number;
}

const memory = await readMemory();
const idOf = new Map(memory.all.map((each, index) => [each, `0x${(index + 1).toString(16)}`]));
const byId = new Map(memory.all.map((each, index) => [`0x${(index + 1).toString(16)}`, each]));

const typeDefs = /* GraphQL */ `
  type Maintainer { email: String! name: String }
  type Package {
    id: ID! name: String! version: String! section: String summary: String installedSizeKiB: Int
    maintainer: Maintainer dependsOn(first: Int): [Package]
  }
  type PackageAggregateResult { count: Int installedSizeKiBMax: Int installedSizeKiBAvg: Float }
  input StringFilter { eq: String }
  input IntFilter { gt: Int }
  input PackageFilter { section: StringFilter tags: StringFilter installedSizeKiB: IntFilter }
  enum PackageOrderable { installedSizeKiB }
  input PackageOrder { desc: PackageOrderable }
  type Query {
    getPackage(id: ID, name: String): Package
    queryPackage(filter: PackageFilter, order: PackageOrder, first: Int, offset: Int): [Package]
    aggregatePackage(filter: PackageFilter): PackageAggregateResult
  }
`;

const resolvers = {
  Query: {
    getPackage: (_: unknown, { id, name = "" }: { id?: string; name?: string }) => (id === undefined ? memory.byName.get(name) : byId.get(id)),
    queryPackage: (_: unknown, { filter, order, first, offset = 0 }: ListArguments) => {
      const found = matching(filter);
      const ordered = order === undefined ? found : found === memory.all ? memory.bySize : sortedBySize(found);
      return ordered.slice(offset, first === undefined ? undefined : offset + first);
    },
    aggregatePackage: (_: unknown, { filter }: ListArguments) => {
      const sizes = matching(filter).map((each) => each.installedSizeKiB);
      const sum = sizes.reduce((all, each) => all + each, 0);
      return {
        count: sizes.length,
        installedSizeKiBMax: sizes.reduce((max, each) => Math.max(max, each), 0),
        installedSizeKiBAvg: sum / sizes.length,
      };
    },
  },
  Package: {
    id: (parent: DebianPackage) => idOf.get(parent),
    maintainer: (parent: DebianPackage, _: unknown, { maintainers }: Loaders) => maintainers.load(parent),
    dependsOn: ({ dependsOn }: DebianPackage, { first }: { first?: number }, { packages }: Loaders) =>
      packages.loadMany(first === undefined ? dependsOn : dependsOn.slice(0, first)),
  },
};

const yoga = createYoga<object, Loaders>({
  schema: createSchema({ typeDefs, resolvers }),
  logging: false,
  graphiql: false,
  context: () => ({
    packages: new DataLoader(async (names) => names.map((name) => memory.byName.get(name))),
    maintainers: new DataLoader(async (packages) => packages.map((each) => each.maintainer)),
  }),
});

const server = createServer(yoga);
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));

function matching(filter: ListArguments["filter"]): readonly DebianPackage[] {
  const { section, tags, installedSizeKiB } = filter ?? {};
  const listed = section ? memory.bySection.get(section.eq) : tags ? memory.byTag.get(tags.eq) : memory.all;
  const found = listed ?? [];
  return installedSizeKiB ? found.filter((each) => each.installedSizeKiB > installedSizeKiB.gt) : found;
}
