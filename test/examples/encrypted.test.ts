// `@encrypted` of the examples: what is stored, what callers get, and how keys change.

import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { standardPlugins } from "../../adapters/cli/stack/standard-stack.ts";
import type { LogEntry } from "../../core/index.ts";
import { decrypt, type EncryptedOptions, encrypt, encryptedPlugin } from "../../examples/encrypted-plugin/encrypted-plugin.ts";
import { eventually } from "../support/eventually.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

const key = (id: string) => ({ id, bytes: randomBytes(32) });
const schema = `
  type Patient { name: String! @id  diagnosis: String @encrypted  visits: [Visit] @hasInverse(field: patient) }
  type Visit { note: String @encrypted @default(add: { value: "none" }) @length(max: 10)  patient: Patient  room: String }`;

const configOf = (options: EncryptedOptions, more: TemporaryConfig = {}): TemporaryConfig => ({
  ...more,
  plugins: [...standardPlugins(), encryptedPlugin(options)],
});

async function start(options: EncryptedOptions, text = schema, more: TemporaryConfig = {}): Promise<void> {
  stack = await temporaryKernel(configOf(options, more));
  await stack.kernel.deploy(text);
}

async function restart(options: EncryptedOptions, more: TemporaryConfig = {}): Promise<void> {
  stack = await stack?.restart(configOf(options, more));
}

async function ask(query: string) {
  const { data, errors } = JSON.parse((await stack?.kernel.execute({ query }))?.body ?? "{}");
  return errors ? { data, errors: errors.map(({ message }: { message: string }) => message) } : data;
}

async function stored(type: string, field: string): Promise<readonly unknown[]> {
  const snapshot = stack?.kernel.storage.snapshot({ version: stack.kernel.deployment?.version ?? 0 });
  try {
    return (await snapshot?.find({ types: [type], fields: [`${type}.${field}`] }))?.columns[0] ?? [];
  } finally {
    snapshot?.close();
  }
}

const add =
  'mutation { addPatient(input: [{ name: "Ada", diagnosis: "hay fever", visits: [{ note: "short" }, { room: "9" }] }]) { patient { diagnosis visits { note } } } }';
const first = key("first");

describe("@encrypted", () => {
  it("stores no plain text, values of other plugins included, and shows it", async () => {
    await start({ current: first });
    const patient = [{ diagnosis: "hay fever", visits: [{ note: "short" }, { note: "none" }] }];
    expect(await ask(add)).toEqual({ addPatient: { patient } });
    expect(await ask("{ queryPatient { diagnosis visits { note } } }")).toEqual({ queryPatient: patient });
    const notes = [...(await stored("Visit", "note")), ...(await stored("Patient", "diagnosis"))];
    expect(notes).toEqual(Array(3).fill(expect.stringMatching(/^encrypted:first:[\w-]{40,}$/)));
    expect(await stored("Visit", "room")).toEqual([undefined, "9"]);
  });

  it("stores the same text differently each time, and encrypts what looks encrypted", async () => {
    await start({ current: first });
    const sealed = encrypt("of somebody else", "Patient.diagnosis", first);
    await ask(
      `mutation { addPatient(input: [{ name: "1", diagnosis: "flu" }, { name: "2", diagnosis: "flu" }, { name: "3", diagnosis: "${sealed}" }]) { numUids } }`,
    );
    expect(new Set(await stored("Patient", "diagnosis")).size).toBe(3);
    expect(await ask('{ getPatient(name: "3") { diagnosis } }')).toEqual({ getPatient: { diagnosis: sealed } });
  });

  it("checks lengths on the plain text, keeps null, and clears", async () => {
    await start({ current: first });
    expect(await ask('mutation { addVisit(input: [{ note: "longer than ten" }]) { numUids } }')).toMatchObject({
      errors: [expect.stringContaining("note")],
    });
    await ask(add);
    await ask('mutation { updatePatient(input: { filter: { name: { eq: "Ada" } }, remove: { diagnosis: null } }) { numUids } }');
    expect(await ask("{ queryPatient { diagnosis } queryVisit(filter: { has: note }) { note } }")).toEqual({
      queryPatient: [{ diagnosis: null }],
      queryVisit: [{ note: "short" }, { note: "none" }],
    });
  });

  it("refuses fields that are no texts, and filters", async () => {
    await start({ current: first }, "type Other { a: Int }");
    await expect(stack?.kernel.deploy("type A { n: Int @encrypted  l: [String] @encrypted }")).rejects.toThrow(
      /Field n: @encrypted is for String fields[\s\S]*Field l: @encrypted is for String fields/,
    );
    await expect(stack?.kernel.deploy("type A { t: String @encrypted @search(by: [term]) }")).rejects.toThrow('the plugin "search" cannot index it');
  });

  it("moves no stored text to another field, and accepts no changed one", () => {
    const keys = new Map([[first.id, first.bytes]]);
    const text = encrypt("flu", "Patient.diagnosis", first);
    expect(decrypt(text, "Patient.diagnosis", keys)).toBe("flu");
    expect(() => decrypt(text, "Visit.note", keys)).toThrow();
    expect(() => decrypt(`${text.slice(0, -2)}${text.endsWith("AA") ? "BB" : "AA"}`, "Patient.diagnosis", keys)).toThrow();
  });
});

describe("a new key of @encrypted", () => {
  it("encrypts all texts anew after the restart, while they are read; then the old key is not needed", async () => {
    await start({ current: first });
    await ask(add);
    const second = key("second");
    await restart({ current: second, former: [first] });
    const patient = [{ diagnosis: "hay fever", visits: [{ note: "short" }, { note: "none" }] }];
    expect(await ask("{ queryPatient { diagnosis visits { note } } }")).toEqual({ queryPatient: patient });
    const keysNow = async () =>
      [...(await stored("Visit", "note")), ...(await stored("Patient", "diagnosis"))].map((each) => String(each).split(":")[1]);
    await eventually(async () => expect(await keysNow()).toEqual(["second", "second", "second"]));
    await restart({ current: second });
    expect(await ask("{ queryPatient { diagnosis visits { note } } }")).toEqual({ queryPatient: patient });
  });

  it("encrypts what was stored before the field had the directive", async () => {
    await start({ current: first }, schema.replaceAll("@encrypted", ""));
    await ask(add);
    expect(await stored("Patient", "diagnosis")).toEqual(["hay fever"]);
    await stack?.kernel.deploy(schema);
    expect((await ask("{ queryPatient { diagnosis } }")).queryPatient).toEqual([{ diagnosis: "hay fever" }]);
    await eventually(async () => expect(await stored("Patient", "diagnosis")).toEqual([expect.stringMatching(/^encrypted:first:/)]));
    expect((await ask("{ queryPatient { diagnosis } }")).queryPatient).toEqual([{ diagnosis: "hay fever" }]);
  });

  it("without the former key shows null with an error, and the log names the key; other fields are shown", async () => {
    await start({ current: first });
    await ask(add);
    const entries: LogEntry[] = [];
    await restart({ current: key("second") }, { log: { to: { write: (entry) => void entries.push(entry) } } });
    expect(await ask("{ queryPatient { name diagnosis } }")).toEqual({
      data: { queryPatient: [{ name: "Ada", diagnosis: null }] },
      errors: [expect.stringContaining('the plugin "encrypted" failed')],
    });
    expect(entries.map(({ message }) => message)).toContainEqual(expect.stringContaining("there is no key first"));
  });
});
