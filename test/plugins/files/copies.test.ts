// An administrator's way to bring files into a running server: what it lacks, and no other bytes.

import { describe, expect, it } from "vitest";
import { kernelAccess } from "../../../core/plugin.ts";
import { type FileStore, filesPlugin, folderFiles } from "../../../plugins/files/index.ts";
import { addPhoto, kept, newFolder, type Served, served, transports } from "./served.ts";

/** All that the server lacks, page by page. */
async function lacking({ get }: Served): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const { missing, next }: { readonly missing: readonly { readonly key: string }[]; readonly next: string | null } = await (
      await get(`/files/copies?after=${after}`)
    ).json();
    found.push(...missing.map(({ key }) => key));
    after = next;
  }
  return found;
}

async function keysOf({ store }: Served): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys;
}

describe.each(Object.keys(transports))("over %s", (transport) => {
  it("a server names the files that it lacks, those of uploads that wait too, and takes their bytes and no others", async () => {
    const at = await served({ transport });
    await at.ask(addPhoto, { variables: { title: "a", upload: await at.ticket("taken") } });
    const waiting = await at.ticket("waits!");
    expect(await lacking(at)).toEqual([]);
    const keys = await keysOf(at);
    for (const key of keys) await at.store.remove(key);
    const missing = await lacking(at);
    expect([...missing].sort()).toEqual([...keys].sort());

    const put = async (key: string | undefined, body: string) => (await fetch(`${at.url}/files/copies/${key}`, { method: "PUT", body })).status;
    const [taken, ofUpload] = missing;
    expect([await put(taken, "TAKEN"), await put(taken, "take"), await put(taken, "taken!")]).toEqual([415, 415, 413]);
    expect([await put("0".repeat(40), "taken"), await put("..", "taken")]).toEqual([404, 404]);
    expect(await kept(at.store)).toEqual([]);
    expect([await put(taken, "taken"), await put(ofUpload, "waits!")]).toEqual([201, 201]);
    expect(await lacking(at)).toEqual([]);
    expect((await at.ask(addPhoto, { variables: { title: "b", upload: waiting } })).codes).toEqual([]);
    const { data } = await at.ask('{ queryPhoto(filter: { title: { eq: "a" } }) { image { url } } }');
    expect(await (await at.get(data.queryPhoto[0].image.url)).text()).toBe("taken");
  });
});

it("a copy of files ends when it is aborted, also within a long file, of which nothing is left", async () => {
  const control = new AbortController();
  const folder = await newFolder();
  const own = folderFiles({ path: folder });
  const store: FileStore = {
    name: own.name,
    write: (key, bytes) => own.write(key, bytes),
    size: (key) => own.size(key),
    remove: (key) => own.remove(key),
    list: () => own.list(),
    read: async function* (key, range) {
      for await (const piece of own.read(key, range)) {
        control.abort(new Error("the server stops"));
        yield piece;
      }
    },
  };
  const at = await served({ store });
  await at.ask(addPhoto, { variables: { title: "a", upload: await at.ticket("long") } });
  const to = await newFolder();
  const copy = filesPlugin({ store }).outside?.copyTo(to, kernelAccess(at.kernel, "files"), { signal: control.signal });
  await expect(copy).rejects.toThrow("the server stops");
  expect(await kept(folderFiles({ path: to }))).toEqual([]);
  expect(await kept(store)).toEqual([4]);
});

it("a server whose schema has no files says so", async () => {
  const { get } = await served({ schema: "type Note { text: String }" });
  const { errors } = await (await get("/files/copies")).json();
  expect(errors[0].message).toContain("no field with @file");
});
