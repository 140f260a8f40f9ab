// `@auth` and `# Service.Authorization`: authentication and authorization.

import type { DirectivePlugin, Hooks, Json, ModelContext, NodeType, Predicate, Purpose, RequestView } from "../../core/plugin.ts";
import { andThen, type MaybePromise } from "../../core/plugin.ts";
import type { AddressPolicy } from "../remote/index.ts";
import { type Authorization, keyword, readAuthorization } from "./authorization-line.ts";
import { bearerToken } from "./bearer-token.ts";
import { developmentTokens } from "./development-tokens.ts";
import { fieldRuleDefinitions, readFieldRules } from "./field-rules.ts";
import { type KeySetOptions, keySetClient, keySetPolicy } from "./key-set-client.ts";
import { narrowedPurposes, type Operation, operationOf, operations } from "./operations.ts";
import { type Claims, isObject } from "./parse-token.ts";
import { refused } from "./token-error.ts";
import { TokenVerifier } from "./token-verifier.ts";
import { compileRules, reportRepeated, type TypeRules } from "./type-rules.ts";
import { unguardedWrites } from "./unguarded-writes.ts";

/** How rules are read where Dgraph leaves a choice. */
export interface AuthOptions {
  /**
   * What a type without any rule requires when the schema sets `ClosedByDefault`. `types` (default): such types are closed to all callers.
   * `token`: any valid token opens them.
   */
  readonly closedByDefault?: "types" | "token";
  /**
   * True: rules may have `updateAfter`, which checks an object after an update; an object that does not satisfy it rolls the mutation back.
   * Default: false, and schemas with `updateAfter` are refused.
   */
  readonly updateAfter?: boolean;
  /**
   * True: fields may have rules: `@auth(query: ..., denied: NULL)`. A field whose rule does not hold has no value for the caller; `denied: ERROR`
   * adds an error. Default: false, and schemas with rules on fields are refused.
   */
  readonly fieldRules?: boolean;
  /** To which addresses the `JWKUrl` of a schema may lead. Default: no private ones while others than this machine can reach the server. */
  readonly keySets?: KeySetOptions;
  /**
   * True: as in Dgraph, updates and deletes reach objects that the rule `query` hides from the caller, where the rule of the operation allows it or there is
   * none. Their filters then tell what hidden objects hold. Default: false, and an object that the caller may not see matches no filter of a write.
   */
  readonly writesHidden?: boolean;
}

/**
 * The member of `RequestView.facts` that holds the claims of a request: those that the application has given, else those of the token, or those that the
 * `request` hook of another plugin gives (`Hooks.request`). Absent: the caller is not known.
 */
export const claimsFact = "claims";

/** The member that says that the application has given the claims: no token counts. */
const givenFact = "claimsGiven";

/** The member with the name of the header from which another plugin has read the claims: it holds no token of ours. */
const headerFact = "claimsHeader";

type Additions = Required<Pick<AuthOptions, "updateAfter" | "fieldRules">>;

function definitions({ updateAfter, fieldRules }: Additions): string {
  const known: readonly Operation[] = updateAfter ? [...operations, "updateAfter"] : operations;
  const rules = known.map((operation) => `${operation}: AuthRule`).join(", ");
  return `
"Who may read, add, change and delete objects. A rule is a query that must find the object, or a condition on claims of the caller's token."
directive @auth(${rules}${fieldRules ? ", denied: AuthDenial" : ""}) on OBJECT | INTERFACE${fieldRules ? " | FIELD_DEFINITION" : ""}
"A rule, or several in combination."
input AuthRule {
  "All of these hold."
  and: [AuthRule]
  "One of these holds."
  or: [AuthRule]
  "This one does not hold."
  not: AuthRule
  "A query that must find the object: query($USER: String!) { queryTask(filter: { owner: { eq: $USER } }) { id } }. Or a condition on a claim: {$ROLE: { eq: \\"ADMIN\\" } }."
  rule: String
}
${fieldRules ? fieldRuleDefinitions : ""}`;
}

