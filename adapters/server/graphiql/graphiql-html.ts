// GraphiQL as one HTML page: its published browser files, React and our start script, each inline.

import { createHash } from "node:crypto";
import { type BrowserFile, browserFile } from "./browser-files.ts";

export interface GraphiqlHtml {
  readonly text: string;
  /** The `Content-Security-Policy` under which the page works: its own scripts, and requests to its own origin. */
  readonly policy: string;
}

const scripts: readonly BrowserFile[] = ["react.production.min.js", "react-dom.production.min.js", "graphiql.min.js", "page.js"];

/** The page. About 1.5 MB: the caller keeps it. */
export async function graphiqlHtml({ introspection }: { readonly introspection: boolean }): Promise<GraphiqlHtml> {
  const [style, code] = await Promise.all([browserFile("graphiql.min.css"), Promise.all(scripts.map(browserFile))]);
  const inline = code.map(inlineScript);
  return { text: htmlOf(style, inline, introspection ? "on" : "off"), policy: policyOf(inline) };
}

/** In HTML these texts would end the script or change how it is parsed; in JavaScript's strings and patterns the escape means the same. */
function inlineScript(code: string): string {
  return code.replaceAll(/<(?=!--|\/?script)/gi, "\\x3C").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
}

function policyOf(inline: readonly string[]): string {
  const hashes = inline.map((code) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`);
  return [
    "default-src 'none'",
    `script-src ${hashes.join(" ")}`,
    // Editors set style attributes and add style elements.
    "style-src 'unsafe-inline'",
    "font-src data:",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function htmlOf(style: string, inline: readonly string[], introspection: "on" | "off"): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Quern</title>
<link rel="icon" href="data:,">
<style>html, body, #graphiql { height: 100%; margin: 0 }</style>
<style>${style}</style>
</head>
<body>
<div id="graphiql" data-introspection="${introspection}">GraphiQL needs JavaScript.</div>
${inline.map((code) => `<script>${code}</script>`).join("\n")}
</body>
</html>
`;
}
