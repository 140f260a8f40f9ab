// A store by its address, as the command line and the environment name it.

import { QuernError } from "../../../core/plugin.ts";
import type { FileStore } from "./file-store.ts";
import { folderFiles } from "./folder-files.ts";
import { LazyFiles } from "./lazy-files.ts";
import { s3Files } from "./s3-files.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The store at an address: `s3://bucket/prefix`, or a folder. For S3 the rest comes from the variables that other tools read: `AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, and `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` for another server than Amazon's. They are read
 * when the store is used first, or a server starts; what is missing throws `CONFIG_INVALID` then.
 */
export function filesAt(address: string, env: Environment = process.env): FileStore {
  return address.startsWith("s3://") ? new LazyFiles("s3", () => bucketAt(address, env)) : folderFiles({ path: address });
}

function bucketAt(address: string, env: Environment): FileStore {
  const [, bucket = "", prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/u.exec(address) ?? [];
  if (bucket === "")
    throw new QuernError("CONFIG_INVALID", `The address of files ${address} names no bucket; write s3://bucket or s3://bucket/prefix.`);
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || "us-east-1";
  return s3Files({
    endpoint: env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || `https://s3.${region}.amazonaws.com`,
    bucket,
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    region,
    accessKeyId: variable(env, "AWS_ACCESS_KEY_ID"),
    secretAccessKey: variable(env, "AWS_SECRET_ACCESS_KEY"),
    sessionToken: env.AWS_SESSION_TOKEN,
  });
}

function variable(env: Environment, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new QuernError("CONFIG_INVALID", `Files in S3 need the environment variable ${name}.`);
}
