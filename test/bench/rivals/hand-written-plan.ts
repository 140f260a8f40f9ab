// The ceiling: node:http, and for each question of the speed table a function that writes the answer straight from maps in memory. No GraphQL.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DebianPackage } from "../graph.ts";
import { type Asked, questionTexts } from "../questions.ts";
import { type Memory, partners, readMemory, sortedBySize } from "./memory.ts";

interface Variables {
  readonly id: string;
  readonly name: string;
  readonly section: string;
  readonly tag: string;
  readonly offset?: number;
}
type Plan = (variables: Variables) => string;

const memory = await readMemory();
const plans = new Map<string, Plan>(Object.entries(handWritten(memory)).map(([name, plan]) => [questionTexts[name as Asked], plan]));

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    const { query, variables } = JSON.parse(body);
    const answer = `{"data":{${plans.get(query)?.(variables)}}}`;
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
    response.end(answer);
  });
});
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));

function handWritten({ all, byName, bySection, byTag, bySize }: Memory): Readonly<Record<Asked, Plan>> {
  const sizedBySection = new Map([...bySection].map(([section, packages]) => [section, sortedBySize(packages)]));
  const threeLevels: Plan = ({ name }) => `"getPackage":${maybe(byName.get(name), (each) => levels(each, 3))}`;
  const byId = new Map(all.map((each, index) => [`0x${(index + 1).toString(16)}`, each]));
  return {
    ids: () => `"queryPackage":${list([...byId.keys()].slice(0, 2_000), (id) => `{"id":"${id}"}`)}`,
    id: ({ id }) => `"getPackage":${maybe(byId.get(id), whole)}`,
    key: ({ name }) => `"getPackage":${maybe(byName.get(name), whole)}`,
    ten: ({ offset = 0 }) => `"queryPackage":${list(all.slice(offset, offset + 10), withMaintainer)}`,
    section: ({ section, offset = 0 }) =>
      `"queryPackage":${list((sizedBySection.get(section) ?? []).slice(offset, offset + 10), sizedWithMaintainer)}`,
    threeLevels,
    aggregate: ({ section }) => `"aggregatePackage":${measures(bySection.get(section) ?? [])}`,
    bySize: ({ offset = 0 }) => `"queryPackage":${list(bySize.slice(offset, offset + 10), sized)}`,
    tag: ({ tag }) => `"queryPackage":${list(firstLarge(byTag.get(tag) ?? []), withFive)}`,
  };
}

function whole({ name, version, section, installedSizeKiB, summary }: DebianPackage): string {
  const text = JSON.stringify;
  return `{"name":${text(name)},"version":${text(version)},"section":${text(section)},"installedSizeKiB":${installedSizeKiB},"summary":${text(summary ?? null)}}`;
}

function withMaintainer({ name, version, maintainer }: DebianPackage): string {
  return `{"name":${JSON.stringify(name)},"version":${JSON.stringify(version)},"maintainer":${person(maintainer)}}`;
}

function sizedWithMaintainer({ name, installedSizeKiB, maintainer }: DebianPackage): string {
  return `{"name":${JSON.stringify(name)},"installedSizeKiB":${installedSizeKiB},"maintainer":${person(maintainer)}}`;
}

function sized({ name, installedSizeKiB }: DebianPackage): string {
  return `{"name":${JSON.stringify(name)},"installedSizeKiB":${installedSizeKiB}}`;
}

function withFive({ name, installedSizeKiB, dependsOn }: DebianPackage): string {
  const five = list(partners(memory, dependsOn).slice(0, 5), (each) => `{"name":${JSON.stringify(each.name)}}`);
  return `{"name":${JSON.stringify(name)},"installedSizeKiB":${installedSizeKiB},"dependsOn":${five}}`;
}

function person({ email, name }: DebianPackage["maintainer"]): string {
  return `{"email":${JSON.stringify(email)},"name":${JSON.stringify(name)}}`;
}

function levels(node: DebianPackage, below: number): string {
  if (below === 0) return `{"name":${JSON.stringify(node.name)}}`;
  return `{"name":${JSON.stringify(node.name)},"dependsOn":${list(partners(memory, node.dependsOn), (each) => levels(each, below - 1))}}`;
}

function measures(packages: readonly DebianPackage[]): string {
  let max = 0;
  let sum = 0;
  for (const { installedSizeKiB } of packages) {
    if (installedSizeKiB > max) max = installedSizeKiB;
    sum += installedSizeKiB;
  }
  return `{"count":${packages.length},"installedSizeKiBMax":${max},"installedSizeKiBAvg":${sum / packages.length}}`;
}

function firstLarge(packages: readonly DebianPackage[]): readonly DebianPackage[] {
  const found: DebianPackage[] = [];
  for (const each of packages) {
    if (each.installedSizeKiB > 10_240 && found.push(each) === 10) break;
  }
  return found;
}

function list<T>(values: readonly T[], write: (value: T) => string): string {
  return `[${values.map(write).join(",")}]`;
}

function maybe<T>(value: T | undefined, write: (value: T) => string): string {
  return value === undefined ? "null" : write(value);
}
