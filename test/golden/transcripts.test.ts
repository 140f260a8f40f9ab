// Recorded conversations over WebSockets, frame by frame, on both transports.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { Listening } from "../../core/transport.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";
import { Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import { compareFrames, type Frame, play, type TranscriptFile } from "./transcript-steps.ts";

const path = goldenPath("transcripts", "subscriptions.json");
const transports = Object.entries({ ws: wsTransport, yoga: yogaTransport });

/** A case in the half that was not handed out has changed what this one sees. */
const unrecorded = {
  before: "two connections with different tokens",
  query: 'mutation { updateRide(input: {filter: {key: {eq: "r2"}}, set: {state: "out"}}) { numUids } }',
};

describe.runIf(path !== undefined).each(transports)("the recorded WebSocket transcripts on %s", (name, transport) => {
  const tally = new Tally();
  const file = path === undefined ? undefined : readGolden<TranscriptFile>(path);
  let stack: TemporaryKernel;
  let server: Listening;

  beforeAll(async () => {
    if (file === undefined) return;
    stack = await temporaryKernel();
    await stack.kernel.deploy(file.schema);
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    for (const { query } of file.setup) expect(JSON.parse((await stack.kernel.execute({ query })).body).errors).toBeUndefined();
  });

  afterAll(async () => {
    await server?.close(1_000);
    await stack?.remove();
    tally.print(`golden transcripts on ${name}`);
  });

  for (const transcript of file?.cases ?? []) {
    it.skipIf(transcript.skip)(`${transcript.name}${transcript.skip ? `: ${transcript.skip}` : ""}`, async () => {
      if (transcript.name === unrecorded.before) await stack.kernel.execute({ query: unrecorded.query });
      const found = await play(transcript, { url: server.url, secret: file?.keys.secret ?? "" });
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
