// Paths with parameters.

import { describe, expect, it } from "vitest";
import { PathPattern, patternProblem } from "../../../../adapters/server/http/path-pattern.ts";

describe("a path with parameters", () => {
  it.each([
    ["/users/:name", "/users/ada", { name: "ada" }],
    ["/users/:name", "/users/Ada%20L", { name: "Ada L" }],
    ["/users/:name", "/users/100%", { name: "100%" }],
    ["/users/:name", "/users/a%2Fb", { name: "a/b" }],
    ["/users/:name", "/users/", undefined],
    ["/users/:name", "/users", undefined],
    ["/users/:name", "/users/ada/", undefined],
    ["/users/:name", "/usersada", undefined],
    ["/:a/x/:b", "/1/x/2", { a: "1", b: "2" }],
    ["/api/auth/*", "/api/auth/sign-in/email", { "*": "sign-in/email" }],
    ["/api/auth/*", "/api/auth/a%2Fb/", { "*": "a%2Fb/" }],
    ["/api/auth/*", "/api/auth/", { "*": "" }],
    ["/api/auth/*", "/api/auth", undefined],
    ["/api/auth/*", "/api/authors/x", undefined],
    ["/files/:owner/*", "/files/ada/a/b.png", { owner: "ada", "*": "a/b.png" }],
    ["/files/*", "/files/../admin", undefined],
    ["/files/*", "/files/a/%2e%2E/b", undefined],
    ["/files/*", "/files/./b", undefined],
    ["/files/*", "/files/.../b.", { "*": ".../b." }],
  ])("%s fits or does not fit %s", (pattern, path, params) => {
    expect(new PathPattern(pattern).match(path)).toEqual(params);
  });

  it("comes after those that are literal for longer", () => {
    const texts = ["/*", "/a/*", "/:x", "/:x/b", "/a/:y", "/a/:y/*", "/:x/*"];
    const sorted = texts.map((text) => new PathPattern(text)).sort(PathPattern.compare);
    expect(sorted.map(({ text }) => text)).toEqual(["/a/:y/*", "/a/:y", "/a/*", "/:x/b", "/:x/*", "/:x", "/*"]);
  });

  it("has the same shape as another that fits the same paths", () => {
    expect(new PathPattern("/a/:x/*").shape).toBe(new PathPattern("/a/:y/*").shape);
    expect(new PathPattern("/a/:x").shape).not.toBe(new PathPattern("/a/*").shape);
  });

  it.each([
    ["users", "a path begins with /"],
    ["/a?b", "a path has no query and no white space"],
    ["/a/*/b", "* is a whole segment, the last one"],
    ["/a*", "* is a whole segment, the last one"],
    ["/:", "a parameter is a name after a colon, and a whole segment: /users/:name"],
    ["/:a-b", "a parameter is a name after a colon, and a whole segment: /users/:name"],
    ["/:a/:a", "two parameters have the same name"],
    ["/a/:b/*", undefined],
    ["/", undefined],
  ])("%s is well formed or not", (text, problem) => {
    expect(patternProblem(text)).toBe(problem);
  });
});
