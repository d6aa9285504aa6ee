/** Imports of clicks that another service has counted. */
import type { Import, ImportedLink, ImportLink, ImportUndo, Queries } from "./api-types.ts";
import { type List, listOf } from "./list.ts";
import { type ApiPromise, type RequestOptions, Resource } from "./transport.ts";

export class Imports extends Resource {
  /** @param id  chosen by you: `imp_` and 32 hexadecimal digits. Clicks that the link already has are skipped */
  addClicks(id: string, linkId: string, body: ImportLink, options?: RequestOptions): ApiPromise<ImportedLink> {
    return this.api.json({ method: "PUT", path: ["imports", id, "links", linkId], body }, options);
  }

  /** The links that an import has reached, with its clicks. */
  links(id: string, query: Queries["getImport"] = {}, options?: RequestOptions): List<Import["data"][number], Import> {
    return listOf(this.api, ["imports", id], query, options);
  }

  /** Removes clicks of an import. Repeat it until `remaining` is 0. */
  undo(id: string, options?: RequestOptions): ApiPromise<ImportUndo> {
    return this.api.json({ method: "DELETE", path: ["imports", id] }, options);
  }
}
