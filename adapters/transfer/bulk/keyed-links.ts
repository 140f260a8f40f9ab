// Links as a load gives them: by texts of keys, without an object for each.

/** The links of one object, by texts of keys: as an add takes `{ [key field]: key, [field]: [{ [key field of the target]: text }] }`. */
export interface KeyedLinks {
  readonly key: string;
  readonly links: readonly { readonly field: string; readonly keys: readonly string[] }[];
}
