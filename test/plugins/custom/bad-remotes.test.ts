// Remote services that fail in every way: that field's error, the others answered, nothing leaked, bounded memory.

import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type CustomOptions, customPlugin } from "../../../plugins/custom/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { eventually } from "../../support/eventually.ts";
import { compatibleKernel, type TemporaryConfig, type TemporaryKernel } from "../../support/kernel.ts";
import { type Answer, json, type Remote, remote } from "./remote.ts";

const open: { remove(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.remove();
});

async function service(answer: Answer): Promise<Remote> {
  const started = await remote(answer);
  open.push({ remove: () => started.close() });
  return started;
}

async function start(schema: string, options: CustomOptions = {}, limits: TemporaryConfig["limits"] = {}) {
  const stack: TemporaryKernel = await compatibleKernel({ plugins: [identityPlugin(), customPlugin(options)], limits });
  open.unshift(stack);
  await stack.kernel.deploy(schema);
  return async (query: string, headers = {}) => JSON.parse((await stack.kernel.execute({ query, headers })).body);
}

const failed = (reason: string, field = "bad") =>
  `Evaluation of custom field failed because external request returned an error: ${reason} for field: ${field} within type: Query.`;

/** A good field beside the bad one. */
const two = (bad: string, good: string) => `
  type Note { text: String }
  type Query {
    bad: String @custom(http: { url: "${bad}", method: GET })
    good: String @custom(http: { url: "${good}", method: GET })
  }`;

async function answered(bad: Answer, options: CustomOptions = {}) {
  const [worse, better] = [await service(bad), await service(json("good"))];
  const ask = await start(two(`${worse.url}/r`, better.url), options);
  const { data, errors } = await ask("{ bad good }");
  expect(data).toEqual({ bad: null, good: "good" });
  return (errors as { message: string }[]).map(({ message }) => message);
}

