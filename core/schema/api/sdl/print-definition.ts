// Prints a definition: indented by tabs, one member per line, without descriptions of arguments.

import { Kind, parseValue, print } from "graphql";
import type { Definition, EnumValue, FieldsDefinition, Member } from "../definition.ts";
import { printDirective } from "./print-directive.ts";

export function printDefinition(definition: Definition): string {
  const head = `${printDescription(definition.description, "")}${definition.kind} ${definition.name}`;
  switch (definition.kind) {
    case "scalar":
      return `${head}\n`;
    case "enum":
      return `${head} {\n${definition.values.map(printEnumValue).join("")}}\n`;
    case "union":
      return `${words(head, printDirectives(definition))} = ${definition.members.join(" | ")}\n`;
    default:
      return `${words(head, printInterfaces(definition), printDirectives(definition))} {\n${definition.members.map(printMember).join("")}}\n`;
  }
}

function words(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

function printInterfaces({ interfaces = [] }: FieldsDefinition): string {
  return interfaces.length === 0 ? "" : `implements ${interfaces.join(" & ")}`;
}

function printDirectives({ directives = [] }: Pick<Member, "directives">): string {
  return directives.map(printDirective).join(" ");
}

function printMember(member: Member): string {
  const given = (member.arguments ?? [])
    .map(({ name, type, defaultValue }) => `${name}: ${type}${defaultValue === undefined ? "" : ` = ${defaultValue}`}`)
    .join(", ");
  const line = words(`${member.name}${given === "" ? "" : `(${given})`}: ${member.type}`, printDirectives(member));
  return `${printDescription(member.description, "\t")}\t${line}\n`;
}

function printEnumValue({ name, description }: EnumValue): string {
  return `${printDescription(description, "\t")}\t${name}\n`;
}

function printDescription(text: string | undefined, indentation: string): string {
  return text === undefined ? "" : `${quoted(text).replace(/^(?=.)/gm, indentation)}\n`;
}

/** A block string if it can represent the text, else a JSON string. */
function quoted(text: string): string {
  if (text !== "" && text.trim() === text && !/[\n\r\\"]/.test(text)) return `"""${text}"""`;
  const block = print({ kind: Kind.STRING, value: text, block: true });
  const read = parseValue(block);
  return read.kind === Kind.STRING && read.value === text ? block : JSON.stringify(text);
}
