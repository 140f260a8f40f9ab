// What is wrong with a graph rule, in the words of Dgraph. The `graphql` package finds it and words it in its own way.

import type { GraphQLError } from "graphql";

/** `Syntax Error: Expected Name, found "}".` as `Expected Name, found }`. */
export function syntaxReason({ message }: GraphQLError): string {
  return message
    .replace(/^Syntax Error: /u, "")
    .replace(/\.$/u, "")
    .replace(/^Unexpected "(.+)"$/u, "Unexpected $1")
    .replace(/^Expected "?(.+?)"?, found (?:"(.+)"|(\S+).*)$/u, "Expected $1, found $2$3");
}

/** Each form of the package with that of Dgraph. */
const wordings: readonly (readonly [RegExp, string])[] = [
  [/^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"\./u, 'Unknown argument "$1" on field "$3" of type "$2".'],
  [/ is required, but it was not provided\.$/u, " is required but not provided."],
  [/^Field "(\w+\.\w+)" of required type "(.+)" was not provided\.$/u, "Field $1 of required type $2 was not provided."],
  [/^Expected value of type "(.+)", found (.+)\.$/su, "Expected type $1, found $2."],
  [/^Value "(\w+)" does not exist in "(\w+)" enum\./u, "Expected type $2, found $1."],
  [/^Enum "(\w+)" cannot represent non-enum value: (.+?)\.( Did you mean .*)?$/su, "Expected type $1, found $2.$3"],
  [/^(\w+) cannot represent (?:a |an )?non[ -].+? value: (.+)$/su, "Expected type $1, found $2."],
];

const unknownInputField = /^(Field "\w+" is not defined by type) "(\w+)"\.(.*)$/u;
const enumSuggestion = /^(Expected type .*Did you mean the enum value) (.*)$/su;
const wrongVariable = /^Variable "\$\w+" of type "(.+)" used in position expecting type "(.+)"\.$/u;

/** A variable of another type is reported twice, as Dgraph does. */
export function invalidReasons({ message }: GraphQLError): readonly string[] {
  const [, given, wanted] = wrongVariable.exec(message) ?? [];
  if (given !== undefined) return [`Variable type provided ${given} is incompatible with expected type ${wanted}`, message];
  const worded = wordings.reduce((text, [form, ours]) => text.replace(form, ours), message);
  return [
    worded
      .replace(unknownInputField, (_all, start, type, suggestion: string) => `${start} ${type}.${suggestion.replaceAll('"', "")}`)
      .replace(enumSuggestion, (_all, start, names: string) => `${start} ${names.replaceAll('"', "")}`),
  ];
}
