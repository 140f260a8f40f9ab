// The SDL of the directives. `@custom` is one directive for two plugins: this one reads `http`, another one may read `dql`.

/** The same text in every plugin that reads `@custom`. */
export const customDefinitions = `
  "Another service, or a query in DQL, resolves the field."
  directive @custom(http: CustomHTTP, dql: String) on FIELD_DEFINITION
  enum HTTPMethod { GET POST PUT PATCH DELETE }
  enum Mode { BATCH SINGLE }
  input CustomHTTP {
    url: String!
    method: HTTPMethod!
    body: String
    graphql: String
    mode: Mode
    forwardHeaders: [String!]
    secretHeaders: [String!]
    introspectionHeaders: [String!]
    skipIntrospection: Boolean
  }
`;

export const remoteDefinitions = `
  "The type is not stored: it comes from other services."
  directive @remote on OBJECT | INTERFACE | UNION | INPUT_OBJECT | ENUM
  "The name of the field in the response of the other service."
  directive @remoteResponse(name: String) on FIELD_DEFINITION
`;

/** Directives with which a plugin resolves a field. */
export const resolvingDirectives: readonly string[] = ["custom", "lambda"];