describe("a remote service", () => {
  it("that never answers is given up after timeoutMs", async () => {
    expect(await answered(() => {}, { timeoutMs: 1_000 })).toEqual([failed("no reply within 1000 ms")]);
  });

  it("that answers a byte at a time is given up after timeoutMs", async () => {
    const slowly: Answer = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    };
    expect(await answered(slowly, { timeoutMs: 1_000 })).toEqual([failed("no reply within 1000 ms")]);
  });

  it("that sends without an end is cut off at maxResponseBytes", async () => {
    const endless: Answer = (_request, response) => {
      const chunk = Buffer.alloc(65_536, 32);
      const more = () => {
        while (response.write(chunk));
        response.once("drain", more);
      };
      more();
    };
    const before = process.memoryUsage().rss;
    expect(await answered(endless, { maxResponseBytes: 1_000_000 })).toEqual([failed("the reply is longer than 1000000 bytes")]);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it("that announces more than maxResponseBytes is not read at all", async () => {
    const long: Answer = (_request, response) => {
      response.writeHead(200, { "content-length": "1000001" });
      response.write('"');
    };
    expect(await answered(long, { maxResponseBytes: 1_000_000 })).toEqual([failed("the reply is longer than 1000000 bytes")]);
  });

  it("that compresses its reply unasked is that field's error: nothing is inflated", async () => {
    const compressed: Answer = (request, response) => {
      expect(request.headers["accept-encoding"]).toBeUndefined();
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('"small"'));
    };
    expect(await answered(compressed)).toEqual([failed("the reply is compressed, though the request did not ask for it")]);
  });

  it("whose replies to one operation are too long together is read up to maxOperationBytes", async () => {
    const text = JSON.stringify("x".repeat(50_000));
    const long = await service((_request, response) => void response.end(text));
    const ask = await start(
      `type Hive { no: Int! @id  note: String @custom(http: { url: "${long.url}/$no", method: GET }) }
       type Query { bad: String @custom(http: { url: "${long.url}", method: GET }) }`,
      { maxOperationBytes: 1_000_000 },
    );
    await ask(`mutation { addHive(input: [${Array.from({ length: 100 }, (_, no) => `{ no: ${no} }`)}]) { numUids } }`);
    const { data, errors } = await ask("{ queryHive { note } }");
    const notes = data.queryHive.filter(({ note }: { note: string | null }) => note !== null);
    expect(notes.length).toBeGreaterThan(0);
    expect(notes.length).toBeLessThanOrEqual(20);
    expect(errors).toHaveLength(100 - notes.length);
    expect(errors[0].message).toContain("the replies to one operation are longer than 1000000 bytes together");
    // The bound is that of one operation, not of all.
    for (let i = 0; i < 30; i++) expect((await ask("{ bad }")).data.bad).toHaveLength(50_000);
  });

  it("whose replies to requests that follow one another in one operation are too long together is read up to maxOperationBytes", async () => {
    const text = JSON.stringify("x".repeat(400_000));
    const long = await service((_request, response) => void response.end(text));
    const bad = `bad: String @custom(http: { url: "${long.url}", method: POST })`;
    const ask = await start(`type Query { ${bad} }  type Mutation { ${bad} }`, { maxOperationBytes: 1_000_000 });
    const { data, errors } = await ask("mutation { a: bad b: bad c: bad }");
    expect([data.a.length, data.b.length, data.c]).toEqual([400_000, 400_000, null]);
    expect(errors).toHaveLength(1);
    expect(errors[0].message).toContain("the replies to one operation are longer than 1000000 bytes together");
  });

  it("that never answers is given up when the time of the operation is over, and the message says so", async () => {
    const [worse, better] = [await service(() => {}), await service(json("good"))];
    const ask = await start(two(worse.url, better.url), {}, { maxTimeMs: 1_500 });
    const { data, errors } = await ask("{ bad good }");
    expect(data).toEqual({ bad: null, good: "good" });
    expect(errors.map(({ message }: { message: string }) => message)).toEqual([
      failed("no reply before the time of the operation was over (limits.maxTimeMs)"),
    ]);
  });

  it("that announces more than it sends, or closes early, is that field's error", async () => {
    const short: Answer = (request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('"ha');
      setTimeout(() => request.socket.destroy(), 20);
    };
    expect(await answered(short)).toEqual([expect.stringContaining("external request returned an error")]);
    expect(await answered((request) => void request.socket.destroy())).toEqual([failed("the connection was closed")]);
  });

  it("that sends what is no HTTP is that field's error, which shows nothing of it", async () => {
    const [message] = await answered((request) => void request.socket.end("SSH-2.0-secret_banner\r\n"));
    expect(message).toContain("external request returned an error");
    expect(message).not.toContain("banner");
  });

  it.each([
    ["half of a JSON text", '{"a": [1'],
    ["HTML", "<p>internal host db-7</p>"],
    ["two values", '"a" "b"'],
    ["nothing", ""],
  ])("that sends %s is that field's error, which shows nothing of it", async (_what, text) => {
    const [message] = await answered((_request, response) => void response.end(text));
    expect(message).toContain("json unmarshalling result of external request failed");
    expect(message).not.toContain("db-7");
  });

  it("that redirects without an end is asked six times", async () => {
    const worse = await service((_request, response) => void response.writeHead(302, { location: "/again" }).end());
    const ask = await start(two(worse.url, worse.url));
    const { errors } = await ask("{ bad }");
    expect(errors[0].message).toBe(failed("more than 5 redirects"));
    expect(worse.received).toHaveLength(6);
  });

  it("that redirects to no HTTP address is that field's error", async () => {
    expect(await answered((_request, response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end())).toEqual([
      failed("a redirect leads to no HTTP address"),
    ]);
  });

  it("that redirects to another origin gives it no secret and no header of the client", async () => {
    const other = await service(json("there"));
    const first = await service((_request, response) => void response.writeHead(307, { location: `${other.url}/x` }).end());
    const ask = await start(`
      type Note { text: String }
      type Query { bad: String @custom(http: { url: "${first.url}", method: GET, secretHeaders: ["X-Key:KEY"], forwardHeaders: ["X-Who"] }) }
      # Service.Secret KEY "s3cret"
    `);
    expect((await ask("{ bad }", { "x-who": "ann" })).data).toEqual({ bad: "there" });
    expect(first.headers()).toMatchObject({ "x-key": "s3cret", "x-who": "ann" });
    expect([other.headers()["x-key"], other.headers()["x-who"]]).toEqual([undefined, undefined]);
  });

  it("gives many parents their values over few connections", async () => {
    let [running, most] = [0, 0];
    const counted = await service((request, response) => {
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.end(JSON.stringify(request.url));
      }, 2);
    });
    const ask = await start(`type Hive { no: Int! @id  note: String @custom(http: { url: "${counted.url}/$no", method: GET }) }`, {
      maxConcurrent: 8,
    });
    const input = Array.from({ length: 300 }, (_, no) => `{ no: ${no} }`);
    await ask(`mutation { addHive(input: [${input}]) { numUids } }`);
    const { data, errors } = await ask("{ queryHive { no note } }");
    expect(errors).toBeUndefined();
    expect(data.queryHive.every(({ no, note }: { no: number; note: string }) => note === `/${no}`)).toBe(true);
    expect(most).toBeLessThanOrEqual(8);
  });
});

