// The SDL of `@remote`, and the directives that resolve fields.

export const remoteDefinitions = `
  "The type is not stored: it comes from other services."
  directive @remote on OBJECT | INTERFACE | UNION | INPUT_OBJECT | ENUM
  "The name of the field in the response of the other service."
  directive @remoteResponse(name: String) on FIELD_DEFINITION
`;

/** Directives with which a plugin resolves a field. */
export const resolvingDirectives: readonly string[] = ["custom", "lambda"];
