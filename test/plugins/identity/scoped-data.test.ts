// Keys within a scope over the life of the data: deploys that add, change and drop the scope, exports and imports.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import {
  type ExportFormat,
  importExport,
  kernelDestination,
  openDgraphExport,
  openOwnExport,
  writeExport,
} from "../../../adapters/transfer/index.ts";
import { prepareDeployment } from "../../../core/index.ts";
import { ask, loadText, temporaryFolder } from "../../adapters/transfer/small-exports.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

async function started(schema: string) {
  const stack = await temporaryKernel();
  onTestFinished(() => stack.remove());
  await stack.kernel.deploy(schema);
  const send = async (query: string): Promise<{ readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] }> =>
    JSON.parse((await stack.kernel.execute({ query })).body);
  const refusal = (next: string) =>
    stack.kernel.deploy(next).then(
      () => undefined,
      (thrown: { readonly code: string; readonly message: string }) => thrown,
    );
  const verified = async () => (await stack.kernel.storage.verify()).faults;
  return { stack, send, refusal, verified };
}

/** Imports what `writeExport` has written. */
async function imported({ kernel }: TemporaryKernel, folder: string, format: ExportFormat) {
  const source = format === "ndjson" ? await openOwnExport(folder) : await openDgraphExport(folder, undefined);
  const work = join(temporaryFolder(), "scratch");
  await mkdir(work);
  return importExport({
    source,
    prepared: prepareDeployment(source.schemas.get(0) ?? "", standardPlugins()),
    destination: kernelDestination(kernel, (text, how) => kernel.deploy(text, how)),
    folder: work,
    namespace: 0,
    newUids: false,
    judge: () => undefined,
    progress: () => undefined,
  });
}

const plain = "type Doc { id: ID!  tenant: String @search(by: [hash])  slug: String  text: String }";
const global = "type Doc { id: ID!  tenant: String @search(by: [hash])  slug: String @id  text: String }";
const scoped = 'type Doc { id: ID!  tenant: String @search(by: [hash])  slug: String @id(within: ["tenant"])  text: String }';
const doc = (tenant: string, slug: string) => `{ tenant: "${tenant}", slug: "${slug}", text: "${tenant} ${slug}" }`;
const add = (...docs: readonly string[]) => `mutation { addDoc(input: [${docs.join(", ")}]) { numUids } }`;

describe("a deploy", () => {
  it("that adds a key within a scope is refused over duplicates, which it names, and builds it over the rest", async () => {
    const { send, refusal, verified } = await started(plain);
    await send(add(doc("a", "x"), doc("b", "x"), doc("a", "y"), doc("a", "x"), '{ slug: "x" }', '{ slug: "x" }'));
    const refused = await refusal(scoped);
    expect(refused?.code).toBe("MIGRATION_REFUSED");
    expect(refused?.message).toMatch(/^Doc.slug and Doc.tenant must be unique, but "x", "a" is held by 0x\w+ and 0x\w+$/);
    await send('mutation { updateDoc(input: { filter: { tenant: { eq: "a" } }, remove: { tenant: "a" } }) { numUids } }');
    expect(await refusal(scoped)).toBeUndefined();
    expect((await send('{ getDoc(tenant: "b", slug: "x") { text } }')).data).toEqual({ getDoc: { text: "b x" } });
    expect((await send(add(doc("b", "x")))).errors).toHaveLength(1);
    expect((await send(add(doc("a", "x"), doc("a", "y")))).errors).toBeUndefined();
    expect(await verified()).toEqual([]);
  });

  it("gives a key of the whole type a scope, and takes it away only when no value is held twice", async () => {
    const { send, refusal, verified } = await started(global);
    await send(add(doc("a", "x"), doc("a", "y")));
    expect((await send(add(doc("b", "x")))).errors).toHaveLength(1);
    expect(await refusal(scoped)).toBeUndefined();
    expect((await send(add(doc("b", "x")))).errors).toBeUndefined();
    expect((await refusal(global))?.message).toMatch(/^Doc.slug must be unique, but "x" is held by 0x\w+ and 0x\w+$/);
    await send('mutation { deleteDoc(filter: { tenant: { eq: "b" } }) { numUids } }');
    expect(await refusal(global)).toBeUndefined();
    expect((await send('{ getDoc(slug: "x") { text } }')).data).toEqual({ getDoc: { text: "a x" } });
    expect(await refusal(plain)).toBeUndefined();
    expect((await send(add(doc("a", "x")))).errors).toBeUndefined();
    expect(await verified()).toEqual([]);
  });

  it("builds a key within a link over old links", async () => {
    const links = (id: string) =>
      `type Space { name: String! @id  docs: [Doc] @hasInverse(field: space) }\ntype Doc { id: ID!  slug: String ${id}  space: Space }`;
    const { send, refusal, verified } = await started(links(""));
    const put = (slug: string, space: string) => send(`mutation { addDoc(input: [{ slug: "${slug}", space: { name: "${space}" } }]) { numUids } }`);
    for (const [slug, space] of [
      ["x", "a"],
      ["x", "b"],
      ["x", "a"],
    ] as const)
      await put(slug, space);
    expect((await refusal(links('@id(within: ["space"])')))?.message).toMatch(
      /^Doc.slug and Doc.space must be unique, but "x", 0x\w+ is held by 0x\w+ and 0x\w+$/,
    );
    await send('mutation { deleteSpace(filter: { name: { eq: "a" } }) { numUids } }');
    expect(await refusal(links('@id(within: ["space"])'))).toBeUndefined();
    expect((await send('{ getDoc(slug: "x", space: { name: "b" }) { slug space { name } } }')).data).toEqual({
      getDoc: { slug: "x", space: { name: "b" } },
    });
    expect((await put("x", "b")).errors).toHaveLength(1);
    expect(await verified()).toEqual([]);
  });
});

