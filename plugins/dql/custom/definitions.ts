// The SDL of `@custom`, one directive for two plugins: this one reads `dql`, another one may read `http`.

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
