// A server that is killed at any moment leaves nothing for good: the next one ends what was begun.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Upload } from "tus-js-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { folderFiles } from "../../../plugins/files/index.ts";
import { builtProgram } from "../../support/built-program.ts";
import { newPlace, type Place } from "../../support/storage.ts";
import { kept, newFolder } from "./served.ts";

interface Running {
  readonly url: string;
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
}

interface StartOptions {
  readonly place: Place;
  readonly folder: string;
  /** When it kills itself. */
  readonly moment?: string;
  /** How long uploads wait. */
  readonly lastsMs?: number;
}

async function started({ place: { address }, folder, moment = "", lastsMs = 3_600_000 }: StartOptions): Promise<Running> {
  const args = [builtProgram(new URL("killed-program.ts", import.meta.url)), address, folder, String(lastsMs), moment];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  if (child.stdout === null) throw new Error("The server has no output.");
  for await (const url of createInterface({ input: child.stdout })) return { url, ended, kill };
  throw new Error("The server ended before it listened.");
}

async function places(): Promise<{ readonly place: Place; readonly folder: string }> {
  const place = await newPlace();
  onTestFinished(() => place.remove());
  return { place, folder: await newFolder() };
}

async function upload(url: string): Promise<string> {
  const answer = await fetch(`${url}/files`, { method: "POST", body: "some bytes" });
  return (await answer.json()).upload;
}

async function ask(url: string, query: string): Promise<unknown> {
  const answer = await fetch(`${url}/graphql`, { method: "POST", headers: { "content-type": "application/graphql" }, body: query });
  return (await answer.json()).data;
}

/** Everything in the folder, whole or not. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map(({ name }) => name);
}

describe("a server that is killed", () => {
  it.each(["begun", "half", "written"])("while an upload is %s leaves nothing of it when its time is over", async (moment) => {
    const at = await places();
    const { folder } = at;
    const dying = await started({ ...at, moment, lastsMs: 5_000 });
    await fetch(`${dying.url}/files`, { method: "POST", body: "some bytes" }).catch(() => undefined);
    await dying.ended;
    expect(await filesIn(folder)).toHaveLength(moment === "begun" ? 0 : 1);
    const next = await started(at);
    await expect.poll(() => filesIn(folder)).toEqual([]);
    expect(await ask(next.url, "{ queryPhoto { id } }")).toEqual({ queryPhoto: [] });
  });

  it.each(["unremoved", "removed"])("when the bytes of a deleted object are %s is followed by one that ends it", async (moment) => {
    const at = await places();
    const { folder } = at;
    const dying = await started({ ...at, moment });
    const ticket = await upload(dying.url);
    await ask(dying.url, `mutation { addPhoto(input: [{ image: { upload: "${ticket}" } }]) { numUids } }`);
    await ask(dying.url, "mutation { deletePhoto(filter: {}) { numUids } }").catch(() => undefined);
    await dying.ended;
    expect(await filesIn(folder)).toHaveLength(moment === "removed" ? 0 : 1);
    const next = await started(at);
    await expect.poll(() => filesIn(folder)).toEqual([]);
    expect(await ask(next.url, "{ queryPhoto { id } }")).toEqual({ queryPhoto: [] });
  });

  it.each(["written 2", "written 4"])(
    "amid a resumable upload, when piece or whole is %s, is followed by one on which it goes on",
    async (moment) => {
      const at = await places();
      const dying = await started({ ...at, moment });
      // Two pieces and a rest, and then the whole.
      const bytes = randomBytes(12 * 1024 * 1024);
      const headers = { "tus-resumable": "1.0.0" };
      const create = { method: "POST", headers: { ...headers, "upload-length": String(bytes.byteLength) } };
      const path = (await fetch(`${dying.url}/files/resumable`, create)).headers.get("location") ?? "";
      const body = { "upload-offset": "0", "content-type": "application/offset+octet-stream" };
      await fetch(dying.url + path, { method: "PATCH", headers: { ...headers, ...body }, body: bytes }).catch(() => undefined);
      await dying.ended;
      const next = await started(at);
      const { headers: found } = await fetch(next.url + path, { method: "HEAD", headers });
      expect(found.get("upload-offset")).toBe(moment === "written 2" ? "5242880" : String(bytes.byteLength));
      await new Promise<void>((resolve, reject) => {
        new Upload(bytes, { uploadUrl: next.url + path, retryDelays: null, onSuccess: () => resolve(), onError: reject }).start();
      });
      const ticket = path.split("/").at(-1);
      await ask(next.url, `mutation { addPhoto(input: [{ image: { upload: "${ticket}" } }]) { numUids } }`);
      const { queryPhoto } = (await ask(next.url, "{ queryPhoto { image { url } } }")) as { queryPhoto: readonly { image: { url: string } }[] };
      const answer = await fetch(next.url + queryPhoto[0]?.image.url);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    },
  );

  it("after the commit of an add leaves the file to its object", async () => {
    const at = await places();
    const { folder } = at;
    const first = await started(at);
    const ticket = await upload(first.url);
    await ask(first.url, `mutation { addPhoto(input: [{ image: { upload: "${ticket}" } }]) { numUids } }`);
    await first.kill();
    const next = await started(at);
    const { queryPhoto } = (await ask(next.url, "{ queryPhoto { image { url bytes } } }")) as { queryPhoto: readonly { image: { url: string } }[] };
    expect(await (await fetch(next.url + queryPhoto[0]?.image.url)).text()).toBe("some bytes");
    expect(await kept(folderFiles({ path: folder }))).toEqual([10]);
  });
});
