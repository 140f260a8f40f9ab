import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findMongod } from "./find-mongod.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-path-"));
const onPath = join(folder, "mongod");
writeFileSync(onPath, "");
chmodSync(onPath, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

const PATH = ["/nowhere", folder].join(delimiter);
const uri = { QUERN_TEST_MONGODB_URI: "mongodb://127.0.0.1/?replicaSet=a" };
const named = { QUERN_TEST_MONGOD: "/opt/mongod" };
const download = { QUERN_TEST_MONGOD_DOWNLOAD: "7.0.14" };

it.each([
  ["a server that is given, before all", { ...uri, ...named, ...download, PATH }, { kind: "uri", uri: uri.QUERN_TEST_MONGODB_URI }],
  ["a binary that is named, before one on the path", { ...named, ...download, PATH }, { kind: "binary", path: "/opt/mongod" }],
  ["one on the path, before a download", { ...download, PATH }, { kind: "binary", path: onPath }],
  ["a download, when asked for", { ...download, PATH: "/nowhere" }, { kind: "download", version: "7.0.14" }],
  ["none, never a download unasked", { PATH: "/nowhere" }, undefined],
  ["none, where names are empty", { QUERN_TEST_MONGODB_URI: "", QUERN_TEST_MONGOD: "", QUERN_TEST_MONGOD_DOWNLOAD: "", PATH: "" }, undefined],
])("finds %s", (_what, env, found) => {
  expect(findMongod(env)).toEqual(found);
});