describe("an export and its import", () => {
  const schema = `
    type Space { name: String! @id  docs: [Doc] @hasInverse(field: space) }
    type Doc { id: ID!  tenant: String  slug: String @id(within: ["tenant"])  label: String @id(within: ["space"])  space: Space }`;

  it.each(["ndjson", "rdf", "json"] as const)("as %s keep equal keys of different scopes", async (format) => {
    const { stack, send } = await started(schema);
    const one = (tenant: string, space: string) => `{ tenant: "${tenant}", slug: "x", label: "l", space: { name: "${space}" } }`;
    await send(`mutation { addDoc(input: [${one("a", "s")}, ${one("b", "t")}, ${one("c", "u")}]) { numUids } }`);
    const { storage, deployment } = stack.kernel;
    if (!deployment) throw new Error("no schema");
    const folder = join(temporaryFolder(), "out");
    await writeExport({ storage, deployment, folder, format, gzip: false, progress: () => undefined });
    const other = await started(schema);
    expect((await imported(other.stack, folder, format)).written).toBe(true);
    const all = "{ queryDoc { tenant slug label space { name } } }";
    expect((await other.send(all)).data).toEqual((await send(all)).data);
    expect((await other.send(`mutation { addDoc(input: [${one("a", "v")}]) { numUids } }`)).errors).toHaveLength(1);
    expect((await other.send(`mutation { addDoc(input: [${one("d", "s")}]) { numUids } }`)).errors).toHaveLength(1);
    expect((await other.send('{ getDoc(label: "l", space: { name: "t" }) { tenant } }')).data).toEqual({ getDoc: { tenant: "b" } });
    expect(await other.verified()).toEqual([]);
  });

  it("leaves the key of one of two objects that have it in one scope, and what the other is within", async () => {
    const stack = await temporaryKernel();
    onTestFinished(() => stack.remove());
    const lines = [1, 2, 3].flatMap((n) => [
      `<0x${n}> <dgraph.type> "Doc"`,
      `<0x${n}> <Doc.tenant> "${n === 3 ? "b" : "a"}"`,
      `<0x${n}> <Doc.slug> "x"`,
      `<0x${n}> <Doc.label> "l"`,
      `<0x${n}> <Doc.space> <0x${n === 2 ? 4 : 5}>`,
    ]);
    const spaces = [4, 5].flatMap((n) => [`<0x${n}> <dgraph.type> "Space"`, `<0x${n}> <Space.name> "s${n}"`]);
    await loadText(stack, { schema, rdf: [...lines, ...spaces].join("\n") });
    expect(await ask(stack, "{ queryDoc { tenant slug label space { name } } }")).toEqual({
      queryDoc: [
        { tenant: "a", slug: "x", label: "l", space: { name: "s5" } },
        { tenant: "a", slug: null, label: "l", space: { name: "s4" } },
        { tenant: "b", slug: "x", label: null, space: { name: "s5" } },
      ],
    });
    expect((await stack.kernel.storage.verify()).faults).toEqual([]);
  });
});
