// Many subscribers with random questions while random things happen: everybody's last result is what a fresh query gives, and
// no subscriber gets the same result twice in a row. Seeds: `QUERN_TEST_SEED=17 QUERN_RUNS=10`.

import { describe, expect, it } from "vitest";
import { liveApi } from "../../../support/live-clients.ts";
import { examples, testSeed } from "../../../support/properties.ts";
import { storageName } from "../../../support/storage.ts";
import { line, token } from "../../auth/token.ts";
import { generator, logins, pick, randomMutation, randomSubscription, townSchema } from "./random-world.ts";

const runs = Number(process.env.QUERN_RUNS ?? 1);
// Each is asked afresh six times, which on MongoDB is two round trips at least: with 1,000 the run would take four minutes there.
const subscribers = Number(process.env.QUERN_SUBSCRIBERS ?? examples(storageName === "level" ? 600 : 200));
const bursts = Number(process.env.QUERN_BURSTS ?? 24);

describe("random subscribers over random writes", () => {
  for (let seed = testSeed; seed < testSeed + runs; seed++) {
    it(`have the newest data and get no result in vain, seed ${seed}`, { timeout: 900_000 }, async () => {
      const random = generator(seed);
      const api = await liveApi(townSchema(line));
      const admin = { "x-harbour": token({ ROLE: "ADMIN" }) };
      // Some are refused: they name what is not there.
      const change = async (query: string) => void (await api.kernel.execute({ query, headers: admin }));
      await change(`mutation { addUser(input: [${logins.map((login) => `{login: "${login}"}`).join(", ")}]) { numUids } }`);
      for (let i = 0; i < 40; i++) await change(randomMutation(random));

      const clients = Array.from({ length: subscribers }, () => {
        const query = randomSubscription(random);
        const claims = pick(random, [{}, { ROLE: "ADMIN" }, ...logins.map((ME) => ({ ME }))]);
        const headers = { "x-harbour": token(claims) };
        return { query, headers, client: api.begin(query, { headers }) };
      });
      await api.settled();
      const before = { runs: api.runs, vain: api.vainRuns };
      for (const { client, query } of clients) expect(client.ending, query).toBeUndefined();
      for (let burst = 1; burst <= bursts; burst++) {
        const mutations = Array.from({ length: 1 + random(4) }, () => randomMutation(random));
        if (random(2) === 0) await Promise.all(mutations.map(change));
        else for (const each of mutations) await change(each);
        await api.settled();
        if (burst % 4 !== 0) continue;
        for (const { client, query, headers } of clients) {
          const fresh = await api.query(query.replace("subscription", "query"), { headers });
          expect(client.last, `${query} after ${mutations.join("; ")}`).toEqual(fresh);
        }
      }
      for (const { client } of clients) for (const [i, data] of client.data.entries()) if (i > 0) expect(data).not.toEqual(client.data[i - 1]);
      const [ran, vain] = [api.runs - before.runs, api.vainRuns - before.vain];
      const told = clients.reduce((sum, { client }) => sum + client.results.length - 1, 0);
      console.info(
        `seed ${seed}: ${api.queries} queries for ${subscribers} subscribers, ${bursts} bursts: ${ran} runs where polling makes ${api.queries * bursts}, ${vain} of them found nothing new, ${told} results told`,
      );
      await api.remove();
    });
  }
});
