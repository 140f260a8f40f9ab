// `@tenant`: an object belongs to the tenant of the request that creates it. Requests of other tenants do not see it.

import { type Change, type DirectivePlugin, isObject, type LayoutAdditions, type RequestView, type TypeName } from "quern/plugin";

export interface TenantOptions {
  /** The tenant of a request; undefined: it has none, and sees no such object. By default the claim `tenant` of its token, which `@auth` verifies. */
  readonly tenantOf?: (request: RequestView) => string | undefined;
}

export function tenantPlugin({ tenantOf = claimedTenant }: TenantOptions = {}): DirectivePlugin {
  return {
    name: "tenant",
    definitions: "directive @tenant on OBJECT",
    model({ uses }) {
      const types = new Set(uses("tenant").flatMap(({ type }) => type?.stored ?? []));
      if (types.size === 0) return undefined;
      return {
        layout: () => tenants([...types]),
        // In DQL too.
        narrowsEverywhere: true,
        narrow({ stored }, _, request) {
          if (!types.has(stored)) return undefined;
          const tenant = tenantOf(request);
          return tenant === undefined ? "deny" : { kind: "compare", field: fieldOf(stored), op: "eq", operands: [tenant] };
        },
        // An object without a tenant is then refused, because its creator may not see it.
        changes: ({ changes, request }) =>
          changes.map((each) => (each.kind === "create" && types.has(each.type) ? owned(each, tenantOf(request)) : each)),
      };
    },
  };
}

function claimedTenant({ facts: { claims } }: RequestView): string | undefined {
  return isObject(claims) && typeof claims.tenant === "string" ? claims.tenant : undefined;
}

function fieldOf(type: TypeName): string {
  return `${type}.tenant.name`;
}

/** A field of each type that the API does not show, with an index. */
function tenants(types: readonly TypeName[]): LayoutAdditions {
  const names = types.map(fieldOf);
  return {
    types: types.map((name) => ({ name, fields: [fieldOf(name)] })),
    fields: names.map((name) => ({ name, kind: "string", list: false })),
    indexes: names.map((name) => ({ name, field: name, by: "value", ordered: false })),
  };
}

function owned(change: Extract<Change, { kind: "create" }>, tenant: string | undefined): Change {
  return tenant === undefined ? change : { ...change, fields: { ...change.fields, [fieldOf(change.type)]: tenant } };
}
