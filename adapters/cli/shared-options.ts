// Options that several commands share, and their help.

export const configOption = [
  "-c, --config <file>",
  "configuration file (default: quern.config.{mts,ts,js,mjs} in this folder, otherwise the standard stack)",
] as const;

/** The token itself is not an option: other users can read the arguments of a process. */
export const tokenFileOption = ["--admin-token-file <file>", "file that contains the server's admin token"] as const;

export const tokenHelp =
  "Set the admin token in the environment variable QUERN_ADMIN_TOKEN, or name a file with --admin-token-file. Commands find the token of a server that the same user started on this machine.";

/** For commands that have no default store. */
export const storeConfigOption = ["-c, --config <file>", "configuration file; its storage is used unless --data or --url is given"] as const;
