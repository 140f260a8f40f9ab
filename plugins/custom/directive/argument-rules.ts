// The arguments of `@custom` itself.

import { Kind } from "graphql";
import { argumentNamed, type CustomUse, type Finding } from "./custom-use.ts";

export function argumentFindings({ node }: CustomUse): readonly Finding[] {
  const given = node.arguments ?? [];
  const http = argumentNamed(node, "http");
  const findings: Finding[] = [];
  if (given.length !== 1) {
    findings.push({
      text: `: has ${given.length} arguments for @custom directive, it should contain exactly one of \`http\` or \`dql\` arguments.`,
      at: node,
    });
  }
  if (!http && !argumentNamed(node, "dql"))
    findings.push({ text: ": one of `http` or `dql` arguments must be present for @custom directive.", at: node, last: true });
  if (http && http.value.kind !== Kind.OBJECT) findings.push({ text: ": http argument for @custom directive should be of type Object.", at: http });
  return findings;
}
