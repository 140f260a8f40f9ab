import { afterEach, expect, it, vi } from "vitest";
import { type DirectivePlugin, QuernError } from "../../core/plugin.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";
import { liveApi } from "../support/live-clients.ts";

let remove: (() => Promise<void>) | undefined;
afterEach(async () => await remove?.());

/** Knows every caller until it is closed, and looks again after a millisecond, `left` times. */
function doorPlugin(looks: { left: number; seen: number; closed: boolean }): DirectivePlugin {
  return {
    name: "door",
    definitions: "",
    model: () => ({
      request: () => {
        looks.seen++;
        if (looks.closed) throw new QuernError("REQUEST_REFUSED", "the door is closed");
        return {};
      },
      recheckAt: () => (looks.left-- > 0 ? Date.now() + 1 : undefined),
    }),
  };
}

async function door(left: number) {
  const looks = { left, seen: 0, closed: false };
  const api = await liveApi("type Boat @withSubscription { name: String! }", { plugins: [subscriptionPlugin(), doorPlugin(looks)] });
  remove = api.remove;
  return { looks, client: await api.watch("subscription { queryBoat { name } }") };
}

it("a live query ends when a plugin, asked again at the time that it names, refuses the caller", async () => {
  const { looks, client } = await door(Number.POSITIVE_INFINITY);
  await vi.waitFor(() => expect(looks.seen).toBeGreaterThan(3));
  expect(client.ending).toBeUndefined();
  looks.closed = true;
  await vi.waitFor(() =>
    expect(client.ending).toEqual({
      kind: "expired",
      limit: "token",
      errors: [
        {
          message: "The token of this subscription is no longer valid. Subscribe again with a new one.",
          extensions: { code: "SUBSCRIPTION_EXPIRED" },
        },
      ],
    }),
  );
});

it("a plugin that names no further time is not asked again, and neither is one whose live query has ended", async () => {
  const { looks, client } = await door(2);
  await vi.waitFor(() => expect([looks.left < 0, looks.seen]).toEqual([true, 3]));
  looks.left = Number.POSITIVE_INFINITY;
  client.subscription?.stop();
  await remove?.();
  remove = undefined;
  expect([looks.seen, client.ending]).toEqual([3, undefined]);
});
