// The real graph: loaded by quern import, asked its own questions, the answers computed from the file by plain JavaScript.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DebianPackage, readPackages, wholeGraph } from "../bench/graph.ts";
import { ask, run, started, temporaryFolder } from "./quern.ts";

const graph = wholeGraph();
if (graph === undefined) console.info("SKIPPED: the Debian graph is missing; set QUERN_GRAPH to the folder that holds debian-packages.ndjson.gz.");

describe.skipIf(graph === undefined)("the package graph of Debian 12", () => {
  const folder = temporaryFolder();
  let server: Awaited<ReturnType<typeof started>>;
  let packages: readonly DebianPackage[] = [];
  /** Place in the file by name: nodes come in this order. */
  let place = new Map<string, number>();

  beforeAll(async () => {
    if (graph === undefined) return;
    packages = await readPackages(graph);
    place = new Map(packages.map(({ name }, index) => [name, index]));
    const loaded = await run(folder.path, "import", graph.file, "--type", "Package", "--data", "data", "--schema", graph.schema);
    expect(loaded).toMatchObject({ code: 0 });
    expect(loaded.out).toMatch(/^63,436 added, references of [\d,]+ linked in /);
    server = await started(folder.path);
  }, 900_000);

  afterAll(async () => {
    server?.child.kill("SIGINT");
    await server?.ended;
    folder.remove();
  });

  const data = async (query: string, variables: Readonly<Record<string, unknown>> = {}) => {
    const answer = (await ask(server.url, query, variables)) as { data: unknown; errors?: unknown };
    expect(answer.errors).toBeUndefined();
    return answer.data;
  };
  const inFileOrder = (names: readonly string[]) => names.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
  const find = (name: string) => packages[place.get(name) ?? -1];

  it("has the expected number of nodes", async () => {
    const maintainers = new Set(packages.map(({ maintainer }) => maintainer.email));
    expect(await data("{ aggregatePackage { count } aggregateMaintainer { count } }")).toEqual({
      aggregatePackage: { count: packages.length },
      aggregateMaintainer: { count: maintainers.size },
    });
  });

  it("has the expected count, maximum, minimum and mean for every section", async () => {
    for (const [section, members] of groups(packages, ({ section }) => [section])) {
      const sizes = members.map(({ installedSizeKiB }) => installedSizeKiB);
      const { aggregatePackage } = (await data(
        "query ($section: String!) { aggregatePackage(filter: { section: { eq: $section } }) { count installedSizeKiBMax installedSizeKiBMin installedSizeKiBAvg } }",
        { section },
      )) as { aggregatePackage: Readonly<Record<string, number>> };
      expect(aggregatePackage).toMatchObject({
        count: sizes.length,
        installedSizeKiBMax: Math.max(...sizes),
        installedSizeKiBMin: Math.min(...sizes),
      });
      expect(aggregatePackage.installedSizeKiBAvg).toBeCloseTo(sizes.reduce((sum, size) => sum + size, 0) / sizes.length, 6);
    }
  });

  it("lists the largest packages of every section", async () => {
    const query = `query ($section: String!) { queryPackage(filter: { section: { eq: $section } }, order: { desc: installedSizeKiB }, first: 10, offset: 2) {
      name installedSizeKiB maintainer { email } } }`;
    for (const [section, members] of groups(packages, ({ section }) => [section])) {
      const expected = bySizeDescending(members).slice(2, 12);
      expect(await data(query, { section })).toEqual({
        queryPackage: expected.map(({ name, installedSizeKiB, maintainer: { email } }) => ({ name, installedSizeKiB, maintainer: { email } })),
      });
    }
  });

  it("lists the largest packages overall", async () => {
    expect(await data("{ queryPackage(order: { desc: installedSizeKiB }, first: 25) { name } }")).toEqual({
      queryPackage: bySizeDescending(packages)
        .slice(0, 25)
        .map(({ name }) => ({ name })),
    });
  });

  it("lists large packages with a tag and some of their dependencies", async () => {
    const query = `query ($tag: String!) { queryPackage(filter: { tags: { eq: $tag }, installedSizeKiB: { gt: 10240 } }, first: 10) { name dependsOn(first: 5) { name } } }`;
    const tagged = [...groups(packages, ({ tags = [] }) => tags)].filter((_, index) => index % 20 === 0);
    for (const [tag, members] of tagged) {
      const expected = members.filter(({ installedSizeKiB }) => installedSizeKiB > 10_240).slice(0, 10);
      expect(await data(query, { tag })).toEqual({
        queryPackage: expected.map(({ name, dependsOn }) => ({
          name,
          dependsOn: inFileOrder(dependsOn)
            .slice(0, 5)
            .map((each) => ({ name: each })),
        })),
      });
    }
  });

  it("follows dependencies three levels deep", async () => {
    const query = "query ($name: String!) { getPackage(name: $name) { name dependsOn { name dependsOn { name dependsOn { name } } } } }";
    const tree = (name: string, depth: number): unknown =>
      depth === 0 ? { name } : { name, dependsOn: inFileOrder(find(name)?.dependsOn ?? []).map((each) => tree(each, depth - 1)) };
    for (const { name } of packages.filter((_, index) => index % 997 === 0))
      expect(await data(query, { name })).toEqual({ getPackage: tree(name, 3) });
  });

  it("finds the packages that depend on a package, three levels up", async () => {
    const needed = groups(packages, ({ dependsOn }) => dependsOn);
    const counts = new Map([...needed].map(([name, users]) => [name, users.length]));
    const tree = (name: string, depth: number): unknown =>
      depth === 0 ? { name } : { name, requiredBy: (needed.get(name) ?? []).map((user) => tree(user.name, depth - 1)) };
    const chosen = packages.filter(({ name }, index) => index % 97 === 0 && (counts.get(name) ?? 0) > 0 && (counts.get(name) ?? 0) < 10).slice(0, 40);
    const query = "query ($name: String!) { getPackage(name: $name) { name requiredBy { name requiredBy { name requiredBy { name } } } } }";
    for (const { name } of chosen) expect(await data(query, { name })).toEqual({ getPackage: tree(name, 3) });
    const { getPackage } = (await data('{ getPackage(name: "libc6") { requiredByAggregate { count } } }')) as { getPackage: unknown };
    expect(getPackage).toEqual({ requiredByAggregate: { count: counts.get("libc6") } });
  }, 900_000);

  it("lists the packages of maintainers", async () => {
    const query = "query ($email: String!) { getMaintainer(email: $email) { name packages { name } packagesAggregate { count } } }";
    const kept = [...groups(packages, ({ maintainer }) => [maintainer.email])].filter((_, index) => index % 40 === 0);
    for (const [email, members] of kept) {
      expect(await data(query, { email })).toEqual({
        getMaintainer: {
          name: members[0]?.maintainer.name,
          packages: members.map(({ name }) => ({ name })),
          packagesAggregate: { count: members.length },
        },
      });
    }
  });

  it("has no faults in quern check", async () => {
    server.child.kill("SIGINT");
    expect(await server.ended).toMatchObject({ code: 0 });
    const { code, out } = await run(folder.path, "check", "--data", "data", "--json");
    const links = packages.reduce((sum, { dependsOn, recommends }) => sum + dependsOn.length + recommends.length + 1, 0);
    expect(JSON.parse(out)).toMatchObject({ faultCount: 0, links });
    expect(code).toBe(0);
  }, 900_000);
});

function groups(packages: readonly DebianPackage[], keys: (each: DebianPackage) => readonly string[]): ReadonlyMap<string, readonly DebianPackage[]> {
  const found = new Map<string, DebianPackage[]>();
  for (const each of packages) {
    for (const key of keys(each)) {
      const members = found.get(key) ?? [];
      members.push(each);
      found.set(key, members);
    }
  }
  return found;
}

/** The sort of JavaScript keeps the order of equals, which is that of the file. */
function bySizeDescending(packages: readonly DebianPackage[]): readonly DebianPackage[] {
  return packages.toSorted((a, b) => b.installedSizeKiB - a.installedSizeKiB);
}
