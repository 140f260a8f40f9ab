import { parse } from "graphql";
import { describe, expect, it } from "vitest";
import { runAtOnce } from "../../core/ground/work.ts";
import { prepareDeployment } from "../../core/prepare-deployment.ts";
import { planOperation } from "../../core/query/plan/plan-operation.ts";
import { printPlan } from "../../core/query/plan/print.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";

const schema = `
  interface Staff { badge: String! @id  name: String }
  type Pilot implements Staff { hours: Int @search  flights: [Flight] @hasInverse(field: pilot) }
  type Guard implements Staff { post: String }
  type Flight { no: String! @id  pilot: Pilot  crew: [Staff] }
`;

function printed(text: string, variables?: Record<string, unknown>): string {
  const deployment = prepareDeployment(schema, [identityPlugin(), searchPlugin()]);
  const document = parse(text);
  const operation = document.definitions.find((each) => each.kind === "OperationDefinition");
  if (!operation) throw new TypeError("no operation");
  return printPlan(runAtOnce(planOperation(deployment.api, document, operation)), { ...deployment, ...(variables && { variables }) });
}

describe("a printed plan", () => {
  it("lists level by level what is read, with condition, order and page", () => {
    expect(
      printed(`query q($n: Int) @cacheControl(maxAge: 15) {
        pilots: queryPilot(filter: {hours: {ge: 100}, or: {has: name}}, order: {desc: hours}, first: 10, offset: 5) @cascade(fields: ["name"]) {
          name
          flights(first: $n) { no crew { badge ... on Guard { post } } }
          flightsAggregate { count noMax }
        }
        getFlight(no: "F1") { pilot { name } }
      }`),
    ).toBe(
      `query, may be cached for 15 s
  pilots: queryPilot(filter: {hours: {ge: 100}, or: {has: name}}, order: {desc: hours}, first: 10, offset: 5): find Pilot
    where Pilot.hours >= 100 or has Staff.name
    by Pilot.hours desc
    page first 10, offset 5
    read Staff.name
    only with Staff.name
    flights(first: $n): follow Pilot.flights to Flight
      read Flight.no
      crew: follow Flight.crew to Staff (Pilot | Guard)
        read Staff.badge, Guard.post
    flightsAggregate: aggregate Pilot.flights, count, max Flight.no
  getFlight(no: "F1"): look up one of Flight
    read Flight.pilot
    pilot: load Flight.pilot to Pilot
      read Staff.name`,
    );
  });

  it("lists what a mutation reads after its commit, and marks what is not read", () => {
    expect(printed(`mutation { addFlight(input: []) { numUids flight(order: {asc: no}) { no } } }`)).toBe(
      `mutation
  addFlight: add Flight, then its payload
    flight(order: {asc: no}): find Flight
      by Flight.no asc
      read Flight.no`,
    );
    expect(
      printed("{ aggregatePilot(filter: { hours: { ge: 100 } }) { count } queryPilot { flightsAggregate(filter: { has: no }) { count } } }"),
    ).toBe(
      `query
  aggregatePilot(filter: {hours: {ge: 100}}): aggregate Pilot, count
    where Pilot.hours >= 100
  queryPilot: find Pilot
    flightsAggregate(filter: {has: no}): aggregate Pilot.flights, count
      where has Flight.no`,
    );
    expect(printed("{ __typename aggregatePilot { count hoursAvg } }")).toBe(
      `query
  aggregatePilot: aggregate Pilot, count, avg Pilot.hours
  the schema itself is asked about: graphql answers`,
    );
  });

  it("shows the compiled arguments where the variables' values are known", () => {
    const query = "query ($h: Int, $n: Int) { queryPilot(filter: {hours: {ge: $h}}, order: {asc: hours}, first: $n) { name } }";
    expect(printed(query)).toBe(
      `query
  queryPilot(filter: {hours: {ge: $h}}, order: {asc: hours}, first: $n): find Pilot
    read Staff.name`,
    );
    expect(printed(query, { h: 7, n: 3 })).toBe(
      `query
  queryPilot(filter: {hours: {ge: $h}}, order: {asc: hours}, first: $n): find Pilot
    where Pilot.hours >= 7
    by Pilot.hours asc
    page first 3
    read Staff.name`,
    );
  });

  it("gives the reason where a condition is refused", () => {
    expect(printed("{ queryPilot(filter: {not: {}}) { name } }")).toContain('refused: Invalid filter statement: "not" on Pilot negates nothing');
  });
});
