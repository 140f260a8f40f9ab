// The schema that quern init writes: small, and with something of each kind.

export const firstSchema = `# Every type gets its API: get, query, aggregate, add, update, delete. There are no resolvers to write.

type Author {
  name: String! @id
  posts: [Post] @hasInverse(field: author)
}

type Post {
  id: ID!
  title: String! @search(by: [term])
  text: String @search(by: [fulltext])
  published: DateTime @search
  author: Author!
}
`;
