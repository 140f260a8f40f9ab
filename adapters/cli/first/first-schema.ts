// The schema that quern init writes: a small example of the common directives.

export const firstSchema = `# Every type gets its API: get, query, aggregate, add, update, delete. There are no resolvers to write.
# Try it on the page Query of the console, which quern dev names:
#
#   mutation { addAuthor(input: [{ name: "Ada", posts: [{ title: "Notes on the engine" }] }]) { author { name posts { id } } } }
#   { queryPost(filter: { title: { anyofterms: "engine" } }) { title author { name } } }

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
