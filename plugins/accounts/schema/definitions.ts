// The SDL of the plugin.

export const definitions = `
  "The names of claims, and of each the field that holds its value: { USER: \\"email\\" }."
  scalar AccountClaims
  "The names of the fields that a sign-up may set. False: nobody signs up, users are invited."
  scalar AccountSignUp
  """
  The objects of the type are the users who sign in. Rules read the claims that \`claims\` names. A client sets the fields that \`signUp\` names when it signs up,
  and changes no others by its profile.
  """
  directive @account(claims: AccountClaims, signUp: AccountSignUp) on OBJECT
`;
