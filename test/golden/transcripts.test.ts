// Recorded conversations over WebSockets, frame by frame, on both transports.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import { recordedStack } from "./recorded-stack.ts";
import { compareFrames, type Frame, play, type Transcript, type TranscriptFile } from "./transcript-steps.ts";

const path = goldenPath("transcripts", "subscriptions.json");
const transports = Object.entries({ ws: wsTransport, yoga: yogaTransport });

/** A case in the half that was not handed out has changed what this one sees. */
const unrecorded = {
  before: "two connections with different tokens",
  query: 'mutation { updateRide(input: {filter: {key: {eq: "r2"}}, set: {state: "out"}}) { numUids } }',
};

const file = path === undefined ? undefined : readGolden<TranscriptFile>(path);
const cases = (file?.cases ?? []).filter(({ skip }) => !skip);

/** Silences last as long as they were recorded. These transcripts are played beside the others, so that the run waits once for all of them. */
const waits = ({ steps }: Transcript) => steps.some((step) => [step.silence, step.pause, step.closed].some((ms) => typeof ms === "number"));
const writes = ({ steps }: Transcript) => steps.some((step) => "http" in step);

interface Stack {
  readonly kernel: TemporaryKernel["kernel"];
  readonly url: string;
  end(): Promise<void>;
}

/** A server with the recorded schema and data. */
async function started(transport: (typeof transports)[number][1], { schema, setup }: TranscriptFile): Promise<Stack> {
  const { kernel, remove } = await compatibleKernel({ plugins: recordedStack() });
  await kernel.deploy(schema);
  for (const { query } of setup) expect(JSON.parse((await kernel.execute({ query })).body).errors).toBeUndefined();
  const server = await transport().listen(kernel, { host: "127.0.0.1", port: 0 });
  const end = async () => {
    await server.close(1_000);
    await remove();
  };
  return { kernel, url: server.url, end };
}

const secret = file?.keys.secret ?? "";
const stacks: Stack[] = [];
/** The frames of transcripts that wait, by transport and name. */
const apart = new Map<string, Promise<readonly Frame[]>>();

beforeAll(async () => {
  if (file === undefined) return;
  const begun = transports.map(async ([name, transport]) => {
    const stackOf = async () => {
      const stack = await started(transport, file);
      stacks.push(stack);
      return stack;
    };
    // Those that write nothing share a server: no other transcript's write breaks their silence.
    const shared = await stackOf();
    for (const transcript of cases.filter(waits)) {
      const { url } = writes(transcript) ? await stackOf() : shared;
      const frames = play(transcript, { url, secret });
      frames.catch(() => {}); // its test reports it
      apart.set(`${name} ${transcript.name}`, frames);
    }
  });
  await Promise.all(begun);
});

afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.end()));
});

describe.runIf(file !== undefined).each(transports)("the recorded WebSocket transcripts on %s", (name, transport) => {
  const tally = new Tally();
  let stack: Stack;

  beforeAll(async () => {
    if (file === undefined) return;
    stack = await started(transport, file);
    stacks.push(stack);
  });

  afterAll(() => tally.print(`golden transcripts on ${name}`));

  for (const transcript of file?.cases ?? []) {
    it.skipIf(transcript.skip)(`${transcript.name}${transcript.skip ? `: ${transcript.skip}` : ""}`, async () => {
      if (transcript.name === unrecorded.before) await stack.kernel.execute({ query: unrecorded.query });
      const found = await (apart.get(`${name} ${transcript.name}`) ?? play(transcript, { url: stack.url, secret }));
      tally.judge(`transcripts/${transcript.name}`, compareFrames(found, transcript));
    });
  }

  it("have exceptions of cases that are there", () => {
    expect(unknownExceptions("transcripts/", new Set(file?.cases.map((each) => `transcripts/${each.name}`)))).toEqual([]);
  });
});

describe("the comparison of frames", () => {
  const answer = { type: "data", id: "1", payload: { data: { a: [1, 2] } } };
  const recorded = (server: Frame) => ({ name: "x", steps: [], frames: [{ opened: { protocol: "p" } }, { client: {} }, { server, afterMs: 100 }] });
  const differ = (found: Frame, wanted: Frame) => compareFrames([{ opened: { protocol: "p" } }, { server: found }], recorded(wanted)).length > 0;

  it("leaves free what is free, and nothing else", () => {
    expect(differ({ ...answer, payload: { ...answer.payload, extensions: { touched_uids: 2 } } }, answer)).toBe(false);
    expect(differ({ ...answer, id: "2" }, answer)).toBe(true);
    expect(differ({ ...answer, payload: { data: { a: [2, 1] } } }, answer)).toBe(true);
    expect(differ({ ...answer, payload: { data: { a: [1, 2] }, errors: [{ message: "x" }] } }, answer)).toBe(true);
    const error = (message: string) => ({ type: "error", id: "1", payload: { message } });
    expect(differ(error("input:1: in other words\n"), error("input:1: in these\n"))).toBe(false);
    expect(differ(error("in other words"), error("in these"))).toBe(true);
    expect(compareFrames([], recorded(answer))).not.toEqual([]);
  });
});
