// What plugins add to the server, checked once at start: a mistake would otherwise show at the first request, or never.

import {
  type AdminAdditions,
  checkOptions,
  didYouMean,
  type GraphQLBody,
  isObject,
  type OptionKind,
  type OptionKinds,
  type PluginRoute,
  QuernError,
  type ServerAccess,
  type ServerAdditions,
} from "../../core/plugin.ts";

const aFunction: OptionKind = { fits: (value) => typeof value === "function", expected: "a function" };
const aText: OptionKind = { fits: (value) => typeof value === "string", expected: "a text" };
const anObject: OptionKind = { fits: isObject, expected: "an object" };
const resolvers: OptionKind = { fits: (value) => isObject(value) && Object.values(value).every(aFunction.fits), expected: "functions by name" };

const additionKinds: OptionKinds<ServerAdditions> = {
  routes: { fits: Array.isArray, expected: "a list of routes" },
  bodies: { fits: Array.isArray, expected: "a list of bodies" },
  admin: anObject,
  administered: aFunction,
  opened: aFunction,
  erased: aFunction,
};

const routeKinds: OptionKinds<PluginRoute> = {
  path: { fits: (value) => typeof value === "string" && value.startsWith("/"), expected: 'a path that begins with "/"' },
  methods: {
    fits: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string" && /^(?:[A-Z]+|\*)$/u.test(each)),
    expected: 'a list of methods in upper case, such as ["GET"], or ["*"]',
  },
  access: { fits: (value) => value === "administrators" || value === "everybody", expected: '"administrators" or "everybody"' },
  body: { fits: (value) => value === "text" || value === "bytes" || value === "stream", expected: '"text", "bytes" or "stream"' },
  cors: { fits: (value) => value === "open" || value === "own", expected: '"open" or "own"' },
  answer: aFunction,
};

const bodyKinds: OptionKinds<GraphQLBody> = {
  mediaType: {
    fits: (value) => typeof value === "string" && /^[^\s/;A-Z]+\/[^\s/;A-Z]+$/u.test(value),
    expected: "a media type, such as multipart/form-data",
  },
  isUsed: aFunction,
  read: aFunction,
};

const adminKinds: OptionKinds<AdminAdditions> = { definitions: aText, queries: resolvers, mutations: resolvers };

const accessKinds: OptionKinds<ServerAccess> = { administer: aFunction, nameOf: aFunction, persisted: aFunction };

/** @throws QuernError `CONFIG_INVALID` for additions of another shape */
export function assertAdditions(plugin: string, added: ServerAdditions): void {
  const place = `Plugin "${plugin}", hook server`;
  assertMembers(added, additionKinds, { place: `${place}: what it returns`, required: [] });
  for (const [i, route] of (added.routes ?? []).entries())
    assertMembers(route, routeKinds, { place: `${place}: routes[${i}]`, required: ["path", "methods", "access", "answer"] });
  for (const [i, body] of (added.bodies ?? []).entries())
    assertMembers(body, bodyKinds, { place: `${place}: bodies[${i}]`, required: ["mediaType", "read"] });
  if (added.admin !== undefined) assertMembers(added.admin, adminKinds, { place: `${place}: admin`, required: [] });
}

/** @throws QuernError `CONFIG_INVALID` for an access of another shape */
export function assertAccess(plugin: string, access: ServerAccess): void {
  assertMembers(access, accessKinds, { place: `Plugin "${plugin}", hook access: what it returns`, required: ["administer"] });
}

interface Members {
  readonly place: string;
  readonly required: readonly string[];
}

/** Members that the contract does not know are the plugin's own, unless their names are nearly those of the contract. */
function assertMembers(value: unknown, kinds: Readonly<Record<string, OptionKind>>, { place, required }: Members): void {
  if (!isObject(value)) throw new QuernError("CONFIG_INVALID", `${place} must be an object.`);
  const names = Object.keys(kinds);
  const known = names.map((name) => [name, value[name]] as const);
  const misspelled = Object.keys(value).find((name) => !names.includes(name) && didYouMean(name, names) !== "");
  if (misspelled !== undefined) throw new QuernError("CONFIG_INVALID", `${place} has a member "${misspelled}"${didYouMean(misspelled, names)}`);
  const [problem] = checkOptions(Object.fromEntries(known), kinds, { place, required });
  if (problem) throw problem;
}
