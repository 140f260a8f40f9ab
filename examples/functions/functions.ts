// The functions that schema.graphql leaves to the application.

import type { LambdaFunctions } from "./lambda-functions.ts";
import { weatherUrl } from "./weather-service.ts";

export const functions: LambdaFunctions = {
  "Hive.greeting": ({ parents }) => parents.map(({ label, honey = 0 }) => `${label} has ${honey} kg of honey`),

  // One request for each hive; a service that fails is the error of that field.
  "Hive.weather": ({ parents, signal }) =>
    parents.map(async ({ label }) => {
      const answer = await fetch(`${weatherUrl}/weather/${encodeURIComponent(label)}`, { signal });
      return await answer.text();
    }),

  "Query.heaviest": async ({ quern }) => {
    const { data } = await quern.graphql("{ queryHive(order: { desc: honey }, first: 1) { label } }");
    const [hive] = Array.isArray(data?.queryHive) ? data.queryHive : [];
    return typeof hive?.label === "string" ? hive.label : null;
  },

  "Hive.add": ({ event }) => console.error("added:", event.add.input.map(({ label }) => label).join(", ")),
};
