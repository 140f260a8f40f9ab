// The pages of the console, in the order of the navigation.

import type { ComponentType } from "preact";
import type { Route } from "../parts/router.ts";
import { DataPage } from "./data/data-page.tsx";
import { LivePage } from "./live/live-page.tsx";
import { QueryPage } from "./query/query-page.tsx";
import { RequestsPage } from "./requests/requests-page.tsx";
import { RulesPage } from "./rules/rules-page.tsx";
import { SchemaPage } from "./schema/schema-page.tsx";
import { StorePage } from "./store/store-page.tsx";

export interface ConsolePage {
  /** In the address. */
  readonly name: string;
  readonly title: string;
  readonly Page: ComponentType<{ readonly route: Route }>;
}

export const pages: readonly ConsolePage[] = [
  { name: "data", title: "Data", Page: DataPage },
  { name: "schema", title: "Schema", Page: SchemaPage },
  { name: "query", title: "Query", Page: QueryPage },
  { name: "rules", title: "Rules", Page: RulesPage },
  { name: "live", title: "Live", Page: LivePage },
  { name: "requests", title: "Requests", Page: RequestsPage },
  { name: "store", title: "Store", Page: StorePage },
];