/** `@auth`: rules that say which nodes a caller may see and change, by the claims of a JWT. */
export function authPlugin({
  closedByDefault = "types",
  updateAfter = false,
  fieldRules = false,
  writesHidden = false,
  keySets = {},
}: AuthOptions = {}): DirectivePlugin {
  const policy = keySetPolicy(keySets);
  return {
    name: "auth",
    // Dgraph's error texts, which clients may parse.
    validatesArguments: true,
    definitions: definitions({ updateAfter, fieldRules }),
    kept: fieldRules ? ["auth"] : [],
    settings: [keyword],
    serving: ({ host }) => policy.servedAt(host),
    server: (kernel) => ({ admin: developmentTokens(kernel) }),
    checkSettings: (settings) => void readAuthorization(settings(keyword)),
    model(context) {
      const authorization = readAuthorization(context.settings(keyword));
      const closesTypes = closedByDefault === "types" && authorization?.closedByDefault === true;
      const rules = ruleHooks(context, { closesTypes, writesHidden });
      const tokens = authorization && tokenHooks(authorization, policy);
      return rules || tokens ? { ...claimHooks, ...rules, ...tokens } : undefined;
    },
  };
}

// ---- authentication ---------------------------------------------------------------------------------------------------

function tokenHooks(authorization: Authorization, policy: AddressPolicy): Hooks {
  const client = keySetClient(policy);
  const verifier = new TokenVerifier(authorization, client);
  const header = authorization.header.toLowerCase();
  const isRead = ({ facts }: RequestView) => facts[givenFact] !== undefined || facts[headerFact] === header;
  const tokenOf = (request: RequestView) => (isRead(request) ? undefined : bearerToken(request.headers[header]));
  return {
    headers: [authorization.header],
    open: () => verifier.open(),
    close: async () => {
      verifier.close();
      await client.close();
    },
    admit: (headers, { facts }) => {
      if (facts[givenFact] === undefined) bearerToken(headers[header]);
    },
    request: (request) => {
      const { facts } = request;
      if (facts[givenFact] !== undefined) return nothingKnown;
      const token = tokenOf(request);
      if (token !== undefined) return andThen(verifier.claims(token), (claims) => ({ [claimsFact]: claims }));
      // A plugin before this one may know the caller by other means.
      if (authorization.closedByDefault && facts[claimsFact] === undefined) throw refused("a valid JWT is required but was not provided");
      return nothingKnown;
    },
    expiresAt: (request) => {
      const token = tokenOf(request);
      return token === undefined ? claimHooks.expiresAt(request) : verifier.end(token);
    },
    recheckAt: (request) => (tokenOf(request) === undefined ? undefined : verifier.recheckAt),
  };
}

/** Claims without a token. */
const claimHooks = {
  caller: (request) => {
    const { sub } = claimsOf(request);
    return typeof sub === "string" && sub !== "" ? sub : undefined;
  },
  expiresAt: (request) => {
    const { exp } = claimsOf(request);
    return typeof exp === "number" ? exp * 1_000 : undefined;
  },
} satisfies Hooks;

const nothingKnown: Readonly<Record<string, Json>> = Object.freeze({});
const noClaims: Claims = Object.freeze({});

function claimsOf({ facts }: RequestView): Claims {
  const claims = facts[claimsFact];
  return isObject(claims) ? claims : noClaims;
}

// ---- authorization ----------------------------------------------------------------------------------------------------

/** Undefined when there are no rules and no type is closed. */
function ruleHooks(context: ModelContext, { closesTypes, writesHidden }: Pick<Ruling, "closesTypes"> & WriteOptions): Hooks | undefined {
  const uses = context.uses("auth");
  reportRepeated(uses, context.report);
  const onFields = readFieldRules(context, claimsOf);
  if (uses.length === 0 && !closesTypes) return undefined;
  let rules: TypeRules | undefined;
  return {
    compile: (compiling) => {
      rules = compileRules(uses, compiling);
      onFields?.compile(compiling);
    },
    ...(onFields ? { masks: onFields.masks } : {}),
    warnings: unguardedWrites(uses, context, writesHidden ? "all" : "seen"),
    narrows: writesHidden ? narrowedPurposes.filter((purpose) => purpose !== "choose") : narrowedPurposes,
    narrow: (type, purpose, request) => (rules === undefined ? "deny" : narrow({ rules, closesTypes }, { type, purpose }, request)),
  };
}

type WriteOptions = Required<Pick<AuthOptions, "writesHidden">>;

interface Ruling {
  readonly rules: TypeRules;
  /** True: types without any rule are denied. */
  readonly closesTypes: boolean;
}

function narrow(
  { rules, closesTypes }: Ruling,
  { type, purpose }: { readonly type: NodeType; readonly purpose: Purpose },
  request: RequestView,
): MaybePromise<Predicate | "deny" | undefined> {
  const operation = operationOf(purpose);
  if (!operation) return undefined;
  const rule = rules.ruleOf(type, operation);
  if (!rule) return closesTypes && !rules.isRuled(type) ? "deny" : undefined;
  return rule.answer(claimsOf(request), request);
}
