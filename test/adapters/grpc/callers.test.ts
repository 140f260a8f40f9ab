// Who may call over gRPC, and what a call may take.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials, Metadata, status } from "@grpc/grpc-js";
import { Check, DgraphClient, DgraphClientStub, Request } from "dgraph-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { aclPlugin } from "../../../plugins/acl/index.ts";
import { firstCertificate } from "../../support/certificates.ts";
import { eventually } from "../../support/eventually.ts";
import { failure, grpcStack, rdf } from "./stack.ts";

const token = "a-token-of-more-than-32-characters-0123456789";
const all = "{ q(func: type(Sailor)) { Sailor.name } }";
const addAnn = () => rdf('_:a <Sailor.name> "Ann" .\n_:a <dgraph.type> "Sailor" .', { commitNow: true });

function stubAt(
  address: string,
  ...rest: ConstructorParameters<typeof DgraphClientStub> extends [unknown?, ...infer Rest] ? Rest : never
): DgraphClientStub {
  const stub = new DgraphClientStub(address, ...rest);
  onTestFinished(() => stub.close());
  return stub;
}

async function certificateFiles() {
  const folder = await mkdtemp(join(tmpdir(), "quern-grpc-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  await Promise.all([writeFile(certFile, firstCertificate.cert), writeFile(keyFile, firstCertificate.key)]);
  return { certFile, keyFile };
}

/** Facts of a request with the header x-slow never come. */
function slowPlugin() {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const plugin: DirectivePlugin = {
    name: "slow",
    definitions: "",
    model: () => ({
      request: ({ headers }) => {
        if (headers["x-slow"] === undefined) return {};
        begin();
        return new Promise(() => undefined);
      },
    }),
  };
  return { plugin, begun };
}

function slow(): Metadata {
  const metadata = new Metadata();
  metadata.set("x-slow", "yes");
  return metadata;
}

describe("a caller over gRPC", () => {
  it("needs the admin token, and a wrong one does not do", async () => {
    const { client } = await grpcStack(undefined, { config: { admin: { token } } });
    const metadata = new Metadata();
    expect(await failure(client.newTxn().query(all))).toMatchObject({ code: status.PERMISSION_DENIED });
    metadata.set("auth-token", token);
    expect((await client.newTxn().query(all, metadata)).getJson()).toEqual({ q: [] });
    metadata.set("auth-token", `${token}x`);
    expect(await failure(client.newTxn().query(all, metadata))).toMatchObject({ code: status.PERMISSION_DENIED });
  });

  it("sends the admin token as `bearertoken` over TLS, which plain connections do not reach", async () => {
    const { address } = await grpcStack(undefined, { tls: await certificateFiles(), config: { admin: { token } } });
    const channel = credentials.createSsl(Buffer.from(firstCertificate.cert));
    const bearer = credentials.createFromMetadataGenerator((_, callback) => {
      const metadata = new Metadata();
      metadata.set("authorization", `Bearer ${token}`);
      callback(null, metadata);
    });
    const client = new DgraphClient(stubAt(address, credentials.combineChannelCredentials(channel, bearer)));
    expect((await client.newTxn().query(all)).getJson()).toEqual({ q: [] });
    expect(await failure(stubAt(address).checkVersion(new Check()))).toMatchObject({ code: status.UNAVAILABLE });
  });

  it("logs in under access control, and again by its refresh token when its access token has expired", async () => {
    const plugins = [...standardPlugins(), aclPlugin({ secret: "x".repeat(32), accessTtlMs: 1_000 })];
    const { stub, client } = await grpcStack(undefined, { config: { plugins } });
    expect(await failure(stub.query(new Request()))).toMatchObject({ code: status.UNAUTHENTICATED });
    expect(await failure(stub.login("groot", "wrong"))).toMatchObject({ code: status.UNKNOWN, details: "invalid username or password" });
    await stub.login("groot", "password");
    await client.newTxn().mutate(addAnn());
    // The stub itself does not log in again; the client does.
    await eventually(async () => expect(await failure(stub.query(new Request()))).toMatchObject({ code: status.UNAUTHENTICATED }));
    expect((await client.newTxn().query(all)).getJson()).toEqual({ q: [{ "Sailor.name": "Ann" }] });
  });

  it("sends no message that is longer than the server reads", async () => {
    const { client } = await grpcStack(undefined, { maxMessageBytes: 1_000 });
    await client.newTxn().mutate(addAnn());
    expect(await failure(client.newTxn().query(`${all} # ${"x".repeat(1_000)}`))).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it("is told when its deadline has passed, and others on its connection are answered meanwhile", async () => {
    const { plugin, begun } = slowPlugin();
    const { client, stub } = await grpcStack(undefined, { config: { plugins: [...standardPlugins(), plugin] } });
    const late = failure(client.newTxn().query(all, slow(), { deadline: Date.now() + 2_000 }));
    await begun;
    expect((await client.newTxn().query(all)).getJson()).toEqual({ q: [] });
    expect((await stub.checkVersion(new Check())).getTag()).not.toBe("");
    expect(await late).toMatchObject({ code: status.DEADLINE_EXCEEDED });
  });

  it("loses its call when the server closes and the time for the last calls is over", async () => {
    const { plugin, begun } = slowPlugin();
    const { client, stub, close } = await grpcStack(undefined, { config: { plugins: [...standardPlugins(), plugin] } });
    const open = failure(client.newTxn().query(all, slow()));
    await begun;
    await close(50);
    expect(await open).toMatchObject({ code: expect.toSatisfy((code) => code === status.CANCELLED || code === status.UNAVAILABLE) });
    expect(await failure(stub.checkVersion(new Check()))).toMatchObject({ code: status.UNAVAILABLE });
  });
});
