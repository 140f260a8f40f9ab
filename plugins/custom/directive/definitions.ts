// The SDL of the directives. `@custom` is one directive for two plugins: this one reads `http`, another one may read `dql`.

/** The same text in every plugin that reads `@custom`. */
export const customDefinitions = `
  "Another service, or a query in DQL, resolves the field."
  directive @custom(http: CustomHTTP, dql: String) on FIELD_DEFINITION
  "The method of a request."
  enum HTTPMethod { GET POST PUT PATCH DELETE }
  "How many requests the field makes."
  enum Mode {
    "One for all objects of an answer: it carries a list, and a list answers it."
    BATCH
    "One for each object."
    SINGLE
  }
  "A request to another service, which resolves the field."
  input CustomHTTP {
    "Its URL. $name stands for an argument, or for a field of the object."
    url: String!
    "Its method. With graphql: POST."
    method: HTTPMethod!
    "A template of its JSON body: { hive: $id }."
    body: String
    "The operation to send to a GraphQL service, without a selection set: query($id: ID!) { hive(id: $id) }."
    graphql: String
    "Whether one request is for many objects. SINGLE when it is left out."
    mode: Mode
    "Headers of the client's request that are passed on."
    forwardHeaders: [String!]
    "Headers from secrets of the schema, as Header:secret, or the name of both."
    secretHeaders: [String!]
    "As secretHeaders, for the question after the remote schema."
    introspectionHeaders: [String!]
    "Deploys without a look at the remote schema."
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
