// The pages of the console, in the order of the navigation.

import { DataPage } from "./data/data-page.tsx";
import { lazyPage, type PageComponent } from "./lazy-page.tsx";

export interface ConsolePage {
  /** In the address. */
  readonly name: string;
  readonly title: string;
  readonly Page: PageComponent;
  /** Which schemas it is about, by their text. Default: all. */
  readonly isFor?: (schemaText: string) => boolean;
}

export const pages: readonly ConsolePage[] = [
  { name: "data", title: "Data", Page: DataPage },
  { name: "schema", title: "Schema", Page: lazyPage(async () => (await import("./schema/schema-page.tsx")).SchemaPage) },
  { name: "query", title: "Query", Page: lazyPage(async () => (await import("./query/query-page.tsx")).QueryPage) },
  { name: "rules", title: "Rules", Page: lazyPage(async () => (await import("./rules/rules-page.tsx")).RulesPage) },
  { name: "live", title: "Live", Page: lazyPage(async () => (await import("./live/live-page.tsx")).LivePage) },
  { name: "requests", title: "Requests", Page: lazyPage(async () => (await import("./requests/requests-page.tsx")).RequestsPage) },
  { name: "audit", title: "Audit", Page: lazyPage(async () => (await import("./audit/audit-page.tsx")).AuditPage) },
  { name: "store", title: "Store", Page: lazyPage(async () => (await import("./store/store-page.tsx")).StorePage) },
  {
    name: "users",
    title: "Users",
    Page: lazyPage(async () => (await import("./users/users-page.tsx")).UsersPage),
    isFor: (text) => /@account\b/.test(text),
  },
];