describe("a request", () => {
  it("is broken off when the client has gone", async () => {
    const silent = await service(() => {});
    const stack = await compatibleKernel({ plugins: [identityPlugin(), customPlugin()] });
    open.unshift(stack);
    await stack.kernel.deploy(two(silent.url, silent.url));
    let leave = () => {};
    const answer = stack.kernel.execute({
      query: "{ bad }",
      onGone: (listener) => {
        leave = listener;
      },
    });
    await eventually(() => expect(silent.received).toHaveLength(1));
    leave();
    await answer;
    await eventually(() => expect(silent.gone()).toBe(1));
  });

  it("of a read is sent again after a passing failure, of a mutation never", async () => {
    let left = 2;
    const flaky = await service((_request, response) => {
      if (left-- > 0) response.writeHead(503).end();
      else response.end('"up"');
    });
    const ask = await start(
      `type Note { text: String }
       type Query { bad: String @custom(http: { url: "${flaky.url}", method: GET }) }
       type Mutation { charge: String @custom(http: { url: "${flaky.url}", method: GET }) }`,
      { retries: 2 },
    );
    expect((await ask("{ bad }")).data).toEqual({ bad: "up" });
    left = 1;
    expect((await ask("mutation { charge }")).errors).toHaveLength(1);
    expect(flaky.received).toHaveLength(4);
  });

  it("of a read is sent again when the connection breaks, of a mutation never", async () => {
    let left = 2;
    const broken = await service((request, response) => {
      if (left-- > 0) request.socket.destroy();
      else response.end('"up"');
    });
    const ask = await start(
      `type Note { text: String }
       type Query { bad: String @custom(http: { url: "${broken.url}", method: GET }) }
       type Mutation { charge: String @custom(http: { url: "${broken.url}", method: GET }) }`,
      { retries: 2 },
    );
    expect((await ask("{ bad }")).data).toEqual({ bad: "up" });
    left = 1;
    expect((await ask("mutation { charge }")).errors[0].message).toContain("the connection was closed");
    expect(broken.received).toHaveLength(4);
  });

  it("is not sent again when its reply is too long: that says something about the next one", async () => {
    const long = await service(json("x".repeat(100)));
    const ask = await start(two(long.url, long.url), { retries: 2, maxResponseBytes: 50 });
    expect((await ask("{ bad }")).errors[0].message).toBe(failed("the reply is longer than 50 bytes"));
    expect(long.received).toHaveLength(1);
  });

  it("that one operation makes twice at a time is sent once with dedupe, and values of other operations stay apart", async () => {
    const counted = await service((_request, response) => void setTimeout(() => response.end(`"${counted.received.length}"`), 20));
    const schema = two(`${counted.url}/same`, `${counted.url}/same`);
    const ask = await start(schema, { dedupe: true });
    const [one, other] = await Promise.all([ask("{ bad good }"), ask("{ bad }")]);
    expect(one.data.bad).toBe(one.data.good);
    expect(other.data.bad).toBeTypeOf("string");
    expect(counted.received).toHaveLength(2);
  });
});

describe("an address", () => {
  const refused = (url: string, options: CustomOptions) => start(two(url, url), options).then((ask) => ask("{ bad }"));

  it("of another machine's metadata is never asked, whatever is allowed", async () => {
    const translated = ["[::ffff:169.254.169.254]", "[64:ff9b::169.254.169.254]", "[2002:a9fe:a9fe::1]"];
    for (const host of ["169.254.169.254", "[fe80::1]", ...translated, "2852039166", "0xa9fea9fe", "0.0.0.0"]) {
      const { errors } = await refused(`http://${host}/latest/meta-data`, { allow: ["0.0.0.0/0", "::/0"], timeoutMs: 2_000 });
      expect(errors[0].message, host).toMatch(/the address .* is not permitted/);
    }
  });

  it("on loopback is asked or not as the options say; deny wins", async () => {
    const near = await service(json("near"));
    const { port } = new URL(near.url);
    const asked = async (host: string, options: CustomOptions) => (await refused(`http://${host}:${port}`, options)).data.bad;
    expect(await asked("127.0.0.1", { privateAddresses: false })).toBeNull();
    expect(await asked("localhost", { privateAddresses: false })).toBeNull();
    expect(await asked("127.0.0.1", { privateAddresses: false, allow: ["127.0.0.0/8"] })).toBe("near");
    expect(await asked("localhost", { privateAddresses: false, allow: ["localhost"] })).toBe("near");
    expect(await asked("127.0.0.1", { allow: ["127.0.0.1"], deny: ["127.0.0.1"] })).toBeNull();
  });

  it("is judged again after a redirect", async () => {
    const inner = await service(json("inner"));
    const { port } = new URL(inner.url);
    const outer = await service((_request, response) => void response.writeHead(302, { location: `http://localhost:${port}/` }).end());
    const ask = await start(two(outer.url, outer.url), { deny: ["localhost"] });
    expect((await ask("{ bad }")).errors[0].message).toContain("the address of localhost is not permitted");
    expect(inner.received).toEqual([]);
  });

  it("on loopback is refused by default once the server listens beyond loopback", async () => {
    const near = await service(json("near"));
    const plugin = customPlugin();
    plugin.serving?.({ host: "127.0.0.1" });
    const stack = await compatibleKernel({ plugins: [identityPlugin(), plugin] });
    open.unshift(stack);
    await stack.kernel.deploy(two(near.url, near.url));
    const ask = async () => JSON.parse((await stack.kernel.execute({ query: "{ bad }" })).body).data;
    expect(await ask()).toEqual({ bad: "near" });
    plugin.serving?.({ host: "0.0.0.0" });
    expect(await ask()).toEqual({ bad: null });
  });
});
