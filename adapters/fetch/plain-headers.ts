/** As plain data: names in lower case, repeated headers joined by `, `. */
export function plainHeaders(headers: Headers): Readonly<Record<string, string>> {
  const plain: Record<string, string> = {};
  headers.forEach((value, name) => {
    plain[name.toLowerCase()] = value;
  });
  return plain;
}
