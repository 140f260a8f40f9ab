// Address, method and mode of a request.

import { type FieldDefinitionNode, Kind } from "graphql";
import { parseUrlTemplate, urlVariables } from "../template/url-template.ts";
import { type CustomUse, type Finding, isBatch } from "./custom-use.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export function urlFindings(use: CustomUse): readonly Finding[] {
  const { http, node } = use;
  const value = http.value("url");
  if (!value) return [{ text: "; url field inside @custom directive is mandatory.", at: node, last: true }];
  const template = parseUrlTemplate(http.text("url") ?? "");
  if (!template) return [{ text: "; url field inside @custom directive is invalid.", at: value, last: true }];
  const { path, query } = urlVariables(template);
  const found = (text: Finding["text"]): Finding => ({ text, at: value });
  return [
    ...path.flatMap((name) => variableProblem(use, name, "path").map(found)),
    ...query.flatMap((name) => variableProblem(use, name, "query").map(found)),
  ];
}

function variableProblem(use: CustomUse, name: string, part: "path" | "query"): readonly Finding["text"][] {
  const what = use.type ? "a field" : "an argument";
  const start = `; url ${part} inside @custom directive uses ${what} ${name}` as const;
  const type = typeOfValue(use, name);
  if (!type) return [`${start} that is not defined.`];
  return part === "path" && type !== Kind.NON_NULL_TYPE ? [`${start} that can be null.`] : [];
}

/** The kind of the type of a value that templates may use: a field of the type, or an argument of a root field. */
function typeOfValue({ type, definition, field }: CustomUse, name: string) {
  if (!type) return field.arguments?.find((each) => each.name.value === name)?.type.kind;
  return fieldsOf(definition).find((each) => each.name.value === name)?.type.kind;
}

export function fieldsOf(definition: CustomUse["definition"]): readonly FieldDefinitionNode[] {
  const fields = "fields" in definition ? (definition.fields ?? []) : [];
  return fields.filter((each): each is FieldDefinitionNode => each.kind === Kind.FIELD_DEFINITION);
}

export function methodFindings({ http, node }: CustomUse): readonly Finding[] {
  const value = http.value("method");
  if (!value) return [{ text: "; method field inside @custom directive is mandatory.", at: node }];
  if (methods.includes(http.text("method") ?? "")) return [];
  return [{ text: "; method field inside @custom directive can only be GET/POST/PUT/PATCH/DELETE.", at: value }];
}

export function modeFindings(use: CustomUse): readonly Finding[] {
  const { http, type } = use;
  const value = http.value("mode");
  if (!value) return [];
  const findings: Finding[] = [];
  if (!type) findings.push({ text: "; mode field inside @custom directive can't be present on Query/Mutation.", at: value });
  if (!["SINGLE", "BATCH"].includes(http.text("mode") ?? ""))
    findings.push({ text: "; mode field inside @custom directive can only be SINGLE/BATCH.", at: value });
  return findings;
}

/** What url, method, body, graphql and mode may not be together. */
export function combinationFindings(use: CustomUse): readonly Finding[] {
  const { http, node } = use;
  const template = parseUrlTemplate(http.text("url") ?? "");
  const { path, query } = template ? urlVariables(template) : { path: [], query: [] };
  const hasVariables = path.length + query.length > 0;
  const [graphql, body, batch] = [http.has("graphql"), http.has("body"), isBatch(use)];
  const method = http.text("method");
  const findings: Finding[] = [];
  const report = (text: Finding["text"]) => findings.push({ text, at: node });
  if (batch && hasVariables) {
    report("; has parameters in url inside @custom directive while mode is BATCH, url can't contain parameters if mode is BATCH.");
  }
  if (graphql && hasVariables) {
    report("; has parameters in url along with graphql field inside @custom directive, url can't contain parameters if graphql field is present.");
  }
  if (graphql && method !== undefined && method !== "POST") {
    report(
      `; has method ${method} while graphql field is also present inside @custom directive, method can only be POST if graphql field is present.`,
    );
  }
  if (graphql && !batch && body) report("; has both body and graphql field inside @custom directive, they can't be present together.");
  if (graphql && batch && !body) report("; both body and graphql field inside @custom directive are required if mode is BATCH.");
  return findings;
}
