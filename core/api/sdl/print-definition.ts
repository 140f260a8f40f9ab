// The generated schema as text: one tab, one field a line, a blank line after each definition.

import { type ConstDirectiveNode, type ConstValueNode, Kind } from "graphql";
import type { Argument, Definition, EnumValue, Member } from "../definition.ts";

export function printDefinition(definition: Definition): string {
  const directives = printDirectives(definition.directives);
  const description = printDescription(definition.description, "");
  switch (definition.kind) {
    case "scalar":
      return `${description}scalar ${definition.name}${directives}\n`;
    case "union":
      return `${description}union ${definition.name}${directives} = ${definition.members.join(" | ")}\n`;
    case "enum":
      return `${description}enum ${definition.name} {\n${definition.values.map(printValue).join("")}}\n`;
    default: {
      const interfaces = definition.interfaces?.length ? ` implements ${definition.interfaces.join(" & ")}` : "";
      return `${description}${definition.kind} ${definition.name}${interfaces}${directives} {\n${definition.members.map(printMember).join("")}}\n`;
    }
  }
}

function printMember(member: Member): string {
  const args = member.arguments?.length ? `(${member.arguments.map(printArgument).join(", ")})` : "";
  return `${printDescription(member.description, "\t")}\t${member.name}${args}: ${member.type}${printDirectives(member.directives)}\n`;
}

function printArgument({ name, type }: Argument): string {
  return `${name}: ${type}`;
}

function printValue({ name, description }: EnumValue): string {
  return `${printDescription(description, "\t")}\t${name}\n`;
}

function printDescription(description: string | undefined, indent: string): string {
  return description === undefined ? "" : `${indent}"""${description.replaceAll('"""', '\\"""')}"""\n`;
}

function printDirectives(directives: readonly ConstDirectiveNode[] = []): string {
  return directives.map((each) => ` ${printDirective(each)}`).join("");
}

function printDirective(directive: ConstDirectiveNode): string {
  const args = directive.arguments ?? [];
  const list = args.map(({ name, value }) => `${name.value}: ${printValueNode(value)}`);
  return `@${directive.name.value}${args.length === 0 ? "" : `(${list.join(", ")})`}`;
}

function printValueNode(node: ConstValueNode): string {
  switch (node.kind) {
    case Kind.STRING:
      return JSON.stringify(node.value);
    case Kind.LIST:
      return `[${node.values.map(printValueNode).join(",")}]`;
    case Kind.OBJECT:
      return `{${node.fields.map(({ name, value }) => `${name.value}:${printValueNode(value)}`).join(",")}}`;
    case Kind.NULL:
      return "null";
    case Kind.BOOLEAN:
      return String(node.value);
    default:
      return node.value;
  }
}
